// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.Tracking;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.process.CompareTracker;
import org.wridscope.process.WriteTracker;

/** Finds the pages of shared RAM that a guest writes, in the way that was selected. */
final class DirtyPagesLog implements AutoCloseable {
  private final WriteTracker tracker;
  private final List<NativeMemory> memories;
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
  DirtyPagesLog(
      WriteTracker tracker,
      List<NativeMemory> memories,
      String reason,
      boolean quiet,
      Pauses pauses) {
    this.tracker = tracker;
    this.memories = memories;
    this.reason = reason;
    this.quiet = quiet;
    this.pauses = pauses;
  }

  /** What to send of each shared block, in the order of {@link QemuRam#shared}. */
  List<NativeMemory> memories() {
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

  private static DirtyBitmap bitmap(NativeMemory memory) {
    return new DirtyBitmap(memory.segment().byteSize() / RamBlock.PAGE_SIZE);
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
  long run(Pauses.Work work) throws IOException {
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
