// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.KeyedRegion;

/**
 * Registered memory. A device thread acquires it for each transfer, so that deregistering can wait
 * for the transfers in progress.
 */
final class SoftMemoryRegion extends KeyedRegion {
  private static final VarHandle USERS;

  static {
    try {
      USERS = MethodHandles.lookup().findVarHandle(SoftMemoryRegion.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Added to the number of users when the region was closed: makes it negative. */
  private static final int CLOSED = Integer.MIN_VALUE;

  /** Pause between checks for the end of a long transfer. */
  private static final long WAIT_NANOS = 20_000;

  private static final int SPINS = 1_000;

  /** The largest single copy, since a safepoint has to wait for its end. */
  private static final int PIECE = 1 << 20;

  private final SoftProtectionDomain domain;
  private final int access;

  @SuppressWarnings("UnusedVariable") // through USERS
  private volatile int users;

  private boolean released;

  // Belong to the device's thread.
  private RegionView[] views = new RegionView[0];
  private int viewsInUse;

  /**
   * @param access bits of {@link org.wridscope.verbs.Access}
   */
  SoftMemoryRegion(
      SoftProtectionDomain domain, MemorySegment memory, int access, int localKey, int remoteKey) {
    super(memory, localKey, remoteKey);
    this.domain = domain;
    this.access = access;
  }

  /**
   * Acquires a region for a transfer if the transfer is allowed.
   *
   * @param region null when no region has the key
   * @param right the bit of the access that is needed, 0 for reading locally
   * @return {@link VendorError#NONE} when it was acquired, else why not
   */
  static VendorError acquire(
      @Nullable SoftMemoryRegion region,
      SoftProtectionDomain domain,
      long address,
      int length,
      int right) {
    return region == null
        ? VendorError.UNKNOWN_KEY
        : region.acquire(domain, address, length, right);
  }

  private VendorError acquire(SoftProtectionDomain domain, long address, int length, int right) {
    if (this.domain != domain) {
      return VendorError.FOREIGN_DOMAIN;
    }
    if ((access & right) != right) {
      return VendorError.MISSING_RIGHT;
    }
    long offset = address - address();
    long size = memory.byteSize();
    if (offset < 0 || offset > size || length > size - offset) {
      return VendorError.OUT_OF_BOUNDS;
    }
    if ((int) USERS.getAndAdd(this, 1) < 0) {
      USERS.getAndAdd(this, -1);
      return VendorError.UNKNOWN_KEY;
    }
    return VendorError.NONE;
  }

  /** Ends what {@link #acquire} began. */
  void release() {
    USERS.getAndAdd(this, -1);
  }

  /**
   * Copies from this region to another one; both are acquired and the ranges checked.
   *
   * @return false when the memory of one of them was freed
   */
  boolean copyTo(SoftMemoryRegion target, long from, long to, int length) {
    long source = from - address();
    long destination = to - target.address();
    try {
      for (int done = 0; done < length; ) {
        int piece = Math.min(length - done, PIECE);
        MemorySegment.copy(memory, source + done, target.memory, destination + done, piece);
        done += piece;
      }
      return true;
    } catch (IllegalStateException | InternalError e) {
      // A closed arena, or a mapped file that was truncated (SIGBUS, which the JVM turns into an
      // InternalError).
      return false;
    }
  }

  /**
   * Copies the memory from an address on; false when it was freed or is shorter. Only for the
   * device's thread.
   */
  boolean copyTo(byte[] into, long from) {
    try {
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from - address(), into, 0, into.length);
      return true;
    } catch (IllegalStateException | IndexOutOfBoundsException | InternalError e) {
      return false;
    }
  }

  /** Has pages ready that are about to be written to; the region is acquired. */
  void populate(long at, int length) {
    try {
      PageTables.populate(memory, at - address(), length);
    } catch (IllegalStateException e) {
      // The memory was freed, as whoever writes there will find out.
    }
  }

  /**
   * Bytes of this region for a system call, valid until {@link #releaseViews}. Only for the
   * device's thread, which has acquired the region. Allocates nothing once there are as many views
   * as are used at a time.
   */
  ByteBuffer view(long at, int length) {
    if (viewsInUse == views.length) {
      views = Arrays.copyOf(views, views.length + 1);
      views[viewsInUse] = new RegionView(memory);
    }
    return views[viewsInUse++].at(at - address(), length);
  }

  /** No system call uses a view any more. */
  void releaseViews() {
    viewsInUse = 0;
  }

  /**
   * A digest of a range; the region is acquired, and the range checked. Only for the device's
   * thread.
   *
   * @return negative when the memory was freed
   */
  long digest(long from, int length) {
    var crc = new CRC32C();
    try {
      crc.update(view(from, length));
    } catch (IllegalStateException | InternalError e) {
      return -1;
    } finally {
      releaseViews();
    }
    return crc.getValue();
  }

  /** Whether the memory was not freed. */
  boolean isAlive() {
    return memory.scope().isAlive();
  }

  /**
   * {@inheritDoc}
   *
   * @throws VerbsException with {@link Errno#EBUSY} when a transfer does not end in time; can be
   *     called again
   */
  @Override
  public void close() throws VerbsException {
    int before;
    do {
      before = users;
    } while (before >= 0 && !USERS.compareAndSet(this, before, before | CLOSED));
    if (before >= 0) {
      domain.device().keys().remove(this);
    }
    awaitTransfers();
    synchronized (this) {
      if (!released) {
        released = true;
        domain.release();
      }
    }
  }

  private void awaitTransfers() throws VerbsException {
    long end = Time.nanos() + domain.device().patience().toNanos();
    for (int checks = 0; users != CLOSED; checks++) {
      if (checks < SPINS) {
        Thread.onSpinWait();
      } else if (Time.nanos() - end > 0) {
        throw domain.device().stuck("the memory region with the key " + localKey());
      } else {
        Time.park(this, WAIT_NANOS);
      }
    }
  }
}
