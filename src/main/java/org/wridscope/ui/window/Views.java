// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.function.LongUnaryOperator;
import org.kordamp.ikonli.feather.Feather;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.completions.CompletionCharts;
import org.wridscope.ui.explain.ExplainView;
import org.wridscope.ui.log.LogView;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.registrations.RegistrationCharts;
import org.wridscope.ui.virtio.VirtioView;
import org.wridscope.ui.wrids.WridsView;

/** The views of a migration, in the order of their tabs. */
final class Views {
  private Views() {}

  /**
   * Adds all views.
   *
   * @param clock the time in the selected migration, given {@link System#nanoTime()}
   */
  static void addTo(
      ViewTabs tabs,
      TimeRange range,
      Selection selection,
      Analyses analyses,
      LongUnaryOperator clock,
      LogView log) {
    var overview =
        new OverviewView(
            clock,
            List.of(
                new OverviewView.Row(1, List.of(Charts.rates(range), Charts.remaining(range))),
                OverviewView.Row.ofRequests(
                    1.1, List.of(Charts.completions(range), Charts.registrations(range))),
                OverviewView.Row.ofRequests(1.4, List.of(new ChunksView(selection)))));
    tabs.add(overview, Feather.ACTIVITY, "how far, how fast, and what holds it up");
    tabs.addOfRequests(
        CompletionCharts.view(range),
        Feather.CHECK_SQUARE,
        "send and receive queues, completions and what is outstanding");
    tabs.addOfRequests(new ChunksView(selection), Feather.GRID, "the state of every chunk of RAM");
    tabs.addOfRequests(
        RegistrationCharts.view(range),
        Feather.LOCK,
        "memory regions, the RAM they pin, their cost");
    tabs.addOfRequests(
        new WridsView(range, selection, analyses),
        Feather.SHUFFLE,
        "every work request from its post to its completion");
    tabs.addOfRequests(
        new MessagesView(range, selection, analyses),
        Feather.REPEAT,
        "control messages between source and destination");
    tabs.addOfRequests(new VirtioView(), Feather.HARD_DRIVE, "the guest's virtqueues at both ends");
    tabs.add(
        new ExplainView(range, selection, analyses, tabs::open),
        Feather.MESSAGE_CIRCLE,
        "what happened and why, step by step, and findings");
    tabs.add(log, Feather.LIST, "every event");
  }
}
