// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/**
 * A migration with both ends in this process, on the embedded software device.
 *
 * @param migration settings of the source; an {@linkplain GuestSettings.Image image} has both file
 *     and out
 * @param destinationGuest the guest of the destination
 * @param completionQueues whether both queues of each end share a completion queue
 * @param refusePinAll whether the destination refuses pinAll
 */
public record LabSettings(
    MigrationSettings migration,
    GuestSettings destinationGuest,
    CompletionQueues completionQueues,
    boolean refusePinAll) {

  /** A lab whose ends have the same settings of the guest. */
  public LabSettings(
      MigrationSettings migration, CompletionQueues completionQueues, boolean refusePinAll) {
    this(migration, migration.guest(), completionQueues, refusePinAll);
  }

  /** A lab with split completion queues, whose destination grants pinAll. */
  public LabSettings(MigrationSettings migration) {
    this(migration, CompletionQueues.SPLIT, false);
  }

  public GuestSettings guest() {
    return migration.guest();
  }

  /** A copy with other completion queues. */
  public LabSettings with(CompletionQueues queues) {
    return new LabSettings(migration, destinationGuest, queues, refusePinAll);
  }

  /** A copy of which neither events nor history are kept. */
  public LabSettings unmonitored() {
    return new LabSettings(
        migration.unmonitored(), destinationGuest, completionQueues, refusePinAll);
  }

  /** A copy with another guest at the destination. */
  public LabSettings withDestination(GuestSettings other) {
    return new LabSettings(migration, other, completionQueues, refusePinAll);
  }

  /** A copy with another guest, at both ends. */
  public LabSettings with(GuestSettings other) {
    return new LabSettings(migration.with(other), completionQueues, refusePinAll);
  }
}
