// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;

/**
 * A migration with both ends in this process, on the embedded software device.
 *
 * @param guest the guest; for an {@linkplain GuestSettings.Image image} both file and out are given
 * @param pinAll whether all RAM is registered at the beginning
 * @param bandwidthLimit bytes of RAM a second, 0 for no limit
 * @param downtimeLimit how long the guest may stand still at the switch-over
 * @param timeout after which the migration is given up, zero for never
 * @param monitored whether events and history are kept
 * @param unregister whether registrations are given back as soon as what they are for was sent; not
 *     together with pinAll
 * @param completionQueues where the queues of both ends complete
 * @param refusePinAll whether the destination refuses pinAll
 */
public record LabSettings(
    GuestSettings guest,
    boolean pinAll,
    long bandwidthLimit,
    Duration downtimeLimit,
    Duration timeout,
    boolean monitored,
    boolean unregister,
    CompletionQueues completionQueues,
    boolean refusePinAll) {

  /** A lab that keeps its registrations to the end, and has a completion queue for each queue. */
  public LabSettings(
      GuestSettings guest,
      boolean pinAll,
      long bandwidthLimit,
      Duration downtimeLimit,
      Duration timeout,
      boolean monitored) {
    this(
        guest,
        pinAll,
        bandwidthLimit,
        downtimeLimit,
        timeout,
        monitored,
        false,
        CompletionQueues.SPLIT,
        false);
  }

  /** The same with other completion queues. */
  public LabSettings with(CompletionQueues queues) {
    return with(guest, queues);
  }

  /** The same for another guest. */
  public LabSettings with(GuestSettings other) {
    return with(other, completionQueues);
  }

  private LabSettings with(GuestSettings other, CompletionQueues queues) {
    return new LabSettings(
        other,
        pinAll,
        bandwidthLimit,
        downtimeLimit,
        timeout,
        monitored,
        unregister,
        queues,
        refusePinAll);
  }
}
