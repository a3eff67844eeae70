// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A protection domain: queue pairs use only memory regions of their own domain (IBTA 10.2.3). */
public interface ProtectionDomain extends AutoCloseable {

  /**
   * Registers memory; see {@code ibv_reg_mr(3)}. Until the region is closed, the device may read
   * the memory, and write to it as {@code access} allows; the caller keeps the segment alive that
   * long.
   *
   * @param memory native memory; its address is the region's start in the address space of work
   *     requests
   * @throws VerbsException with {@link Errno#EINVAL} for heap memory, an empty segment, or {@link
   *     Access#REMOTE_WRITE} without {@link Access#LOCAL_WRITE} (IBTA 10.6.3.1), {@link
   *     Errno#EACCES} for read-only memory with {@link Access#LOCAL_WRITE}, {@link Errno#ENOMEM}
   *     when a limit is reached
   */
  MemoryRegion register(MemorySegment memory, Set<Access> access) throws VerbsException;

  /**
   * Deallocates the domain.
   *
   * @throws VerbsException with {@link Errno#EBUSY} while it has memory regions or queue pairs
   */
  @Override
  void close() throws VerbsException;
}
