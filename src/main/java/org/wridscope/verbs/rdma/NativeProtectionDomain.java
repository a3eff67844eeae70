// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.impl.NatIbvPd;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.CountedProtectionDomain;
import org.wridscope.verbs.common.MemlockLimit;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** A protection domain of an RDMA device. */
final class NativeProtectionDomain extends CountedProtectionDomain {
  /**
   * Bytes: the page table of a memory region, 16 bytes for each page, is one allocation of at most
   * 4 MiB (drivers/infiniband/sw/rxe/rxe_mr.c, {@code __alloc_mr_page_info}).
   */
  static final long SOFT_ROCE_REGION = 1L << 30;

  private final NativeDevice device;
  private final IbvPd domain;

  NativeProtectionDomain(NativeDevice device, IbvPd domain) {
    super(device.life());
    this.device = device;
    this.domain = domain;
  }

  NativeDevice device() {
    return device;
  }

  /** Only for those who {@linkplain #use use} it. */
  IbvPd domain() {
    return domain;
  }

  @Override
  protected MemoryRegion register(MemorySegment memory, int access) throws VerbsException {
    try {
      // DiSNI's regMr takes an int for the length.
      long region =
          Ibverbs.REG_MR.call(
              ((NatIbvPd) domain).getObjId(), memory.address(), memory.byteSize(), access);
      return new NativeMemoryRegion(this, memory, region);
    } catch (NativeCallException e) {
      throw refused(memory.byteSize(), device.capabilities().maxMemoryRegions(), e);
    }
  }

  private static VerbsException refused(long bytes, int mostRegions, NativeCallException e) {
    return switch (Errno.of(e.errno())) {
      case ENOMEM ->
          new VerbsException(
              Errno.ENOMEM,
              "registering %d bytes of memory was refused (ENOMEM): %s; the device has at most %d memory regions (max_mr)"
                  .formatted(bytes, advice(bytes), mostRegions));
      default -> Installation.failed("registering %d bytes of memory".formatted(bytes), e);
    };
  }

  private static String advice(long bytes) {
    OptionalLong limit = MemlockLimit.read();
    if (limit.isPresent()) {
      return "locked memory is limited to %d KiB (ulimit -l): raise it (LimitMEMLOCK, limits.conf)"
          .formatted(limit.getAsLong() >> 10);
    }
    return bytes > SOFT_ROCE_REGION
        ? "locked memory is not limited; soft-RoCE of Linux 6.12 and later registers at most 1 GiB"
            + " at once: do not pin all RAM there. Else the machine or the device has run out of memory"
        : "locked memory is not limited, so the machine or the device has run out of memory";
  }

  @Override
  protected void deallocate() throws VerbsException {
    try {
      Installation.check("deallocating the protection domain", domain.deallocPd());
    } catch (VerbsException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    device.forget();
  }
}
