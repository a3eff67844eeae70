// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.wridscope.analysis.Latencies;
import org.wridscope.analysis.RequestKind;
import org.wridscope.text.Format;

/** Writes the latencies of requests, with a row and a histogram for each kind at each end. */
final class LatencyTable {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  private final Html html;

  private LatencyTable(Html html) {
    this.html = html;
  }

  static void write(Html html, List<EndReading> ends) throws IOException {
    new LatencyTable(html).write(ends);
  }

  private void write(List<EndReading> ends) throws IOException {
    html.open("div", "class", "scroll").open("table").open("thead").open("tr");
    for (String head :
        List.of("", "100 ns to 10 s", "requests", "p50", "p90", "p99", "p99.9", "longest")) {
      html.element("th", head, "scope", "col");
    }
    html.close().close().open("tbody");
    for (EndReading end : ends) {
      for (RequestKind kind : RequestKind.values()) {
        Latencies latencies = end.requests().latencies();
        if (latencies.count(kind) > 0) {
          html.open("tr");
          html.element("th", end.end() + ", " + kind.text(), "scope", "row");
          html.open("td");
          histogram(latencies, kind);
          html.close();
          html.element("td", Format.count(latencies.count(kind)), "class", "number");
          for (double percentile : PERCENTILES) {
            html.element(
                "td", Format.duration(latencies.percentile(kind, percentile)), "class", "number");
          }
          html.close();
        }
      }
    }
    html.close().close().close();
    html.element(
        "p",
        "Signaled requests that succeeded. Bars: 100 ns to 10 s on a logarithmic scale, four per"
            + " decade; their height is the square root of the number of requests.",
        "class",
        "muted");
  }

  /** Four bars a decade, from 100 ns to 10 s. */
  private void histogram(Latencies latencies, RequestKind kind) throws IOException {
    int bars = 32;
    long[] counts = new long[bars];
    long most = 1;
    for (int i = 0; i < bars; i++) {
      // The first and the last bar include all shorter and longer times.
      long low = i == 0 ? 0 : bound(i);
      long high = i == bars - 1 ? Long.MAX_VALUE : bound(i + 1) - 1;
      counts[i] = latencies.between(kind, low, high);
      most = Math.max(most, counts[i]);
    }
    html.open(
        "svg",
        "class",
        "histogram",
        "viewBox",
        "0 0 160 28",
        "role",
        "img",
        "aria-label",
        "latencies of " + kind.text());
    html.empty("path", "class", "grid", "d", "M0 27.5H160");
    for (int i = 0; i < bars; i++) {
      if (counts[i] > 0) {
        double height = Math.max(2, 26 * Math.sqrt((double) counts[i] / most));
        html.open(
            "rect",
            "x",
            String.valueOf(i * 5),
            "y",
            String.format(Locale.ROOT, "%.1f", 27 - height),
            "width",
            "4",
            "height",
            String.format(Locale.ROOT, "%.1f", height));
        html.element(
            "title",
            "%s took %s to %s"
                .formatted(
                    Format.count(counts[i]),
                    Format.duration(bound(i)),
                    Format.duration(bound(i + 1))));
        html.close();
      }
    }
    html.close();
  }

  private static long bound(int bar) {
    return Math.round(100 * Math.pow(10, bar / 4.0));
  }
}
