// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.Format;

/**
 * One stage of a migration.
 *
 * @param detail how long it took, or empty
 */
public record Stage(String name, State state, String detail) {

  /** The state of a stage. */
  public enum State {
    DONE,
    NOW,
    TO_COME,
    FAILED,
    /** Rounds that are left out between two others. */
    OMITTED
  }

  /** A machine in another process is attached before the connection is established. */
  private static final String ATTACH = "attach";

  private static final Set<String> BEFORE = Set.of("listen", ATTACH);
  private static final String ROUND = "round ";
  private static final String ROUNDS_AHEAD = "rounds";
  private static final String HELD = "held";
  private static final List<String> WAY = List.of("connect", "set-up", ROUNDS_AHEAD, "switch-over");

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
    int rounds = (int) phases.stream().filter(Stage::isRound).count();
    int round = 0;
    int count = phases.size();
    // The phase that marks the end of a session is not a stage.
    boolean marked = status.isEnd() && count > 0 && phases.getLast().isEnd();
    for (int i = 0; i < (marked ? count - 1 : count); i++) {
      Phase phase = phases.get(i);
      boolean last = i == count - 1 || (marked && i == count - 2);
      if (isRound(phase) && rounds > ROUNDS && ++round > 1 && round <= rounds - (ROUNDS - 2)) {
        if (round == 2) {
          stages.add(new Stage("…", State.OMITTED, ""));
        }
        continue;
      }
      long end = i == count - 1 ? nowNanos : phases.get(i + 1).nanos();
      String took = Format.duration(Math.max(0, end - phase.nanos()));
      State state = !last ? State.DONE : !status.isEnd() ? State.NOW : end(status);
      stages.add(new Stage(phase.name(), state, took));
    }
    if (!status.isEnd()) {
      ahead(phases.isEmpty() ? "" : phases.getLast().name(), stages);
      stages.add(new Stage("done", State.TO_COME, ""));
    } else if (status == MigrationStatus.COMPLETED) {
      stages.add(new Stage("done", State.DONE, ""));
    } else {
      stages.add(new Stage(status.qemuName(), State.FAILED, ""));
    }
    return List.copyOf(stages);
  }

  /** Without the moment before a machine is attached. */
  private static List<Phase> fromAttach(List<Phase> phases) {
    return phases.size() > 1 && phases.get(1).name().equals(ATTACH)
        ? phases.subList(1, phases.size())
        : phases;
  }

  private static State end(MigrationStatus status) {
    return status == MigrationStatus.COMPLETED ? State.DONE : State.FAILED;
  }

  /** The number of the last round among stages; 0 if there was none. */
  static long rounds(List<Stage> stages) {
    return stages.stream()
        .filter(stage -> stage.name().startsWith(ROUND))
        .mapToLong(stage -> Long.parseLong(stage.name().substring(ROUND.length())))
        .max()
        .orElse(0);
  }

  private static boolean isRound(Phase phase) {
    return phase.name().startsWith(ROUND);
  }

  private static void ahead(String newest, List<Stage> stages) {
    String now = newest.startsWith(ROUND) || newest.equals(HELD) ? ROUNDS_AHEAD : newest;
    // Any other phase comes after these, such as the comparison of RAM.
    int done = newest.isEmpty() || BEFORE.contains(newest) ? 0 : WAY.size();
    if (WAY.contains(now)) {
      done = WAY.indexOf(now) + 1;
    }
    for (String name : WAY.subList(done, WAY.size())) {
      stages.add(new Stage(name, State.TO_COME, ""));
    }
  }
}
