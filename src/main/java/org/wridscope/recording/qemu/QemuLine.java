// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line in a trace log of any version of QEMU. The log may be what a console showed, or what a
 * service manager collected: text may precede an event, above all the prompt of the monitor.
 *
 * @param nanos since 1970, {@link #NO_TIME} when the line has no time with a date
 * @param event name of the trace event in QEMU 7.2, empty if it is none
 * @param text the arguments of the event; the whole line if it is none
 * @param before text before the event, without prompts of the monitor; usually empty
 */
record QemuLine(long nanos, String event, String text, String before) {
  static final long NO_TIME = -1;

  /** The name of an event of RDMA, which nothing else is likely to have. */
  private static final Pattern NAME =
      Pattern.compile("(?<![A-Za-z0-9_\"'`])(?:qemu_r?dma|rdma)_[a-z0-9_]+(?= |$)");

  private static final Pattern PROMPTS = Pattern.compile("^(?:\\(qemu\\)\\s?)+");

  static QemuLine of(String raw) {
    String line = raw.stripTrailing();
    QemuLine timed = QemuVersions.timed(line);
    if (timed != null) {
      return new QemuLine(timed.nanos, timed.event, timed.text, withoutPrompts(timed.before));
    }
    String start = withoutPrompts(line);
    QemuLine untimed = QemuVersions.untimed(start);
    if (untimed != null) {
      return untimed;
    }
    Matcher name = NAME.matcher(start);
    while (name.find()) {
      var found =
          new QemuLine(
              NO_TIME,
              QemuVersions.inQemu72(name.group()),
              start.substring(name.end()).stripLeading(),
              start.substring(0, name.start()));
      if (QemuEventParser.isWhole(found)) {
        return found;
      }
    }
    return new QemuLine(QemuConsole.nanos(line), "", line, "");
  }

  static String withoutPrompts(String text) {
    return PROMPTS.matcher(text).replaceFirst("");
  }

  boolean isEvent() {
    return !event.isEmpty();
  }
}
