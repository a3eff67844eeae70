// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.Session;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;

/**
 * Shows the progress of a session: on a terminal as two lines that are redrawn ten times per
 * second, elsewhere as a line every two seconds, or only one line while a destination waits for a
 * source. The bar shows the current round only: because the guest dirties RAM meanwhile, a share of
 * the whole migration would be a guess.
 */
final class ProgressDisplay {
  private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The throughput is averaged over this time. */
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int BAR_CELLS = 30;

  /** Bytes of RAM that had been processed at a time. */
  private record Sample(long nanos, long processed) {}

  private final Terminal terminal;
  private final LongSupplier clock;
  private final Session of;
  private final SessionTelemetry session;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();
  private final boolean blocks;
  private long start;
  private boolean waiting;
  private @Nullable Long shown;
  private @Nullable Banner introduced;

  /**
   * @param clock nanoseconds, as {@link System#nanoTime()}
   */
  ProgressDisplay(Terminal terminal, LongSupplier clock, Session of) {
    this.terminal = terminal;
    this.clock = clock;
    this.of = of;
    session = of.telemetry();
    start = clock.getAsLong();
    blocks = terminal.canShow("█░");
  }

  /** Shows the present state if it is time to do so. To be called frequently. */
  void update() {
    introduce();
    long now = clock.getAsLong();
    long interval = terminal.redraws() ? REDRAW_NANOS : LINE_NANOS;
    if (shown != null && now - shown < interval) {
      return;
    }
    shown = now;
    samples.addLast(new Sample(now, get(Metric.RAM_PROCESSED)));
    // Keeps one sample that is older than the window, so that the samples cover all of it.
    while (samples.size() > 2 && now - secondOldest().nanos >= WINDOW_NANOS) {
      samples.removeFirst();
    }
    boolean waited = waiting;
    waiting = session.status() == MigrationStatus.NONE;
    if (waited && !waiting) {
      start = now;
    }
    if (terminal.redraws()) {
      terminal.redraw(List.of(stageLine(), numbersLine(now)));
    } else if (!waited || !waiting) {
      terminal.message(plainLine(now));
    }
  }

  /** Says once which device and connection the session uses. */
  private void introduce() {
    Banner banner = session.banner();
    if (banner != null && !banner.equals(introduced)) {
      introduced = banner;
      terminal.message(session.role().text() + ": " + EventText.banner(banner));
    }
  }

  private String stageLine() {
    if (!inRound()) {
      return "%-12s %s".formatted(stage(), otherWork());
    }
    double share = roundShare();
    int full = (int) (share * BAR_CELLS);
    String bar =
        terminal.coloured(Terminal.Colour.BAR, (blocks ? "█" : "#").repeat(full))
            + (blocks ? "░" : "-").repeat(BAR_CELLS - full);
    return "%-12s %s %5s of %s".formatted(stage(), bar, Format.percent(share), roundText());
  }

  private String numbersLine(long now) {
    return "%-12s %s"
        .formatted(elapsed(now), inRound() ? numbers() : downtime(of.reading()))
        .stripTrailing();
  }

  private String plainLine(long now) {
    String stage = stage();
    return inRound()
        ? "%9s  %s: %s of %s, %s"
            .formatted(
                elapsed(now),
                stage,
                Format.percent(roundShare()),
                roundText(),
                numbers().strip().replaceAll(" {2,}", ", "))
        : "%9s  %s %s".formatted(elapsed(now), stage, otherWork()).stripTrailing();
  }

  private String numbers() {
    Reading reading = of.reading();
    return String.format(
            Locale.ROOT,
            "%10s  dirty %-11s  left %-8s  %s",
            Format.rate(throughput()),
            knownOrDash(Figure.DIRTY_RATE, reading),
            knownOrDash(Figure.RAM_REMAINING, reading),
            downtime(reading))
        .stripTrailing();
  }

  /** The downtime, or the expected downtime until it is known. */
  private static String downtime(Reading reading) {
    if (Figure.DOWNTIME.in(reading).isPresent()) {
      return "downtime " + Figure.DOWNTIME.text(reading);
    }
    return Figure.EXPECTED_DOWNTIME.in(reading).isPresent()
        ? "downtime ~ " + Figure.EXPECTED_DOWNTIME.text(reading)
        : "";
  }

  /** In a line with fixed columns, a dash says that a figure is not known. */
  private static String knownOrDash(Figure figure, Reading reading) {
    return figure.in(reading).isPresent() ? figure.text(reading) : "-";
  }

  private String stage() {
    List<Phase> phases = session.phases();
    return phases.isEmpty() ? "start" : phases.getLast().name();
  }

  /** Whether RAM is being sent: after the set-up, and before the switch-over is complete. */
  private boolean inRound() {
    return get(Metric.ROUND_BYTES) > 0
        && get(Metric.DOWNTIME) == 0
        && (session.status() == MigrationStatus.ACTIVE
            || session.status() == MigrationStatus.PRE_SWITCHOVER
            || session.status() == MigrationStatus.DEVICE);
  }

  private double roundShare() {
    double share = (double) get(Metric.ROUND_PROCESSED) / get(Metric.ROUND_BYTES);
    return Math.clamp(share, 0.0, 1.0);
  }

  private String roundText() {
    String bytes = Format.bytes(get(Metric.ROUND_BYTES));
    if (session.status() == MigrationStatus.DEVICE) {
      return bytes + ", guest paused";
    }
    return get(Metric.DIRTY_SYNC_COUNT) > 1 ? bytes + " dirtied again" : bytes;
  }

  /** What the session does before and after the rounds. */
  private String otherWork() {
    long registered = get(Metric.REGISTERED_BYTES);
    Wait waitingFor = session.waitingFor();
    String wait = waitingFor == null ? "" : "waiting for " + waitingFor.text();
    if (registered == 0
        || (session.role() == Role.SOURCE && session.status() != MigrationStatus.SETUP)) {
      return wait;
    }
    String text =
        "registered %s of %s"
            .formatted(Format.bytes(registered), Format.bytes(get(Metric.RAM_TOTAL)));
    // A destination is not notified of writes to its memory, so its wait is shown, too.
    return session.role() == Role.SOURCE || wait.isEmpty() ? text : text + ", " + wait;
  }

  /** In tenths of a second, because smaller units would flicker. */
  private String elapsed(long now) {
    long nanos = now - start;
    return nanos < TimeUnit.MINUTES.toNanos(1)
        ? String.format(Locale.ROOT, "%.1f s", nanos / 1e9)
        : Format.duration(nanos);
  }

  private double throughput() {
    Sample oldest = samples.getFirst();
    Sample newest = samples.getLast();
    long nanos = newest.nanos - oldest.nanos;
    return nanos == 0 ? 0 : (newest.processed - oldest.processed) * 1e9 / nanos;
  }

  private Sample secondOldest() {
    var iterator = samples.iterator();
    iterator.next();
    return iterator.next();
  }

  private long get(Metric metric) {
    return session.metrics().get(metric);
  }
}
