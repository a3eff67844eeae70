// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.VerbsException;

/** A protection domain of the software device. */
final class SoftProtectionDomain implements ProtectionDomain {
  private final SoftDevice device;
  private int users;
  private boolean closed;

  SoftProtectionDomain(SoftDevice device) {
    this.device = device;
  }

  SoftDevice device() {
    return device;
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) throws VerbsException {
    if (!memory.isNative()) {
      throw new VerbsException(
          Errno.EINVAL, "memory on the Java heap cannot be registered; use native memory");
    }
    if (memory.byteSize() == 0) {
      throw new VerbsException(Errno.EINVAL, "an empty segment cannot be registered");
    }
    if (access.contains(Access.REMOTE_WRITE) && !access.contains(Access.LOCAL_WRITE)) {
      throw new VerbsException(
          Errno.EINVAL, "memory cannot be registered with REMOTE_WRITE but without LOCAL_WRITE");
    }
    if (memory.isReadOnly() && access.contains(Access.LOCAL_WRITE)) {
      throw new VerbsException(
          Errno.EACCES, "read-only memory cannot be registered with LOCAL_WRITE");
    }
    if (device.keys().alive() >= device.capabilities().maxMemoryRegions()) {
      throw new VerbsException(Errno.ENOMEM, "the device has no room for another memory region");
    }
    use();
    try {
      return device.keys().register(this, memory, access);
    } catch (VerbsException e) {
      release();
      throw e;
    }
  }

  /** Counts an object that lives in this domain. */
  void use() throws VerbsException {
    device.checkAlive();
    synchronized (this) {
      if (closed) {
        throw new VerbsException(Errno.EINVAL, "the protection domain was deallocated");
      }
      users++;
    }
  }

  synchronized void release() {
    users--;
  }

  @Override
  public void close() throws VerbsException {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (users > 0) {
        throw new VerbsException(
            Errno.EBUSY,
            "the protection domain still has %d memory regions or queue pairs".formatted(users));
      }
      closed = true;
    }
    device.forget(SoftResource.PROTECTION_DOMAIN);
  }
}
