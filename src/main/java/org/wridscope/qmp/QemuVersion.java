// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

/**
 * A QEMU's version.
 *
 * @param build what the one who built it added, for example {@code Debian 1:7.2+dfsg-7}; may be
 *     empty
 */
public record QemuVersion(int major, int minor, int micro, String build) {

  /** Whether it is no QEMU, but a Wridscope that answers like one. */
  public boolean isWridscope() {
    return build.startsWith("wridscope ");
  }

  /** Whether it is this version or a later one. */
  public boolean isAtLeast(int wantedMajor, int wantedMinor) {
    return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
  }

  @Override
  public String toString() {
    String numbers = "%d.%d.%d".formatted(major, minor, micro);
    return build.isBlank() ? numbers : numbers + " (" + build.strip() + ")";
  }
}
