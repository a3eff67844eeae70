// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** The error numbers that verbs and the connection manager give; values of Linux. */
public enum Errno {
  EIO(5),
  ENOMEM(12),
  EACCES(13),
  EBUSY(16),
  ENODEV(19),
  EINVAL(22),
  EADDRINUSE(98),
  EADDRNOTAVAIL(99),
  ENETUNREACH(101),
  ENOTCONN(107),
  ETIMEDOUT(110),
  ECONNREFUSED(111);

  private final int value;

  Errno(int value) {
    this.value = value;
  }

  public int value() {
    return value;
  }
}
