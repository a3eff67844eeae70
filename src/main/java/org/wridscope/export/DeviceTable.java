// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.CountedByDevice.Total;
import org.wridscope.text.Format;

/** Writes what the devices counted, with a row for each counter that changed. */
final class DeviceTable {
  private DeviceTable() {}

  /** Whether a device counted anything; a software device does not. */
  static boolean isNeeded(List<EndReading> ends) {
    return ends.stream().anyMatch(end -> !end.requests().counted().totals().isEmpty());
  }

  static void write(Html html, List<EndReading> ends, Clock clock) throws IOException {
    html.element(
        "p", CountedByDevice.WHOSE + " Samples were taken once a second.", "class", "muted");
    html.open("div", "class", "scroll").open("table").open("thead").open("tr");
    for (String head : List.of("counter", "device", "end", "counted", "from", "to", "means")) {
      html.element("th", head, "scope", "col");
    }
    html.close().close().open("tbody");
    for (EndReading end : ends) {
      for (Total total : end.requests().counted().totals()) {
        html.open("tr").element("th", total.counter().name(), "scope", "row");
        html.element("td", total.counter().place());
        html.element("td", end.end());
        html.element("td", total.count(), "class", "number");
        html.element("td", moment(total.firstNanos(), clock), "class", "number");
        html.element("td", moment(total.lastNanos(), clock), "class", "number");
        html.element("td", total.means().isEmpty() ? "not known" : total.means()).close();
      }
    }
    html.close().close().close();
  }

  private static String moment(long nanos, Clock clock) {
    return Format.moment(nanos - clock.originNanos());
  }
}
