// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;

/** A system call failed. */
public final class SystemCallException extends IOException {
  private static final long serialVersionUID = 1L;

  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  static final int ESRCH = 3;
  static final int EINTR = 4;
  static final int ENXIO = 6;
  static final int EBADF = 9;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  public static final int EINVAL = 22;
  static final int ENOTTY = 25;
  static final int ENOSYS = 38;

  private final int errno;

  /**
   * @param call its name
   * @param errno why, a value of errno(3)
   */
  SystemCallException(String call, int errno) {
    super("%s failed with %s".formatted(call, name(errno)));
    this.errno = errno;
  }

  /** Why, a value of errno(3). */
  public int errno() {
    return errno;
  }

  /** The name in errno(3), or the number. */
  static String name(int errno) {
    return switch (errno) {
      case EPERM -> "EPERM";
      case ENOENT -> "ENOENT";
      case ESRCH -> "ESRCH";
      case ENXIO -> "ENXIO";
      case EBADF -> "EBADF";
      case EAGAIN -> "EAGAIN";
      case EACCES -> "EACCES";
      case EINVAL -> "EINVAL";
      case ENOTTY -> "ENOTTY";
      case ENOSYS -> "ENOSYS";
      default -> "errno " + errno;
    };
  }
}
