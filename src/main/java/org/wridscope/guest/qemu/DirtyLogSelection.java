// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.GuestException;
import org.wridscope.memory.NativeMemory;
import org.wridscope.process.CompareTracker;
import org.wridscope.process.Descriptor;
import org.wridscope.process.SoftDirtyTracker;
import org.wridscope.process.UserfaultTracker;
import org.wridscope.process.WriteTracker;
import org.wridscope.process.WriteTrackers;
import org.wridscope.qmp.QemuMonitor;

/**
 * Selects how the writes of a guest are found. A userfaultfd is opened in QEMU ahead, while QEMU is
 * busy with something else, since that takes a while; it has no effect until it is used.
 */
final class DirtyLogSelection implements AutoCloseable {
  private final DirtyLogChoice choice;
  private final QemuRam ram;
  private final QemuMonitor monitor;
  private final boolean discards;

  /** Null if it is not wanted, not possible, or in use. */
  private @Nullable Descriptor userfault;

  /** Why there is no userfaultfd although it is wanted; empty if there is one. */
  private String obstacle = "";

  private DirtyLogSelection(
      DirtyLogChoice choice, QemuRam ram, QemuMonitor monitor, boolean discards) {
    this.choice = choice;
    this.ram = ram;
    this.monitor = monitor;
    this.discards = discards;
  }

  static DirtyLogSelection prepare(
      DirtyLogChoice choice, QemuRam ram, QemuMonitor monitor, SourceGuard guard)
      throws IOException {
    var made = new DirtyLogSelection(choice, ram, monitor, QemuChecks.discardsRam(monitor));
    if (made.isCandidate(DirtyLogChoice.USERFAULTFD) && !made.discards) {
      made.openUserfault(guard);
    }
    return made;
  }

  private boolean isCandidate(DirtyLogChoice kind) {
    return choice == DirtyLogChoice.AUTO || choice == kind;
  }

  private void openUserfault(SourceGuard guard) {
    obstacle = WriteTrackers.obstacle(WriteTrackers.Kind.USERFAULTFD, ram.ranges()).orElse("");
    if (obstacle.isEmpty()) {
      try {
        userfault = take(guard);
      } catch (IOException e) {
        obstacle = String.valueOf(e.getMessage());
      }
    }
  }

  /** The descriptor in QEMU is closed again before any page is protected. */
  private Descriptor take(SourceGuard guard) throws IOException {
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

  /**
   * Begins to find writes, in the first way that works.
   *
   * @throws GuestException if none does
   */
  DirtyPagesLog open(Pauses pauses) throws IOException {
    String reason = "it is the fastest that works here";
    for (WriteTrackers.Kind way : WriteTrackers.Kind.values()) {
      DirtyLogChoice kind = kind(way);
      if (!isCandidate(kind)) {
        continue;
      }
      String problem = obstacle(way);
      if (problem.isEmpty()) {
        try {
          return begin(kind, choice == kind ? "it was chosen" : reason, pauses);
        } catch (GuestException e) {
          throw e;
        } catch (IOException e) {
          problem = String.valueOf(e.getMessage());
        }
      }
      reason =
          "%s does not work here: %s".formatted(kind.text(), RunningQemu.withoutPeriod(problem));
    }
    throw new GuestException(
        "The guest's writes cannot be found, as %s%s."
            .formatted(
                reason, choice == DirtyLogChoice.AUTO ? "" : "; choose another --dirty-log"));
  }

  private static DirtyLogChoice kind(WriteTrackers.Kind kind) {
    return switch (kind) {
      case USERFAULTFD -> DirtyLogChoice.USERFAULTFD;
      case SOFT_DIRTY -> DirtyLogChoice.SOFT_DIRTY;
      case COMPARE -> DirtyLogChoice.COMPARE;
    };
  }

  private String obstacle(WriteTrackers.Kind kind) {
    if (discards && kind != WriteTrackers.Kind.COMPARE) {
      return "the guest has a balloon or virtio-mem, which exchange pages that an RDMA device has"
          + " pinned";
    }
    return kind == WriteTrackers.Kind.USERFAULTFD
        ? obstacle
        : WriteTrackers.obstacle(kind, ram.ranges()).orElse("");
  }

  private DirtyPagesLog begin(DirtyLogChoice kind, String reason, Pauses pauses)
      throws IOException {
    if (kind == DirtyLogChoice.COMPARE) {
      // What is compared is also what is sent: a page that is written while it is sent is sent
      // again, whatever it contains then.
      var tracker =
          new CompareTracker(ram.ranges(), memories().stream().map(NativeMemory::segment).toList());
      return new DirtyPagesLog(tracker, tracker.copies(), reason, false, pauses);
    }
    WriteTracker tracker =
        kind == DirtyLogChoice.SOFT_DIRTY
            ? new SoftDirtyTracker(ram.ranges())
            : new UserfaultTracker(ram.ranges(), releaseUserfault());
    try {
      // A disk's device may write into a page long after QEMU gave it the page, which is when the
      // kernel notes the write.
      boolean quiet = tracker.needsQuietTarget() || Ask.query(monitor::usesDirectIo);
      var log = new DirtyPagesLog(tracker, memories(), reason, quiet, pauses);
      var _ = log.run(tracker::start);
      return log;
    } catch (IOException | RuntimeException e) {
      tracker.close();
      throw e;
    }
  }

  private Descriptor releaseUserfault() {
    Descriptor released = Objects.requireNonNull(userfault, "there is none");
    userfault = null;
    return released;
  }

  private List<NativeMemory> memories() {
    return ram.shared().stream().map(ram::memory).toList();
  }

  /** Closes what was opened ahead and is not used. */
  @Override
  public void close() {
    if (userfault != null) {
      releaseUserfault().close();
    }
  }
}
