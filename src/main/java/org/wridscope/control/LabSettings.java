// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;

/**
 * A migration with both ends in this process, on the embedded software device.
 *
 * @param guest the guest; an {@linkplain GuestSettings.Image image} has both file and out
 * @param pinAll whether all RAM is registered at the beginning
 * @param bandwidthLimit bytes of RAM per second, 0 for no limit
 * @param downtimeLimit how long the guest may be paused at the switch-over
 * @param timeout after which the migration fails, zero for never
 * @param monitored whether events and history are kept
 * @param unregister whether registrations are released as soon as their memory was sent; excludes
 *     pinAll
 * @param completionQueues whether both queues of each end share a completion queue
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

  /** A lab with the usual values of all other settings. */
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

  /** A copy with other completion queues. */
  public LabSettings with(CompletionQueues queues) {
    return with(guest, queues);
  }

  /** A copy with another guest. */
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
