// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a session reports. As JSON, with names in lower case and dashes, its members are those of
 * QEMU's {@code query-migrate}, and then our own.
 *
 * @param status as {@code query-migrate} spells it
 * @param totalTime milliseconds
 * @param downtime milliseconds that the guest stood still; null until it did
 * @param expectedDowntime milliseconds; null once the downtime is known
 * @param setupTime milliseconds
 * @param errorDesc why it failed, one sentence; null when it did not
 * @param role {@code source} or {@code destination}
 * @param peer {@value #WRIDSCOPE} or {@value #QEMU}; null until connected
 * @param verified whether the digests of both ends were compared and found equal
 * @param unconfirmed what could not be confirmed, a sentence each; empty when all was
 * @param downtimePhases milliseconds of each part of the downtime, in order
 * @param controlMessages by the type's name
 * @param digests hexadecimal, of each RAM block at the switch-over; empty until known
 * @param virtio what became of the requests of the guest's virtio devices; null without devices, or
 *     before they were set up
 * @param eventsLeftOut by the monitor, because it was too slow
 */
public record MigrationReport(
    String status,
    long totalTime,
    @Nullable Long downtime,
    @Nullable Long expectedDowntime,
    long setupTime,
    Ram ram,
    @Nullable String errorDesc,
    String role,
    String uri,
    String device,
    @Nullable String peer,
    boolean pinAll,
    boolean verified,
    List<String> unconfirmed,
    Map<String, Double> downtimePhases,
    Completions completions,
    Registrations registrations,
    Messages controlMessages,
    Digests digests,
    @Nullable Virtio virtio,
    long eventsLeftOut) {
  public static final String WRIDSCOPE = "wridscope";

  /** Whatever speaks the protocol as QEMU does, without digests. */
  public static final String QEMU = "qemu";

  /**
   * Whether the RAM was found equal, or the peer is one that cannot tell, and no request of a
   * virtio device is known to be lost or done twice.
   */
  public boolean sound() {
    return (verified || QEMU.equals(peer)) && requestsSound();
  }

  /** Whether no request of a virtio device is known to be lost or done twice here. */
  public boolean requestsSound() {
    return virtio == null || virtio.finding() == null;
  }

  /**
   * QEMU's {@code MigrationRAMStats}.
   *
   * @param transferred bytes on the wire
   * @param duplicate zero pages
   * @param normal pages sent
   * @param mbps 10^6 bits of RAM dealt with a second, over the whole migration
   */
  public record Ram(
      long transferred,
      long remaining,
      long total,
      long duplicate,
      long normal,
      long normalBytes,
      long dirtyPagesRate,
      double mbps,
      long dirtySyncCount,
      long pageSize,
      long pagesPerSecond) {}

  /** Completions per queue. */
  public record Completions(Queue send, Queue receive, long failed) {

    /** Work requests of one queue, and the completions that were taken for them. */
    public record Queue(long posted, long completed) {}
  }

  /**
   * Memory regions of RAM.
   *
   * @param bytes registered at the peak
   * @param hinted chunks that the guest or the user said need not stay registered
   * @param unregistered given back by both ends before the migration ended
   * @param deferred times that one was not given back yet, since it was in use
   */
  public record Registrations(
      long alive,
      long peak,
      long total,
      long bytes,
      long roundTrips,
      long hinted,
      long unregistered,
      long deferred) {}

  /** Control messages by type. */
  public record Messages(Map<String, Long> sent, Map<String, Long> received) {}

  /**
   * Requests of the guest's virtio devices, at this end.
   *
   * @param completed once, and in order where order is promised, since the guest booted
   * @param inFlight taken by the devices and not completed
   * @param mapChanges changes of the memory map since the guest booted
   * @param resets of devices by their drivers since the guest booted
   * @param finding the first request that was lost, done twice or out of order, one sentence; null
   *     when there is none
   */
  public record Virtio(
      long completed, long inFlight, long mapChanges, long resets, @Nullable String finding) {}

  /** Digests of both ends. */
  public record Digests(Map<String, String> source, Map<String, String> destination) {}
}
