// SPDX-License-Identifier: Apache-2.0
package org.wridscope.host;

import java.util.Locale;

/** The architecture of a processor. */
public enum Processor {
  X86_64,
  AARCH64,
  /** Any other, whose binary interface this program does not know. */
  OTHER;

  /** That of this machine. */
  public static final Processor HERE = of(architecture());

  /**
   * The one that an architecture's name stands for.
   *
   * @param architecture as in {@code os.arch}
   */
  public static Processor of(String architecture) {
    return switch (architecture) {
      case "amd64", "x86_64" -> X86_64;
      case "aarch64" -> AARCH64;
      default -> OTHER;
    };
  }

  /** How Java calls the architecture of this machine. */
  public static String architecture() {
    return System.getProperty("os.arch", "");
  }

  /** The QEMU whose machines have this processor. */
  public String qemu() {
    return "qemu-system-" + (this == OTHER ? architecture() : name().toLowerCase(Locale.ROOT));
  }

  /** Debian's package with {@link #qemu}. */
  public String qemuPackage() {
    return this == AARCH64 ? "qemu-system-arm" : "qemu-system-x86";
  }

  /** sizeof(pthread_mutex_t) of glibc, in bytes. */
  public int mutexSize() {
    return this == AARCH64 ? 48 : 40;
  }
}
