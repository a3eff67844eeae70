// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.text.Format;

/**
 * The report of a session. As JSON, with lower-case names and dashes, it has the members of QEMU's
 * {@code query-migrate}, followed by Wridscope's own.
 *
 * @param status as in {@code query-migrate}
 * @param totalTime milliseconds; 0 if it is not known
 * @param downtime milliseconds during which the guest was paused; null until it is known
 * @param expectedDowntime milliseconds; null once the downtime is known
 * @param setupTime milliseconds
 * @param heldTime milliseconds for which the source waited for permission to switch over; null if
 *     it did not
 * @param errorDesc one sentence that says why the migration failed; null if it did not
 * @param role {@code source} or {@code destination}
 * @param peer {@value #WRIDSCOPE} or {@value #QEMU}; null until connected
 * @param verified whether the digests of both ends were compared and are equal
 * @param uncompared whether the RAM of both ends was not to be compared, because the destination's
 *     guest is in another process and that was not asked for
 * @param unconfirmed a sentence for each thing that could not be confirmed
 * @param downtimePhases milliseconds of each part of the downtime, in order
 * @param completions null if work requests are not seen, as of a migration by QEMU's own engine
 * @param registrations null if memory regions are not seen, as in packets
 * @param controlMessages numbers of messages by the name of the type
 * @param digests hexadecimal, of each RAM block at the switch-over; empty until known
 * @param virtio requests of the guest's virtio devices; null without devices, or before their setup
 * @param machine the guest's machine in another process; null if it is in this one or in a file
 * @param releasedEarly a sentence about memory that was released before its request had completed;
 *     null if none is known to be
 * @param schedule one sentence that tells in which choices the order of events differed from one in
 *     which everything gets its turn; null if it did not, or the machine decided
 * @param eventsLeftOut number of events that the monitor lost because it was too slow
 * @param turnedAway callers that a destination turned away before its source; null if there were
 *     none
 * @param memory that this end's host has for the RAM; null if nothing of it is known
 */
public record MigrationReport(
    String status,
    long totalTime,
    @Nullable Long downtime,
    @Nullable Long expectedDowntime,
    long setupTime,
    @Nullable Long heldTime,
    Ram ram,
    @Nullable String errorDesc,
    String role,
    String uri,
    String device,
    @Nullable String peer,
    boolean pinAll,
    boolean verified,
    boolean uncompared,
    List<String> unconfirmed,
    Map<DowntimePart, Double> downtimePhases,
    @Nullable Completions completions,
    @Nullable Registrations registrations,
    Messages controlMessages,
    Digests digests,
    @Nullable Virtio virtio,
    @Nullable Machine machine,
    @Nullable String releasedEarly,
    @Nullable String schedule,
    long eventsLeftOut,
    @Nullable TurnedAway turnedAway,
    @Nullable Memory memory) {
  public static final String WRIDSCOPE = "wridscope";

  /** A peer that speaks the protocol as QEMU does, without digests. */
  public static final String QEMU = "qemu";

  /**
   * Callers that a destination turned away.
   *
   * @param callers how many
   * @param sentence why, and from where most came
   * @param reasons how many for each reason
   * @param addresses how many from each of the first addresses
   * @param elsewhere how many from other addresses
   */
  public record TurnedAway(
      long callers,
      String sentence,
      Map<String, Long> reasons,
      Map<String, Long> addresses,
      long elsewhere) {}

  /** The memory that this end's host has for the RAM. */
  public Memory hostMemory() {
    return memory == null ? Memory.NOT_KNOWN : memory;
  }

  /**
   * Whether the RAM was verified as equal, unless it was not to be compared, or could not be
   * because the peer is no Wridscope.
   */
  public boolean isConfirmed() {
    return verified || uncompared || !WRIDSCOPE.equals(peer);
  }

  /**
   * Whether the RAM was verified as equal, or was not to be compared, and nothing is known to be
   * wrong with requests.
   */
  public boolean sound() {
    return (verified || uncompared || QEMU.equals(peer)) && requestsSound();
  }

  /**
   * Whether no memory is known to be released before its request had completed, and no request of a
   * virtio device to be lost or executed twice.
   */
  public boolean requestsSound() {
    return releasedEarly == null && (virtio == null || virtio.finding() == null);
  }

  /**
   * QEMU's {@code MigrationRAMStats}.
   *
   * @param transferred bytes on the wire
   * @param duplicate zero pages
   * @param normal pages sent
   * @param dirtyPagesRate pages that the guest made dirty per second; null if that is not known
   * @param mbps average rate on the wire, in 10^6 bits per second; null if that is not known
   * @param pagesPerSecond average rate of processed RAM; null if that is not known
   */
  public record Ram(
      long transferred,
      long remaining,
      long total,
      long duplicate,
      long normal,
      long normalBytes,
      @Nullable Long dirtyPagesRate,
      @Nullable Double mbps,
      long dirtySyncCount,
      long pageSize,
      @Nullable Long pagesPerSecond) {}

  /**
   * How much of the RAM had memory of this end's host when the migration began and when it had
   * completed; what had none was never touched, or given back. In bytes, each null if it is not
   * known.
   */
  public record Memory(
      @Nullable Long inUseBefore,
      @Nullable Long neverTouchedBefore,
      @Nullable Long inUseAfter,
      @Nullable Long neverTouchedAfter) {
    private static final Memory NOT_KNOWN = new Memory(null, null, null, null);

    boolean isKnown() {
      return inUseBefore != null || inUseAfter != null;
    }

    /** How much was in use. */
    public String inUse() {
      return text(inUseBefore, inUseAfter);
    }

    /** How much was never touched. */
    public String neverTouched() {
      return text(neverTouchedBefore, neverTouchedAfter);
    }

    private static String text(@Nullable Long before, @Nullable Long after) {
      if (before == null && after == null) {
        return "not known";
      }
      return "%s before, %s after".formatted(text(before), text(after));
    }

    private static String text(@Nullable Long bytes) {
      return bytes == null ? "not known" : Format.bytes(bytes);
    }
  }

  /**
   * Completions per queue.
   *
   * @param send the send queue
   * @param receive the receive queue
   * @param shared both together if they complete in one queue; null if each has its own
   * @param failed completions with a status other than success
   * @param dropped completions that a wait for another one dropped; possible in a shared queue only
   * @param met completions that a wait for another one met and handled, without harm
   */
  public record Completions(
      Queue send, Queue receive, @Nullable Queue shared, long failed, long dropped, long met) {

    /** Posted work requests of one queue, and how many of them have completed. */
    public record Queue(long posted, long completed) {
      /** Both queues together. */
      public Queue plus(Queue other) {
        return new Queue(posted + other.posted, completed + other.completed);
      }
    }
  }

  /**
   * Memory regions of RAM.
   *
   * @param bytes registered at the peak
   * @param hinted chunks that the guest or the user marked as not needing to stay registered
   * @param unregistered released by both ends before the end of the migration
   * @param deferred how often a release was postponed because the memory was in use
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
   * @param completed requests that completed once, and in order where required, since boot
   * @param inFlight requests that the devices have taken and not completed
   * @param mapChanges changes of the memory map since boot
   * @param resets of devices by their drivers since boot
   * @param finding one sentence about the first request that is lost, executed twice or out of
   *     order: as the check of rings and device predicted it or, if it had not, as a driver met it;
   *     null if there is none
   * @param observed one sentence about the first such request that a driver itself met; null if
   *     none has so far
   */
  public record Virtio(
      long completed,
      long inFlight,
      long mapChanges,
      long resets,
      @Nullable String finding,
      @Nullable String observed) {

    /** What the check predicted; null if it predicted nothing. */
    public @Nullable String predicted() {
      return finding != null && finding.equals(observed) ? null : finding;
    }

    /** What is wrong, and whether a driver has met it; null if nothing is wrong. */
    public @Nullable String harm() {
      String predicted = predicted();
      if (predicted == null) {
        return observed;
      }
      return observed == null
          ? predicted + " No driver has noticed this so far."
          : predicted + " A driver noticed this: " + observed;
    }
  }

  /**
   * A guest's machine in another process.
   *
   * @param name for example {@code QEMU 4711}, or {@code the QEMU at unix:/run/vm.qmp} while no
   *     more is known
   * @param qmp where it accepts QMP
   * @param dirtyLog how the writes of a source's guest are found; null at a destination, and before
   *     the search begins
   */
  public record Machine(String name, String qmp, @Nullable DirtyLog dirtyLog) {
    /** For a sentence, for example {@code QEMU 4711 at unix:/run/vm.qmp}. */
    public String place() {
      return isReached() ? name + " at " + qmp : name;
    }

    /** Whether its process is known; otherwise the name contains the address. */
    boolean isReached() {
      return !name.endsWith(qmp);
    }
  }

  /**
   * How the pages that a guest in another process writes are found.
   *
   * @param method a few words
   * @param reason a phrase that says why this method was selected
   * @param scans how often they were collected
   * @param scanTime milliseconds that this took
   * @param pausedTime milliseconds for which the guest stood still for it, besides the downtime
   */
  public record DirtyLog(
      String method, String reason, long scans, double scanTime, double pausedTime) {

    /** The method, why, and what it cost. */
    public String text() {
      return "%s (%s); %s took %s%s"
          .formatted(
              method,
              reason,
              Format.counted(scans, "scan"),
              duration(scanTime),
              pausedTime == 0
                  ? ""
                  : ", for which the guest was paused for " + duration(pausedTime));
    }

    private static String duration(double milliseconds) {
      return Format.duration(Math.round(milliseconds * TimeUnit.MILLISECONDS.toNanos(1)));
    }
  }

  /** Digests of both ends. */
  public record Digests(Map<String, String> source, Map<String, String> destination) {}
}
