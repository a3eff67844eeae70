// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/** Loads the user space libraries of rdma-core on demand. */
public final class RdmaLibraries {
  static final String VERBS = "libibverbs.so.1";
  static final String CONNECTION_MANAGER = "librdmacm.so.1";

  private RdmaLibraries() {}

  /** The first library that is missing. If there is one, this package cannot be used. */
  public static Optional<String> missing() {
    for (String name : new String[] {VERBS, CONNECTION_MANAGER}) {
      try {
        open(name);
      } catch (IllegalArgumentException e) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  /**
   * @throws IllegalArgumentException when it is missing
   */
  @SuppressWarnings("restricted")
  static SymbolLookup open(String name) {
    return SymbolLookup.libraryLookup(name, Arena.global());
  }
}
