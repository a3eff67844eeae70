// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Meaning.Kind;

/** Reads a command that the firmware of a device refused. */
final class FirmwareReader {
  private static final Pattern FIRMWARE =
      Pattern.compile(
          "([a-z0-9_]+)\\((0x[0-9a-f]+)\\) op_mod\\(0x[0-9a-f]+\\) failed, status [^(]*"
              + "\\((0x[0-9a-f]{1,4})\\), syndrome \\((0x[0-9a-f]+)\\)(?:, err\\((-?[0-9]{1,5})\\))?");

  /** A command that DPDK's driver of mlx5 sent through the kernel (DevX). */
  private static final Pattern DEVX =
      Pattern.compile(
          "devx (.{1,60}?) failed errno=([0-9]{1,5}) status=(0x[0-9a-f]{1,4}) syndrome=(0x[0-9a-f]+)");

  private final Reading line;

  private FirmwareReader(Reading line) {
    this.line = line;
  }

  /** Reads a line; returns whether it is about such a command. */
  static boolean read(Reading line) {
    return new FirmwareReader(line).read();
  }

  private boolean read() {
    if (line.lower.contains(" op_mod(")) {
      Matcher command = FIRMWARE.matcher(line.lower);
      if (command.find()) {
        refusal(
            "the command %s (%s)"
                .formatted(command.group(1).toUpperCase(Locale.ROOT), command.group(2)),
            command.group(3),
            command.group(4),
            command.group(5));
        return true;
      }
    }
    Matcher devx = DEVX.matcher(line.lower);
    if (line.lower.contains("devx") && devx.find()) {
      refusal("a command of DevX", devx.group(3), devx.group(4), devx.group(2));
      return true;
    }
    return false;
  }

  private void refusal(String command, String statusOfIt, String syndrome, @Nullable String err) {
    long number = Long.parseLong(statusOfIt.substring(2), 16);
    Meanings.numbered(Kind.FIRMWARE_STATUS, number).forEach(line.meanings::add);
    if (line.meanings.isEmpty()) {
      line.remarks.add("The status %#x of the firmware is not known.".formatted(number));
    }
    if (err != null) {
      line.errno(Math.abs(Long.parseLong(err)));
    }
    line.remarks.add(
        "The firmware of the device refused %s. The syndrome %s is a code of the"
                .formatted(command, syndrome)
            + " firmware for the exact reason, which its maker can look up: no completion status.");
  }
}
