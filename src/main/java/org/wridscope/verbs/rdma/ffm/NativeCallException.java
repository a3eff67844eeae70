// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import java.io.IOException;

/** A C function failed. */
public final class NativeCallException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String function;
  private final int errno;

  /**
   * @param function its name
   * @param errno why, a value of errno(3)
   */
  public NativeCallException(String function, int errno) {
    super("%s failed with errno %d".formatted(function, errno));
    this.function = function;
    this.errno = errno;
  }

  public String function() {
    return function;
  }

  public int errno() {
    return errno;
  }
}
