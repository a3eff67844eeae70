// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.Tracking;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.process.CompareTracker;
import org.wridscope.process.Descriptor;
import org.wridscope.process.SharedRange;
import org.wridscope.process.UserfaultTracker;
import org.wridscope.process.WriteTracker;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.text.Format;

/** Finds the pages of shared RAM that a guest writes, in the way that was selected. */
final class DirtyPagesLog implements AutoCloseable {
  private static final String CHOSEN = "it was chosen";

  private final WriteTracker tracker;
  private final List<MemorySegment> memories;
  private final String reason;
  private final boolean quiet;
  private final Pauses pauses;
  private volatile @Nullable Tracking tracking;
  private boolean ended;

  /**
   * @param memories what to send of each shared block
   * @param reason a phrase that says why this tracker was selected
   * @param quiet whether the guest must stand still while its writes are collected
   */
  private DirtyPagesLog(
      WriteTracker tracker,
      List<MemorySegment> memories,
      String reason,
      boolean quiet,
      Pauses pauses) {
    this.tracker = tracker;
    this.memories = memories;
    this.reason = reason;
    this.quiet = quiet;
    this.pauses = pauses;
  }

  /**
   * Selects how writes are found, and tries it.
   *
   * @throws GuestException if that is not possible
   */
  static DirtyPagesLog open(
      DirtyLogChoice choice, QemuRam ram, QemuMonitor monitor, SourceGuard guard, Pauses pauses)
      throws IOException {
    return switch (choice) {
      case AUTO -> first(ram, monitor, guard, pauses);
      case USERFAULTFD -> userfaultfd(ram, CHOSEN, monitor, guard, pauses);
      case COMPARE -> comparing(ram, CHOSEN, pauses);
      case SOFT_DIRTY ->
          throw new GuestException(
              "The dirty log %s is not available; choose compare.".formatted(choice.text()));
    };
  }

  private static DirtyPagesLog first(
      QemuRam ram, QemuMonitor monitor, SourceGuard guard, Pauses pauses) throws IOException {
    try {
      return userfaultfd(ram, "it is the fastest that works here", monitor, guard, pauses);
    } catch (IOException e) {
      return comparing(
          ram, "userfaultfd does not work here: " + RunningQemu.withoutPeriod(e), pauses);
    }
  }

  /** The descriptor in QEMU is closed again before any page is protected. */
  private static DirtyPagesLog userfaultfd(
      QemuRam ram, String reason, QemuMonitor monitor, SourceGuard guard, Pauses pauses)
      throws IOException {
    List<SharedRange> ranges = ram.ranges();
    // A disk's device may write into a page long after QEMU gave it the page, which is when the
    // kernel notes the write.
    boolean quiet = Ask.query(monitor::usesDirectIo);
    int number = guard.openUserfault();
    Descriptor userfault;
    try {
      userfault = Descriptor.take(ranges.getFirst().pid(), number);
    } finally {
      guard.closeUserfault();
    }
    var tracker = new UserfaultTracker(ranges, userfault);
    try {
      tracker.start();
    } catch (IOException | RuntimeException e) {
      tracker.close();
      throw e;
    }
    return new DirtyPagesLog(
        tracker, memories(ram), reason, quiet || tracker.needsQuietTarget(), pauses);
  }

  private static List<MemorySegment> memories(QemuRam ram) {
    return ram.shared().stream().map(ram::memory).toList();
  }

  /**
   * Finds writes by comparing with a copy, which is also what is sent: a page that is written while
   * it is sent is sent again, whatever it contains then.
   *
   * @throws GuestException if there is not enough memory for the copy
   */
  private static DirtyPagesLog comparing(QemuRam ram, String reason, Pauses pauses)
      throws IOException {
    List<MemorySegment> shared = memories(ram);
    long bytes = shared.stream().mapToLong(MemorySegment::byteSize).sum();
    long available = AvailableMemory.bytes();
    if (bytes > available) {
      throw new GuestException(
          "A copy of the guest's RAM needs %s, and only %s of memory are available; select another dirty log or close other programs."
              .formatted(Format.bytes(bytes), Format.bytes(available)));
    }
    var tracker = new CompareTracker(shared);
    return new DirtyPagesLog(tracker, tracker.copies(), reason, false, pauses);
  }

  /** What to send of each shared block, in the order of {@link QemuRam#shared}. */
  List<MemorySegment> memories() {
    return memories;
  }

  /** Begins to follow the guest's writes. */
  void start() throws IOException {
    timed(() -> {
      if (tracker instanceof CompareTracker) {
        tracker.start();
      } else {
        // It has started; what was written before does not count.
        tracker.take(memories.stream().map(DirtyPagesLog::bitmap).toList());
      }
    });
  }

  private static DirtyBitmap bitmap(MemorySegment memory) {
    return new DirtyBitmap(memory.byteSize() / RamBlock.PAGE_SIZE);
  }

  /** Adds the pages that the guest has written to the bitmap of each shared block. */
  void take(List<DirtyBitmap> into) throws IOException {
    timed(() -> tracker.take(into));
  }

  private void timed(Pauses.Work work) throws IOException {
    long begin = System.nanoTime();
    long paused = 0;
    if (quiet) {
      paused = pauses.during(work);
    } else {
      work.run();
    }
    Tracking before = tracking;
    long nanos = System.nanoTime() - begin;
    tracking =
        before == null
            ? new Tracking(tracker.description(), reason, 1, nanos, paused)
            : new Tracking(
                before.method(),
                reason,
                before.scans() + 1,
                before.nanos() + nanos,
                before.pausedNanos() + paused);
  }

  /** How writes are found, and what that has cost; empty before {@link #start}. */
  Optional<Tracking> tracking() {
    return Optional.ofNullable(tracking);
  }

  /** Nothing is left in QEMU after this. The memory of a copy stays until {@link #close}. */
  void end() {
    if (!ended && !(tracker instanceof CompareTracker)) {
      ended = true;
      tracker.close();
    }
  }

  @Override
  public void close() {
    tracker.close();
  }
}
