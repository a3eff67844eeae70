// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Phase.Kind;
import org.wridscope.text.Format;

/**
 * One stage of a migration.
 *
 * @param round its number if it is a round, otherwise 0
 * @param detail how long it took, or empty
 */
public record Stage(String name, long round, State state, String detail) {

  /** The state of a stage. */
  public enum State {
    DONE,
    NOW,
    TO_COME,
    FAILED,
    /** Rounds that are left out between two others. */
    OMITTED
  }

  private static final Set<Kind> BEFORE = EnumSet.of(Kind.LISTEN, Kind.ATTACH);

  /** The way of each migration, with all of its rounds as one. */
  private static final List<Kind> WAY =
      List.of(Kind.CONNECT, Kind.SET_UP, Kind.ROUND, Kind.SWITCH_OVER);

  /** The largest number of rounds that are all shown. */
  private static final int ROUNDS = 3;

  /**
   * The stages so far and those to come.
   *
   * @param all phases of the session, oldest first
   * @param nowNanos now, or when the session ended
   */
  public static List<Stage> of(List<Phase> all, MigrationStatus status, long nowNanos) {
    List<Phase> phases = fromAttach(all);
    var stages = new ArrayList<Stage>();
    int rounds = (int) phases.stream().filter(Phase::isRound).count();
    int round = 0;
    int count = phases.size();
    // The phase that marks the end of a session is not a stage.
    boolean marked = status.isEnd() && count > 0 && phases.getLast().isEnd();
    for (int i = 0; i < (marked ? count - 1 : count); i++) {
      Phase phase = phases.get(i);
      boolean last = i == count - 1 || (marked && i == count - 2);
      if (phase.isRound() && rounds > ROUNDS && ++round > 1 && round <= rounds - (ROUNDS - 2)) {
        if (round == 2) {
          stages.add(new Stage("…", 0, State.OMITTED, ""));
        }
        continue;
      }
      long end = i == count - 1 ? nowNanos : phases.get(i + 1).nanos();
      String took = Format.duration(Math.max(0, end - phase.nanos()));
      State state = !last ? State.DONE : !status.isEnd() ? State.NOW : end(status);
      stages.add(new Stage(phase.name(), phase.round(), state, took));
    }
    if (!status.isEnd()) {
      ahead(phases.isEmpty() ? null : phases.getLast().kind(), stages);
      stages.add(new Stage("done", 0, State.TO_COME, ""));
    } else if (status == MigrationStatus.COMPLETED) {
      stages.add(new Stage("done", 0, State.DONE, ""));
    } else {
      stages.add(new Stage(status.qemuName(), 0, State.FAILED, ""));
    }
    return List.copyOf(stages);
  }

  /** Without the moment before a machine is attached. */
  private static List<Phase> fromAttach(List<Phase> phases) {
    return phases.size() > 1 && phases.get(1).kind() == Kind.ATTACH
        ? phases.subList(1, phases.size())
        : phases;
  }

  private static State end(MigrationStatus status) {
    return status == MigrationStatus.COMPLETED ? State.DONE : State.FAILED;
  }

  /** The number of the last round among stages; 0 if there was none. */
  static long rounds(List<Stage> stages) {
    return stages.stream().mapToLong(Stage::round).max().orElse(0);
  }

  private static void ahead(@Nullable Kind newest, List<Stage> stages) {
    Kind now = newest == Kind.HELD ? Kind.ROUND : newest;
    // Any other phase comes after these, such as the comparison of RAM.
    int done = now == null || BEFORE.contains(now) ? 0 : WAY.size();
    if (now != null && WAY.contains(now)) {
      done = WAY.indexOf(now) + 1;
    }
    for (Kind kind : WAY.subList(done, WAY.size())) {
      String name = kind == Kind.ROUND ? "rounds" : kind.text();
      stages.add(new Stage(name, 0, State.TO_COME, ""));
    }
  }
}
