// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** Registered memory; see {@code ibv_reg_mr(3)}. Its keys are never 0. */
public interface MemoryRegion extends AutoCloseable {

  /** The address of the first byte, in the address space of work requests. */
  long address();

  /** Length in bytes. */
  long length();

  /** The key for this region in local work requests. */
  int localKey();

  /** The key that a peer needs to write to this region. */
  int remoteKey();

  /**
   * Deregisters the memory. Once this returns, the device no longer accesses the memory, the keys
   * are invalid, and work requests that still use them complete with an error.
   */
  @Override
  void close() throws VerbsException;
}
