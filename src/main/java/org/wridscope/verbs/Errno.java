// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** Error numbers of the verbs and the connection manager, with the values of Linux. */
public enum Errno {
  EPERM(1),
  ENOENT(2),
  EIO(5),
  EAGAIN(11),
  ENOMEM(12),
  EACCES(13),
  EBUSY(16),
  ENODEV(19),
  EINVAL(22),
  ENOSYS(38),
  EOPNOTSUPP(95),
  EADDRINUSE(98),
  EADDRNOTAVAIL(99),
  ENETUNREACH(101),
  ECONNRESET(104),
  ENOTCONN(107),
  ETIMEDOUT(110),
  ECONNREFUSED(111),
  EHOSTUNREACH(113);

  private static final Errno[] VALUES = values();

  private final int value;

  Errno(int value) {
    this.value = value;
  }

  public int value() {
    return value;
  }

  /** The constant with this value, {@link #EIO} when there is none. */
  public static Errno of(int value) {
    for (Errno errno : VALUES) {
      if (errno.value == value) {
        return errno;
      }
    }
    return EIO;
  }
}
