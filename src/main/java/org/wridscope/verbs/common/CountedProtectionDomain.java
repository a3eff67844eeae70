// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.VerbsException;

/**
 * A protection domain that checks what is registered and counts its memory regions and queue pairs.
 * Its lock guards the count.
 */
public abstract class CountedProtectionDomain implements ProtectionDomain {
  private final DeviceLife device;
  private int users;
  private boolean closed;

  protected CountedProtectionDomain(DeviceLife device) {
    this.device = device;
  }

  /**
   * Registers memory that was checked, and {@linkplain #use counted}.
   *
   * @param access bits of {@code enum ibv_access_flags}
   */
  protected abstract MemoryRegion register(MemorySegment memory, int access) throws VerbsException;

  /** Deallocates the domain, which nobody uses. The lock is held. */
  protected abstract void deallocate() throws VerbsException;

  @Override
  public final MemoryRegion register(MemorySegment memory, Set<Access> access)
      throws VerbsException {
    check(memory, access);
    int bits = 0;
    for (Access right : access) {
      bits |= right.bit();
    }
    device.checkAlive();
    use();
    boolean registered = false;
    try {
      MemoryRegion region = register(memory, bits);
      registered = true;
      return region;
    } finally {
      if (!registered) {
        release();
      }
    }
  }

  private static void check(MemorySegment memory, Set<Access> access) throws VerbsException {
    if (!memory.isNative()) {
      throw new VerbsException(
          Errno.EINVAL, "memory on the Java heap cannot be registered; use native memory");
    }
    if (memory.byteSize() == 0) {
      throw new VerbsException(Errno.EINVAL, "an empty memory segment cannot be registered");
    }
    if (access.contains(Access.REMOTE_WRITE) && !access.contains(Access.LOCAL_WRITE)) {
      throw new VerbsException(
          Errno.EINVAL, "memory cannot be registered with REMOTE_WRITE but without LOCAL_WRITE");
    }
    if (memory.isReadOnly() && access.contains(Access.LOCAL_WRITE)) {
      throw new VerbsException(
          Errno.EACCES, "read-only memory cannot be registered with LOCAL_WRITE");
    }
  }

  /** Counts a user, which keeps the domain from being deallocated. */
  public final synchronized void use() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, "the protection domain was deallocated");
    }
    users++;
  }

  /** Ends what {@link #use} began. */
  public final synchronized void release() {
    users--;
  }

  @Override
  public final synchronized void close() throws VerbsException {
    if (closed) {
      return;
    }
    if (users > 0) {
      throw new VerbsException(
          Errno.EBUSY,
          "the protection domain still has %d memory regions or queue pairs; close them first"
              .formatted(users));
    }
    deallocate();
    closed = true;
  }
}
