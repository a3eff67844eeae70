// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.util.regex.Pattern;

/** Which programs are QEMUs that emulate a machine. */
public final class QemuProgram {
  private static final Pattern NAME = Pattern.compile("qemu-system-[\\w-]+|qemu-kvm|qemu|kvm");

  private QemuProgram() {}

  /**
   * Whether it is one.
   *
   * @param name of the program, without the directory; the kernel cuts names after fifteen bytes
   */
  public static boolean isNamed(String name) {
    return NAME.matcher(name).matches();
  }
}
