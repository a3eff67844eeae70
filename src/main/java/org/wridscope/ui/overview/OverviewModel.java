// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Estimate;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.ui.overview.Tile.Mood;
import org.wridscope.ui.sessions.Migration;

/** The figures of the overview. Not thread-safe; {@link #sample} must be called regularly. */
public final class OverviewModel {
  /** The time before a moment of a recording over which rates are measured. */
  private static final long RATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Function<Session, Reading> readings;
  private final Rate processed = new Rate();
  private final Rate transferred = new Rate();
  private final TimeShares shares = new TimeShares();
  private @Nullable Session session;
  private @Nullable Session destination;
  private long now;

  /**
   * @param readings what is read of a session
   */
  public OverviewModel(Function<Session, Reading> readings) {
    this.readings = readings;
  }

  /** Sets whose figures these are from now on: the source's if it is here. */
  public void show(@Nullable SessionPair pair) {
    session = pair == null ? null : pair.leading();
    destination = pair == null ? null : pair.following();
    processed.clear();
    transferred.clear();
    shares.clear();
  }

  /**
   * Takes a sample of the metrics.
   *
   * @param nowNanos the time now, or when the session ended
   */
  public void sample(long nowNanos) {
    now = nowNanos;
    if (session == null) {
      return;
    }
    Metrics metrics = readings.apply(session).metrics();
    if (session.recorded().isPresent()) {
      lookBack(session, nowNanos);
    }
    if (!readings.apply(session).status().isEnd()) {
      processed.sample(nowNanos, metrics.get(Metric.RAM_PROCESSED));
      transferred.sample(nowNanos, metrics.get(Metric.RAM_TRANSFERRED));
      shares.sample(nowNanos, metrics);
    }
  }

  /** Takes the sample before from the history: a recording may stand still at any moment. */
  private void lookBack(Session recorded, long nowNanos) {
    processed.clear();
    transferred.clear();
    shares.clear();
    Metrics before = recorded.telemetry().history().lastBefore(nowNanos - RATE_NANOS);
    if (before != null) {
      processed.sample(nowNanos - RATE_NANOS, before.get(Metric.RAM_PROCESSED));
      transferred.sample(nowNanos - RATE_NANOS, before.get(Metric.RAM_TRANSFERRED));
      shares.sample(nowNanos - RATE_NANOS, before);
    }
  }

  public List<Stage> stages() {
    if (session == null) {
      return List.of();
    }
    SessionTelemetry telemetry = session.telemetry();
    return Stage.of(telemetry.phases(), telemetry.status(), now);
  }

  private boolean ended() {
    return session != null && readings.apply(session).status().isEnd();
  }

  /** Whether QEMU's own engine makes the migration, so that only what QMP tells is known. */
  private boolean byQemu() {
    return session != null && !session.showsRequests();
  }

  private long get(Metric metric) {
    return session == null ? 0 : readings.apply(session).metrics().get(metric);
  }

  /** Share of the RAM that has arrived, 0 to 1. */
  public double progress() {
    return session == null ? 0 : Migration.progress(session, readings.apply(session));
  }

  private boolean isDestination() {
    return session != null && session.role() == Role.DESTINATION;
  }

  private boolean tellsGuest() {
    return session == null || session.tellsGuest();
  }

  /** How much RAM has arrived. */
  public Tile progressTile() {
    long total = get(Metric.RAM_TOTAL);
    if (isDestination() && byQemu()) {
      return Tile.quiet("known at the source");
    }
    if (session == null || total == 0) {
      return Tile.quiet(ended() ? "nothing was sent" : "no RAM known yet");
    }
    String value = Format.percent(progress());
    if (!Migration.knowsProgress(session)) {
      return Tile.quiet("known at the source");
    }
    if (readings.apply(session).status() == MigrationStatus.COMPLETED) {
      long took = get(Metric.TOTAL_TIME);
      return new Tile(
          value,
          Format.bytes(total) + (took == 0 ? "" : " in %s".formatted(Format.duration(took))),
          Mood.GOOD);
    }
    if (isDestination()) {
      return Tile.plain(value, "of %s is registered or zero".formatted(Format.bytes(total)));
    }
    if (ended()) {
      // A failure after the last page, such as in the state of a device.
      return Tile.plain(
          value,
          get(Metric.RAM_REMAINING) == 0
              ? "all RAM, but %s".formatted(readings.apply(session).status().qemuName())
              : "of %s when it ended".formatted(Format.bytes(total)));
    }
    long round = get(Metric.DIRTY_SYNC_COUNT);
    if (round <= 1) {
      return Tile.plain(value, "of %s".formatted(Format.bytes(total)));
    }
    return Tile.plain(
        value,
        "round %s: %s of %s dirtied again"
            .formatted(round, Format.percent(roundShare()), Format.bytes(get(Metric.ROUND_BYTES))));
  }

  /** The share of this round that is processed, 0 to 1. */
  private double roundShare() {
    long bytes = get(Metric.ROUND_BYTES);
    return bytes == 0 ? 0 : Math.clamp((double) get(Metric.ROUND_PROCESSED) / bytes, 0, 1);
  }

  /** How fast RAM is processed. */
  public Tile throughputTile() {
    if (session != null && !session.recorded().map(Recorded::measuresTime).orElse(true)) {
      return Tile.quiet("the log has no times");
    }
    if (session != null && ended()) {
      Reading reading = readings.apply(session);
      return isDestination()
          ? Tile.quiet("known at the source")
          : Figure.PROCESSED_RATE.in(reading).orElse(0) == 0
              ? Tile.quiet("nothing was sent")
              : Tile.plain(
                  Figure.PROCESSED_RATE.text(reading),
                  "on average; %s on the wire"
                      .formatted(Format.bits((double) Figure.WIRE_RATE.in(reading).orElse(0))));
    }
    double rate = processed.perSecond();
    if (rate == 0) {
      return Tile.quiet("RAM processed per second");
    }
    return Tile.plain(
        Format.rate(rate), "%s on the wire".formatted(Format.bits(transferred.perSecond())));
  }

  /** How fast the guest dirties RAM. */
  public Tile dirtyTile() {
    long round = get(Metric.DIRTY_SYNC_COUNT);
    if (session == null || isDestination()) {
      return Tile.quiet(session == null ? "measured over round 1" : "known at the source");
    }
    OptionalLong rate = Figure.DIRTY_RATE.in(readings.apply(session));
    if (rate.isEmpty()) {
      return Tile.quiet(round <= 1 && !ended() ? "measured over round 1" : Figure.NOT_KNOWN);
    }
    boolean tooFast = !ended() && estimate().outlook() == Estimate.Outlook.DOES_NOT_CONVERGE;
    return new Tile(
        Figure.DIRTY_RATE.text(rate.getAsLong()),
        byQemu() ? "over the last round" : "over the newest rounds",
        tooFast ? Mood.WARNING : Mood.PLAIN);
  }

  /** How long the guest is paused. */
  public Tile downtimeTile() {
    long downtime = get(Metric.DOWNTIME);
    long limit = get(Metric.DOWNTIME_LIMIT);
    String within = "limit %s".formatted(Format.duration(limit));
    if (downtime > 0) {
      return new Tile(
          Format.duration(downtime),
          limit == 0 ? "the guest was paused" : within,
          limit == 0 || downtime <= limit ? Mood.GOOD : Mood.WARNING);
    }
    if (ended() || isDestination()) {
      return Tile.quiet(
          isDestination() ? "known at the source" : tellsGuest() ? "never paused" : "not known");
    }
    OptionalLong expected =
        session == null
            ? OptionalLong.empty()
            : Figure.EXPECTED_DOWNTIME.in(readings.apply(session));
    if (expected.isEmpty()) {
      return Tile.quiet(limit == 0 ? "not known yet" : within);
    }
    return Tile.plain(
        "≈ " + Figure.EXPECTED_DOWNTIME.text(expected.getAsLong()),
        (byQemu() ? "says QEMU; %s" : "%s, after this round").formatted(within));
  }

  /** How much RAM remains, and how long that takes. */
  public Tile remainingTile() {
    if (session == null || get(Metric.RAM_TOTAL) == 0) {
      return Tile.quiet(ended() ? "nothing was sent" : "no RAM known yet");
    }
    if (isDestination()) {
      return Tile.quiet("known at the source");
    }
    String remaining = Format.bytes(get(Metric.RAM_REMAINING));
    if (ended()) {
      return Tile.plain(
          remaining, get(Metric.RAM_REMAINING) == 0 ? "all RAM arrived" : "did not arrive");
    }
    if (byQemu()
        && (readings.apply(session).status() == MigrationStatus.DEVICE
            || session.heldBeforeSwitchover())) {
      return Tile.plain(remaining, "sent at the switch-over");
    }
    Estimate estimate = estimate();
    if (estimate.nanos() == Estimate.UNKNOWN) {
      return Tile.plain(
          remaining,
          estimate.outlook() == Estimate.Outlook.DOES_NOT_CONVERGE
              ? "no end in sight"
              : "no estimate yet");
    }
    String left = Format.duration(estimate.nanos());
    return Tile.plain(
        remaining,
        estimate.outlook() == Estimate.Outlook.FIRST_ROUND
            ? "≈ %s to end of round 1".formatted(left)
            : "≈ %s to switch-over".formatted(left));
  }

  /**
   * The moment whose memory is told: while RAM is sent, nobody counts it. Before the migration
   * until every end that is here has counted after it.
   */
  private Figure inUseWhen() {
    return inUse(session, Figure.RAM_IN_USE_AFTER).isPresent()
            && (destination == null || inUse(destination, Figure.RAM_IN_USE_AFTER).isPresent())
        ? Figure.RAM_IN_USE_AFTER
        : Figure.RAM_IN_USE_BEFORE;
  }

  /** The caption of {@link #inUseTile}, which says of which moment it is. */
  public String inUseTitle() {
    return inUseWhen().title();
  }

  /** How much of the RAM has memory, at each end. */
  public Tile inUseTile() {
    Figure when = inUseWhen();
    OptionalLong here = inUse(session, when);
    if (here.isEmpty()) {
      return Tile.quiet(Figure.NOT_KNOWN);
    }
    OptionalLong there = inUse(destination, when);
    return Tile.plain(
        when.text(here.getAsLong()),
        there.isEmpty()
            ? "%s never touched"
                .formatted(Format.bytes(Math.max(0, get(Metric.RAM_TOTAL) - here.getAsLong())))
            : "%s at the destination".formatted(when.text(there.getAsLong())));
  }

  /** What each end that is here tells of its memory, a line for each; empty without a session. */
  public String inUseOfEnds() {
    return Stream.of(Optional.ofNullable(session), Optional.ofNullable(destination))
        .flatMap(Optional::stream)
        .map(this::inUse)
        .collect(Collectors.joining("\n"));
  }

  private String inUse(Session end) {
    Reading reading = readings.apply(end);
    return "%s: in use %s before, %s after; never touched %s before, %s after"
        .formatted(
            end.role().text(),
            Figure.RAM_IN_USE_BEFORE.text(reading),
            Figure.RAM_IN_USE_AFTER.text(reading),
            Figure.NEVER_TOUCHED_BEFORE.text(reading),
            Figure.NEVER_TOUCHED_AFTER.text(reading));
  }

  private OptionalLong inUse(@Nullable Session of, Figure when) {
    return of == null ? OptionalLong.empty() : when.in(readings.apply(of));
  }

  /** Whether it will converge. */
  public Tile convergenceTile() {
    if (session == null || isDestination()) {
      return Tile.quiet(session == null ? "" : "known at the source");
    }
    if (ended()) {
      return endOfRounds(readings.apply(session).status());
    }
    if (session.heldBeforeSwitchover()) {
      return new Tile(
          "waits for you",
          session.guestRunning() ? "the guest keeps running" : "the guest is paused",
          Mood.WARNING);
    }
    if (readings.apply(session).status() == MigrationStatus.DEVICE) {
      return new Tile("yes, now", "the guest is paused", Mood.GOOD);
    }
    Estimate estimate = estimate();
    return switch (estimate.outlook()) {
      case UNKNOWN, FIRST_ROUND -> Tile.quiet(estimate.outlook().text());
      case CONVERGES -> Tile.plain("in ≈ %s rounds".formatted(estimate.rounds()), dirtiedShare());
      case SWITCH_OVER_NEXT ->
          new Tile(estimate.outlook().text(), "fits the downtime limit", Mood.GOOD);
      case DOES_NOT_CONVERGE ->
          new Tile(estimate.outlook().text(), estimate.advice(), Mood.WARNING);
    };
  }

  /** How the rounds ended. */
  private Tile endOfRounds(MigrationStatus status) {
    // QEMU also counts the synchronization at the switch-over.
    long rounds = byQemu() ? Math.max(1, Stage.rounds(stages())) : get(Metric.DIRTY_SYNC_COUNT);
    String after = rounds == 1 ? "1 round" : "%s rounds".formatted(rounds);
    if (status == MigrationStatus.COMPLETED) {
      return new Tile(
          "Converged", rounds == 0 ? "rounds not known" : "in %s".formatted(after), Mood.GOOD);
    }
    boolean hopeless = estimate().outlook() == Estimate.Outlook.DOES_NOT_CONVERGE;
    if (hopeless && get(Metric.DOWNTIME) == 0) {
      return new Tile(
          "did not converge", "%s after %s".formatted(status.qemuName(), after), Mood.WARNING);
    }
    return Tile.quiet(
        rounds == 0 ? status.qemuName() : "%s after %s".formatted(status.qemuName(), after));
  }

  /** The caption of {@link #convergenceTile}. */
  public String convergenceTitle() {
    return ended() ? "Convergence" : "Will it converge?";
  }

  private String dirtiedShare() {
    double share = (double) get(Metric.DIRTY_BYTES_RATE) / Math.max(1, get(Metric.BANDWIDTH));
    return "dirtied: %s of sent".formatted(Format.percent(share));
  }

  /** Whether and when it will converge. */
  public Estimate estimate() {
    return session == null
        ? Estimate.NONE
        : Estimate.of(readings.apply(session), processed.perSecond());
  }

  /** What limits the throughput now. */
  public Tile bottleneckTile() {
    if (session == null || isDestination()) {
      return Tile.quiet(session == null ? "" : "known at the source");
    }
    if (ended()) {
      return Tile.quiet("the migration has ended");
    }
    if (byQemu() && estimate().outlook() != Estimate.Outlook.DOES_NOT_CONVERGE) {
      return Tile.quiet("QEMU does not tell");
    }
    if (estimate().outlook() == Estimate.Outlook.DOES_NOT_CONVERGE) {
      return new Tile("dirty rate", "the guest dirties RAM as fast as it is sent", Mood.WARNING);
    }
    List<TimeShares.Share> list = shares.shares();
    if (list.isEmpty()) {
      Wait wait = session.telemetry().waitingFor();
      return Tile.quiet(wait == null ? "nothing measured yet" : "waits for " + wait.text());
    }
    TimeShares.Share top = list.getFirst();
    return Tile.plain(
        top.cause().text(), "%s of the engine's time".formatted(Format.percent(top.share())));
  }

  /** How the engine spends its time, the largest share first; empty if not measured. */
  public List<TimeShares.Share> shares() {
    return ended() ? List.of() : shares.shares();
  }
}
