// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.Requests;
import org.wridscope.verbs.DeviceCounter;

/** What the devices of sessions counted, as lines of text; none on a software device. */
final class DeviceSummary {
  private DeviceSummary() {}

  /**
   * A line for each counter that changed.
   *
   * @param ends of one migration; of an end that has no other counters than those before it,
   *     nothing is said, because both use the same port
   */
  static List<String> lines(List<Requests> ends) {
    var lines = new ArrayList<String>();
    var told = new ArrayList<DeviceCounter>();
    for (Requests end : ends) {
      List<DeviceCounter> counters =
          end.counted().totals().stream().map(CountedByDevice.Total::counter).toList();
      if (told.containsAll(counters)) {
        continue;
      }
      told.addAll(counters);
      lines.add(ProgramSummary.line("device counted", CountedByDevice.WHOSE));
      for (CountedByDevice.Total total : end.counted().totals()) {
        String means = total.means();
        lines.add(
            ProgramSummary.line(
                "",
                "%s %s on %s%s"
                    .formatted(
                        total.count(),
                        total.counter().name(),
                        total.counter().place(),
                        means.isEmpty() ? "" : ": " + means)));
      }
    }
    return lines;
  }
}
