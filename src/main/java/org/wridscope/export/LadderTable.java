// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Ladder.Rung;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Writes the ladder of control messages; if it is long, only its first and last rungs. */
final class LadderTable {
  /** Number of rows shown at the beginning, and at the end. */
  private static final int EDGE = 40;

  private final Html html;
  private final Clock clock;

  private LadderTable(Html html, Clock clock) {
    this.html = html;
    this.clock = clock;
  }

  static void write(Html html, Ladder ladder, Clock clock) throws IOException {
    new LadderTable(html, clock).write(ladder);
  }

  private void write(Ladder ladder) throws IOException {
    long count = MessageRow.count(ladder);
    html.open("div", "class", "scroll").open("table", "class", "ladder").open("thead").open("tr");
    for (String head : List.of("source", "", "destination", "bytes", "took")) {
      html.element("th", head, "scope", "col");
    }
    html.close().close().open("tbody");
    long leftOut = Math.max(0, count - 2L * EDGE);
    long[] row = {0};
    MessageRow.forEach(
        ladder,
        clock,
        message -> {
          long at = row[0]++;
          if (at == EDGE && leftOut > 0) {
            html.open("tr", "class", "gap");
            html.element(
                "td",
                "%s messages are omitted here; a CSV table of messages contains all of them"
                    .formatted(Format.count(leftOut)),
                "colspan",
                "5");
            html.close();
          }
          if (at < EDGE || at >= EDGE + leftOut) {
            message(message);
          }
        });
    html.close().close().close();
  }

  private void message(MessageRow message) throws IOException {
    Rung rung = message.rung();
    boolean fromSource = rung.from() == Role.SOURCE;
    long atSource = fromSource ? rung.sentNanos() : rung.receivedNanos();
    long atDestination = fromSource ? rung.receivedNanos() : rung.sentNanos();
    String name = message.message();
    html.open("tr");
    html.element("td", moment(atSource), "class", "number");
    html.open("td", "class", fromSource ? "rung right" : "rung left");
    html.element(
        "span",
        (name == null ? "not decoded" : name) + (rung.dropped() ? ", completion dropped" : ""),
        "class",
        rung.dropped() ? "dropped" : "name");
    html.close();
    html.element("td", moment(atDestination), "class", "number");
    html.element("td", Format.count(rung.length()), "class", "number");
    boolean both = rung.sentNanos() != Ladder.UNKNOWN && rung.receivedNanos() != Ladder.UNKNOWN;
    long took = rung.receivedNanos() - rung.sentNanos();
    // The event of a SEND is written after its post, sometimes so late that the difference is
    // negative.
    html.element("td", both && took >= 0 ? Format.duration(took) : "", "class", "number");
    html.close();
  }

  private String moment(long nanos) {
    return nanos == Ladder.UNKNOWN ? "" : Format.moment(nanos - clock.originNanos());
  }
}
