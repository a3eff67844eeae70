// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line in a trace log of QEMU. The log may be what a console showed, or what a service manager
 * collected: text may precede an event, above all the prompt of the monitor.
 *
 * @param nanos since 1970, {@link #NO_TIME} when the line has no time
 * @param event name of the trace event in QEMU 7.2, empty if it is none
 * @param text the arguments of the event; the whole line if it is none
 * @param before text before the event, without prompts of the monitor; usually empty
 */
record QemuLine(long nanos, String event, String text, String before) {
  static final long NO_TIME = -1;

  /** {@code TID@SEC.USEC:EVENT ARGS}; an unterminated text may precede it. */
  private static final Pattern TIMED =
      Pattern.compile(
          "(?<!\\d)(\\d{1,10})@(\\d{1,10})\\.(\\d{6}):([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?: (.*))?$");

  private static final Pattern UNTIMED =
      Pattern.compile(
          "((?:qemu|savevm|loadvm|migrate|migration|ram_load|process_incoming|wridscope)_[a-z0-9_]+)(?:"
              + " (.*))?");

  /** The name of an event of RDMA, which nothing else is likely to have. */
  private static final Pattern NAME =
      Pattern.compile("(?<![A-Za-z0-9_\"'`])(?:qemu_r?dma|rdma)_[a-z0-9_]+(?= |$)");

  private static final Pattern PROMPTS = Pattern.compile("^(?:\\(qemu\\)\\s?)+");

  static QemuLine of(String raw) {
    String line = raw.stripTrailing();
    Matcher timed = TIMED.matcher(line);
    if (timed.find()) {
      long nanos =
          Long.parseLong(timed.group(2)) * 1_000_000_000L + Long.parseLong(timed.group(3)) * 1_000L;
      return new QemuLine(
          nanos,
          inQemu72(timed.group(4)),
          text(timed),
          withoutPrompts(line.substring(0, timed.start())));
    }
    String start = withoutPrompts(line);
    Matcher untimed = UNTIMED.matcher(start);
    if (untimed.matches()) {
      String text = untimed.group(2);
      return new QemuLine(NO_TIME, inQemu72(untimed.group(1)), text == null ? "" : text, "");
    }
    Matcher name = NAME.matcher(start);
    while (name.find()) {
      var found =
          new QemuLine(
              NO_TIME,
              inQemu72(name.group()),
              start.substring(name.end()).stripLeading(),
              start.substring(0, name.start()));
      if (QemuEventParser.isWhole(found)) {
        return found;
      }
    }
    return new QemuLine(NO_TIME, "", line, "");
  }

  private static String text(Matcher timed) {
    String text = timed.group(5);
    return text == null ? "" : text;
  }

  private static String withoutPrompts(String text) {
    return PROMPTS.matcher(text).replaceFirst("");
  }

  /** The name of an event in QEMU 7.2. Older and newer versions have other names for some. */
  static String inQemu72(String event) {
    if (event.startsWith("qemu_dma_")) {
      return "qemu_rdma_" + event.substring("qemu_dma_".length());
    }
    if (event.startsWith("rdma_registration_")) {
      return "qemu_" + event;
    }
    return event.equals("qemu_rdma_block_for_wrid_miss_b")
        ? "qemu_rdma_block_for_wrid_miss"
        : event;
  }

  boolean isEvent() {
    return !event.isEmpty();
  }
}
