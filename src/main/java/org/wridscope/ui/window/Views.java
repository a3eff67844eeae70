// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import org.kordamp.ikonli.feather.Feather;
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Readings;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SelectionMenu;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.completions.CompletionCharts;
import org.wridscope.ui.explain.ExplainView;
import org.wridscope.ui.log.LogView;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.registrations.RegistrationCharts;
import org.wridscope.ui.remembered.StoredJson;
import org.wridscope.ui.virtio.VirtioView;
import org.wridscope.ui.window.ViewTabs.Subject;
import org.wridscope.ui.wrids.WridsView;

/** The views of a migration, in the order of their tabs. */
final class Views {
  private static final Set<Subject> ANY_MIGRATION =
      EnumSet.of(Subject.MIGRATION, Subject.MIGRATION_OF_QEMU);

  /** What Wridscope's engine and a trace log show: registrations, chunks, messages. */
  private static final Set<Subject> OF_ENGINE = EnumSet.of(Subject.MIGRATION);

  private Views() {}

  /**
   * Adds all views.
   *
   * @param readings what the window reads of sessions
   * @param choices keeps what the user has chosen in views
   * @param clock the time in the selected migration, given {@link System#nanoTime()}
   * @param failedAsExpected whether a migration failed as its scenario expects
   * @param background reads recordings
   */
  static void addTo(
      ViewTabs tabs,
      Readings readings,
      TimeRange range,
      Selection selection,
      Analyses analyses,
      Search search,
      StoredJson choices,
      LongUnaryOperator clock,
      Predicate<SessionPair> failedAsExpected,
      Executor background) {
    var menu = new SelectionMenu(range, selection, search, analyses, tabs::open);
    tabs.add(
        "Overview",
        Feather.ACTIVITY,
        "how far, how fast, and what holds it up",
        ANY_MIGRATION,
        () ->
            new OverviewView(
                readings,
                clock,
                failedAsExpected,
                List.of(
                    new OverviewView.Row(1, List.of(Charts.rates(range), Charts.remaining(range))),
                    OverviewView.Row.ofRequests(
                        1.1, List.of(Charts.completions(range), Charts.registrations(range))),
                    OverviewView.Row.ofRequests(
                        1.4,
                        List.of(
                            new ChunksView(
                                range, selection, search, () -> menu.items("Overview")))))));
    tabs.add(
        "Completions",
        Feather.CHECK_SQUARE,
        "send and receive queues, completions and what is outstanding",
        OF_ENGINE,
        () -> CompletionCharts.view(range));
    tabs.add(
        "Chunks",
        Feather.GRID,
        "the state of every chunk of RAM",
        OF_ENGINE,
        () -> new ChunksView(range, selection, search, () -> menu.items("Chunks")));
    tabs.add(
        "Registrations",
        Feather.LOCK,
        "memory regions, what they pin, their cost",
        EnumSet.of(Subject.MIGRATION, Subject.PROGRAM),
        () -> RegistrationCharts.view(range));
    tabs.add(
        "Wrids",
        Feather.SHUFFLE,
        "every work request from its post to its completion",
        EnumSet.of(Subject.MIGRATION, Subject.PROGRAM),
        () -> new WridsView(range, selection, analyses, search, () -> menu.items("Wrids")));
    tabs.add(
        "Messages",
        Feather.REPEAT,
        "control messages between source and destination",
        OF_ENGINE,
        () -> new MessagesView(range, selection, analyses, search, () -> menu.items("Messages")));
    tabs.add(
        "Virtio",
        Feather.HARD_DRIVE,
        "the guest's virtqueues at both ends",
        OF_ENGINE,
        () -> new VirtioView(range, background));
    tabs.add(
        "Explain",
        Feather.MESSAGE_CIRCLE,
        "what happened and why, step by step, and findings",
        EnumSet.allOf(Subject.class),
        () -> new ExplainView(range, selection, analyses, failedAsExpected, tabs::open));
    tabs.add(
        "Log",
        Feather.LIST,
        "every event",
        EnumSet.allOf(Subject.class),
        () -> new LogView(range, selection, analyses, search, choices, tabs::open));
  }
}
