// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.impl.NatIbvPd;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** A protection domain of a device; guarded by its own lock. */
final class NativeProtectionDomain implements ProtectionDomain {
  private final NativeDevice device;
  private final IbvPd domain;
  private int users;
  private boolean closed;

  NativeProtectionDomain(NativeDevice device, IbvPd domain) {
    this.device = device;
    this.domain = domain;
  }

  NativeDevice device() {
    return device;
  }

  /** To be used between {@link #use} and {@link #release} only. */
  IbvPd domain() {
    return domain;
  }

  /** Keeps the domain from being closed. */
  synchronized void use() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, "the protection domain was deallocated");
    }
    users++;
  }

  synchronized void release() {
    users--;
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) throws VerbsException {
    check(memory, access);
    device.checkAlive();
    int flags = 0;
    for (Access one : access) {
      flags |= one.bit();
    }
    use();
    boolean registered = false;
    try {
      // DiSNI's regMr takes an int for the length.
      long region =
          Ibverbs.REG_MR.call(
              ((NatIbvPd) domain).getObjId(), memory.address(), memory.byteSize(), flags);
      var result = new NativeMemoryRegion(this, memory, region);
      registered = true;
      return result;
    } catch (NativeCallException e) {
      throw refused(memory.byteSize(), e);
    } finally {
      if (!registered) {
        release();
      }
    }
  }

  private static void check(MemorySegment memory, Set<Access> access) throws VerbsException {
    if (!memory.isNative()) {
      throw new VerbsException(
          Errno.EINVAL, "memory of the Java heap cannot be registered, it may move");
    }
    if (memory.byteSize() == 0) {
      throw new VerbsException(Errno.EINVAL, "an empty memory segment cannot be registered");
    }
    if (access.contains(Access.REMOTE_WRITE) && !access.contains(Access.LOCAL_WRITE)) {
      throw new VerbsException(
          Errno.EINVAL, "remote write access needs local write access (IBTA 10.6.3.1)");
    }
    if (memory.isReadOnly() && access.contains(Access.LOCAL_WRITE)) {
      throw new VerbsException(
          Errno.EACCES, "read-only memory cannot be registered with local write access");
    }
  }

  private static VerbsException refused(long bytes, NativeCallException e) {
    return switch (Errno.of(e.errno())) {
      case ENOMEM ->
          new VerbsException(
              Errno.ENOMEM,
              "registering %d bytes of memory was refused: %s"
                  .formatted(bytes, MemoryLock.advice()));
      default -> Installation.failed("registering %d bytes of memory".formatted(bytes), e);
    };
  }

  @Override
  public synchronized void close() throws VerbsException {
    if (closed) {
      return;
    }
    if (users > 0) {
      throw new VerbsException(
          Errno.EBUSY,
          "the protection domain still has %d regions or queue pairs; close them first"
              .formatted(users));
    }
    try {
      Installation.check("deallocating the protection domain", domain.deallocPd());
    } catch (VerbsException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    closed = true;
    device.forget();
  }
}
