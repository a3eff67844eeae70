// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.Tracking;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.process.CompareTracker;
import org.wridscope.process.Descriptor;
import org.wridscope.process.SoftDirtyTracker;
import org.wridscope.process.UserfaultTracker;
import org.wridscope.process.WriteTracker;
import org.wridscope.process.WriteTrackers;
import org.wridscope.qmp.QemuMonitor;

/** Finds the pages of shared RAM that a guest writes, in the way that was selected. */
final class DirtyPagesLog implements AutoCloseable {
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
   * Selects how writes are found, and begins to find them.
   *
   * @throws GuestException if that is not possible
   */
  static DirtyPagesLog open(
      DirtyLogChoice choice, QemuRam ram, QemuMonitor monitor, SourceGuard guard, Pauses pauses)
      throws IOException {
    String reason = "it is the fastest that works here";
    boolean discards = QemuChecks.discardsRam(monitor);
    for (WriteTrackers.Kind way : WriteTrackers.Kind.values()) {
      DirtyLogChoice kind = kind(way);
      if (choice != DirtyLogChoice.AUTO && choice != kind) {
        continue;
      }
      String obstacle =
          discards && kind != DirtyLogChoice.COMPARE
              ? "the guest has a balloon or virtio-mem, which exchange pages that an RDMA device"
                  + " has pinned"
              : WriteTrackers.obstacle(way, ram.ranges()).orElse("");
      if (obstacle.isEmpty()) {
        try {
          return of(kind, choice == kind ? "it was chosen" : reason, ram, monitor, guard, pauses);
        } catch (GuestException e) {
          throw e;
        } catch (IOException e) {
          obstacle = String.valueOf(e.getMessage());
        }
      }
      reason = "%s does not work here: %s".formatted(kind.text(), withoutPeriod(obstacle));
    }
    throw new GuestException("The guest's writes cannot be found, as " + reason + ".");
  }

  private static String withoutPeriod(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  private static DirtyLogChoice kind(WriteTrackers.Kind kind) {
    return switch (kind) {
      case USERFAULTFD -> DirtyLogChoice.USERFAULTFD;
      case SOFT_DIRTY -> DirtyLogChoice.SOFT_DIRTY;
      case COMPARE -> DirtyLogChoice.COMPARE;
    };
  }

  private static DirtyPagesLog of(
      DirtyLogChoice kind,
      String reason,
      QemuRam ram,
      QemuMonitor monitor,
      SourceGuard guard,
      Pauses pauses)
      throws IOException {
    if (kind == DirtyLogChoice.COMPARE) {
      // What is compared is also what is sent: a page that is written while it is sent is sent
      // again, whatever it contains then.
      var tracker = new CompareTracker(ram.ranges(), memories(ram));
      return new DirtyPagesLog(tracker, tracker.copies(), reason, false, pauses);
    }
    WriteTracker tracker =
        kind == DirtyLogChoice.SOFT_DIRTY
            ? new SoftDirtyTracker(ram.ranges())
            : new UserfaultTracker(ram.ranges(), userfault(ram, guard));
    try {
      // A disk's device may write into a page long after QEMU gave it the page, which is when the
      // kernel notes the write.
      boolean quiet = tracker.needsQuietTarget() || Ask.query(monitor::usesDirectIo);
      var log = new DirtyPagesLog(tracker, memories(ram), reason, quiet, pauses);
      var _ = log.run(tracker::start);
      return log;
    } catch (IOException | RuntimeException e) {
      tracker.close();
      throw e;
    }
  }

  /** The descriptor in QEMU is closed again before any page is protected. */
  private static Descriptor userfault(QemuRam ram, SourceGuard guard) throws IOException {
    int number = guard.openUserfault();
    Descriptor taken;
    try {
      taken = Descriptor.take(ram.ranges().getFirst().pid(), number);
    } catch (IOException | RuntimeException e) {
      guard.closeUserfault();
      throw e;
    }
    try {
      guard.closeUserfault();
      return taken;
    } catch (IOException | RuntimeException e) {
      taken.close();
      throw e;
    }
  }

  private static List<MemorySegment> memories(QemuRam ram) {
    return ram.shared().stream().map(ram::memory).toList();
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
    long paused = run(work);
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

  /** Does some work; returns for how many nanoseconds the guest stood still for it. */
  private long run(Pauses.Work work) throws IOException {
    if (quiet) {
      return pauses.during(work);
    }
    work.run();
    return 0;
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
