// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Recorded;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.figures.Reading;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Legible;

/**
 * One entry of the list: a migration with its one or two sessions in this process, or one that is
 * ready to start. For the JavaFX thread only.
 */
public final class Migration implements Row {
  private static final int LONGEST_NAME = 100;

  private final String name;
  private final @Nullable LabSettings settings;

  /** The title of the scenario of which it is a run. */
  private final @Nullable String scenario;

  private final Sparkline sparkline = new Sparkline();
  private @Nullable SessionPair pair;
  private @Nullable Reading reading;
  private long endNanos;

  /** The verdict on it as a run of a scenario; null if it is none, or has not been judged. */
  private @Nullable Verdict verdict;

  /** The name that the user has given. */
  private @Nullable String givenName;

  /**
   * @param name before it has sessions
   */
  private Migration(
      String name,
      @Nullable LabSettings settings,
      @Nullable String scenario,
      @Nullable SessionPair pair) {
    this.name = name;
    this.settings = settings;
    this.scenario = scenario;
    this.pair = pair;
  }

  /** A lab migration that is ready to start. */
  static Migration ready(String name, LabSettings settings) {
    return new Migration(name, settings, null, null);
  }

  static Migration of(SessionPair pair) {
    return new Migration("", null, null, pair);
  }

  /**
   * A run of a scenario.
   *
   * @param scenario its title
   */
  static Migration run(SessionPair pair, String scenario) {
    return new Migration("", null, scenario, pair);
  }

  /** The name that the window shows. */
  public String name() {
    return givenName != null ? givenName : pair == null ? name : MigrationName.of(pair, scenario);
  }

  /** Its RAM and its limits, as far as they are known; may be empty. */
  public String limits() {
    return pair == null ? "" : MigrationName.limits(pair);
  }

  /** Gives it another name; a blank one restores its own. */
  public void rename(String newName) {
    String stripped = Legible.of(newName.strip());
    givenName =
        stripped.isEmpty()
            ? null
            : stripped.substring(0, Math.min(stripped.length(), LONGEST_NAME));
  }

  /** The title of the scenario of which it is a run; empty if it is none. */
  public Optional<String> scenario() {
    return Optional.ofNullable(scenario);
  }

  /** The settings of a migration that is ready to start; otherwise null. */
  public @Nullable LabSettings settings() {
    return pair == null ? settings : null;
  }

  /** Its sessions; null if it has not been started. */
  public @Nullable SessionPair pair() {
    return pair;
  }

  /** Shows other sessions than before. */
  void setPair(SessionPair newPair) {
    pair = newPair;
    reading = null;
    endNanos = 0;
    verdict = null;
  }

  /** Whether it is recorded. */
  public boolean recorded() {
    return pair != null && pair.leading().recorded().isPresent();
  }

  /** The scenario of which it is a recorded run under a schedule; empty if it is none. */
  public Optional<ScenarioFile> recordedScenario() {
    return Optional.ofNullable(pair)
        .flatMap(shown -> shown.leading().recorded())
        .map(Recorded::scenario);
  }

  /** Whether one of its sessions has not ended; false if it is recorded, or stands still. */
  public boolean running() {
    return pair != null && !pair.ended() && pair.leading().isLive();
  }

  /** Whether it has sessions, and all of them have ended. */
  public boolean ended() {
    return pair != null && pair.ended();
  }

  boolean has(Session session) {
    return pair != null && pair.sessions().contains(session);
  }

  /**
   * The time that views show: now, or the end of the migration, or the shown moment of its
   * recording.
   */
  public long clock(long nowNanos) {
    return endNanos != 0 ? endNanos : pair != null ? pair.clock(nowNanos) : nowNanos;
  }

  /** The transferred RAM over time, for a small picture. */
  public Sparkline sparkline() {
    return sparkline;
  }

  /** The status of the source if it is in this process, otherwise of the destination. */
  public MigrationStatus status() {
    return pair == null ? MigrationStatus.NONE : pair.leading().status();
  }

  /** Share of the RAM that has arrived, 0 to 1; it decreases when the guest writes again. */
  public double progress() {
    return pair == null ? 0 : progress(pair.leading(), reading(pair));
  }

  /** Whether the share of the RAM that has arrived is known. */
  public boolean knowsProgress() {
    return pair != null && knowsProgress(pair.leading());
  }

  /**
   * Whether the share of a session's RAM that has arrived is known. It is unknown for a destination
   * that ended without completing: it has deregistered its RAM, and never sees RDMA WRITEs. A QEMU
   * does not tell it while it is a destination.
   */
  public static boolean knowsProgress(Session session) {
    return session.migrates()
        && (session.role() == Role.SOURCE
            || session.status() == MigrationStatus.COMPLETED
            || (session.showsRequests() && !session.status().isEnd()));
  }

  /** What the window's texts read of the leading end. */
  public Reading reading(SessionPair of) {
    Reading known = reading;
    return known == null ? of.leading().reading() : known;
  }

  /**
   * Share of a session's RAM that has arrived, 0 to 1.
   *
   * @param reading what is read of it
   */
  public static double progress(Session session, Reading reading) {
    if (reading.status() == MigrationStatus.COMPLETED) {
      return 1;
    }
    return session.role() == Role.DESTINATION
        ? touched(session.telemetry().blocks())
        : reading.arrived().orElse(0);
  }

  /** A destination does not see RDMA WRITEs, only which chunks the source has registered. */
  private static double touched(List<ChunkTable> blocks) {
    long chunks = 0;
    long untouched = 0;
    for (ChunkTable block : blocks) {
      chunks += block.chunkCount();
      untouched += block.count(ChunkState.NOT_REGISTERED);
    }
    return chunks == 0 ? 0 : (double) (chunks - untouched) / chunks;
  }

  /** How it ended, one sentence or more; null while it has not. */
  public @Nullable String outcome() {
    if (pair == null) {
      return null;
    }
    Ending ending = pair.ending();
    if (ending != null) {
      return ending.sentence();
    }
    String outcome = pair.leading().outcome();
    if (outcome == null && pair.destination() != null) {
      outcome =
          pair.destination().status() == MigrationStatus.COMPLETED
              ? null
              : pair.destination().outcome();
    }
    return outcome;
  }

  /** Whether it completed, but a check of the result failed or could not be made. */
  public boolean unsound() {
    Ending ending = pair == null ? null : pair.ending();
    return ending != null && ending.state() == State.UNSOUND;
  }

  /** Judges it as a run of a scenario, of which both ends have ended or hang. */
  public void judge(Verdict newVerdict) {
    verdict = newVerdict;
  }

  /** Whether it failed as its scenario expects; false until it has been judged. */
  public boolean failedAsExpected() {
    return verdict != null && verdict.good() && status() == MigrationStatus.FAILED;
  }

  void sample(long nowNanos, Function<Session, Reading> readings) {
    if (pair != null) {
      reading = readings.apply(pair.leading());
    }
    if (pair == null || endNanos != 0) {
      return;
    }
    sparkline.add(
        clock(nowNanos), pair.leading().telemetry().metrics().get(Metric.RAM_TRANSFERRED));
    if (pair.ended() && pair.leading().isLive()) {
      endNanos = end(pair, nowNanos);
    }
  }

  /** When the last session ended: the last phase of a session has the name of its status. */
  private static long end(SessionPair pair, long nowNanos) {
    long last = Long.MIN_VALUE;
    for (Session session : pair.sessions()) {
      List<Phase> phases = session.telemetry().phases();
      boolean marked = session.status().isEnd() && !phases.isEmpty() && phases.getLast().isEnd();
      last = Math.max(last, marked ? phases.getLast().nanos() : nowNanos);
    }
    return last;
  }
}
