// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;

/**
 * One step on the way of a migration.
 *
 * @param detail how long it took, or empty
 */
public record Stage(String name, State state, String detail) {

  /** Where a stage stands. */
  public enum State {
    DONE,
    NOW,
    TO_COME,
    FAILED,
    /** Stages that were left out between two others. */
    OMITTED
  }

  private static final String CONNECT = "connect";
  private static final String SET_UP = "set-up";
  private static final String ROUND = "round ";
  private static final String SWITCH_OVER = "switch-over";

  /** Rounds that are shown before those in the middle are left out. */
  private static final int ROUNDS = 4;

  /**
   * The way so far and the way ahead.
   *
   * @param phases of the session, oldest first
   * @param nowNanos now, or when the session ended
   */
  public static List<Stage> of(List<Phase> phases, MigrationStatus status, long nowNanos) {
    var stages = new ArrayList<Stage>();
    int rounds = (int) phases.stream().filter(Stage::isRound).count();
    int round = 0;
    for (int i = 0; i < phases.size(); i++) {
      Phase phase = phases.get(i);
      boolean last = i == phases.size() - 1;
      if (isRound(phase) && rounds > ROUNDS && ++round > 1 && round <= rounds - (ROUNDS - 2)) {
        if (round == 2) {
          stages.add(new Stage("…", State.OMITTED, ""));
        }
        continue;
      }
      long end = last ? nowNanos : phases.get(i + 1).nanos();
      String took = Format.duration(Math.max(0, end - phase.nanos()));
      State state = !last ? State.DONE : !status.isEnd() ? State.NOW : end(status);
      stages.add(new Stage(phase.name(), state, took));
    }
    String newest = phases.isEmpty() ? "" : phases.getLast().name();
    if (!status.isEnd()) {
      ahead(newest, stages);
      stages.add(new Stage("done", State.TO_COME, ""));
    } else if (status == MigrationStatus.COMPLETED) {
      stages.add(new Stage("done", State.DONE, ""));
    } else {
      stages.add(new Stage(status.qemuName(), State.FAILED, ""));
    }
    return List.copyOf(stages);
  }

  private static State end(MigrationStatus status) {
    return status == MigrationStatus.COMPLETED ? State.DONE : State.FAILED;
  }

  private static boolean isRound(Phase phase) {
    return phase.name().startsWith(ROUND);
  }

  private static void ahead(String newest, List<Stage> stages) {
    int at =
        newest.equals(SWITCH_OVER)
            ? 4
            : newest.startsWith(ROUND)
                ? 3
                : newest.equals(SET_UP) ? 2 : newest.equals(CONNECT) ? 1 : 0;
    String[] way = {CONNECT, SET_UP, "rounds", SWITCH_OVER};
    for (int i = at; i < way.length; i++) {
      stages.add(new Stage(way[i], State.TO_COME, ""));
    }
  }
}
