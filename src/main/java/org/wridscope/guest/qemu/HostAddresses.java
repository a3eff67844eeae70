// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.qmp.QemuMonitor;

/**
 * Where a QEMU has its memory back ends in its own address space, which tells memory files of the
 * same name and length apart. QEMU has no QMP command for it, so its human monitor is asked.
 */
final class HostAddresses {
  /** A range of a flat view, for example {@code 00c0000-3ffffff (prio 0, ram): ram0 @00c0000}. */
  private static final Pattern RANGE =
      Pattern.compile(
          "\\s*([0-9a-f]{1,16})-[0-9a-f]{1,16} \\(prio -?\\d+, ram\\): (\\S+)(?:"
              + " @([0-9a-f]{1,16}))?(?: KVM)?\\s*");

  /** For example {@code Host virtual address for 0x0 (ram0) is 0x7f0aa3e00000}. */
  private static final Pattern ADDRESS =
      Pattern.compile("Host virtual address for 0x[0-9a-f]+ \\((.*)\\) is 0x([0-9a-f]{1,16})\\s*");

  private final QemuMonitor monitor;
  private final String ranges;

  /** Reads where the guest sees its memory. */
  HostAddresses(QemuMonitor monitor) throws IOException {
    this.monitor = monitor;
    ranges = Ask.query(() -> monitor.humanMonitor("info mtree -f"));
  }

  /**
   * The address in QEMU's process of the first byte of a memory region; empty if QEMU does not
   * tell.
   *
   * @param name of the region, which is that of the RAM block without the device
   */
  OptionalLong of(String name) throws IOException {
    for (String line : ranges.lines().toList()) {
      Matcher range = RANGE.matcher(line);
      if (range.matches() && range.group(2).equals(name)) {
        long offset = range.group(3) == null ? 0 : Long.parseUnsignedLong(range.group(3), 16);
        String question = "gpa2hva 0x" + range.group(1);
        Matcher answer = ADDRESS.matcher(Ask.query(() -> monitor.humanMonitor(question)).strip());
        if (answer.matches() && answer.group(1).equals(name)) {
          return OptionalLong.of(Long.parseUnsignedLong(answer.group(2), 16) - offset);
        }
      }
    }
    return OptionalLong.empty();
  }
}
