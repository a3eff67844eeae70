// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javafx.application.Platform;
import org.wridscope.analysis.Requests;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.FrameMeter;
import org.wridscope.ui.RockingView;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;

/**
 * Measures the wrid view with a million requests at several zooms, redrawn in every frame.
 * Arguments: width and height of the view, seconds for each, number of requests.
 */
public final class WridBenchmark {
  private WridBenchmark() {}

  public static void main(String[] args) throws InterruptedException {
    int width = args.length > 0 ? Integer.parseInt(args[0]) : 1280;
    int height = args.length > 1 ? Integer.parseInt(args[1]) : 800;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    int count = args.length > 3 ? Integer.parseInt(args[3]) : 1_000_000;
    Platform.startup(() -> {});
    var source = new FakeSession("b source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
    var destination = new FakeSession("b dest", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
    var requests = new ScriptedRequests(source.telemetry(), destination.telemetry(), 1);
    requests.writes(count, 9_000);
    long began = System.nanoTime();
    Requests index = new Requests(source.telemetry()).readAll();
    System.out.printf(
        "%,d events of the source, %,d requests, read in %.0f ms%n",
        source.telemetry().log().size(),
        index.sends().end() + index.receives().end(),
        (System.nanoTime() - began) / 1e6);
    var pair = new SessionPair(source, destination);
    long whole = requests.lastNanos();
    for (long shown : new long[] {whole, whole / 100, whole / 10_000, 20_000}) {
      for (boolean marks : new boolean[] {false, true}) {
        measure(pair, whole, shown, marks, width, height, seconds);
      }
    }
    Platform.exit();
  }

  private static void measure(
      SessionPair pair, long whole, long shown, boolean marks, int width, int height, int seconds)
      throws InterruptedException {
    var frames = new AtomicLong();
    FrameMeter.measure(
        "%,d us of %,d ms%s"
            .formatted(shown / 1000, whole / 1_000_000, marks ? ", a chunk marked" : ""),
        () -> {
          var range = new TimeRange();
          range.reset(pair.originNanos());
          var selection = new Selection();
          var analyses = new Analyses();
          pair.sessions().forEach(session -> analyses.of(session).readAll());
          var view =
              new WridsView(
                  range, selection, analyses, new Search(range, selection, analyses), List::of);
          view.show(pair);
          if (marks) {
            selection.select(new Selected.Chunk(pair.leading(), 0, 17));
          }
          long middle = pair.originNanos() + whole / 2;
          range.hold(middle - shown / 2, middle + shown / 2);
          return new RockingView(view, range, frames);
        },
        width,
        height,
        seconds,
        frames);
  }
}
