// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.Event;
import org.wridscope.ui.Selected;

/** Describes a migration, or what is selected in it, in words. */
public final class Describer {
  private Describer() {}

  /**
   * Describes the selection.
   *
   * @param pair the shown sessions: a chunk is described at both ends
   * @param history the newest events of the selected chunk, oldest first
   * @param found how many events of it there are
   */
  public static Description describe(
      Selected selected, @Nullable SessionPair pair, List<Event> history, long found) {
    long origin = pair == null ? selected.session().telemetry().startNanos() : pair.originNanos();
    return switch (selected) {
      case Selected.Chunk chunk ->
          ChunkDescriber.describe(
              chunk.session(), chunk.block(), chunk.chunk(), pair, history, found);
      case Selected.Registration registration -> ChunkDescriber.describe(registration, pair);
      case Selected.LoggedEvent logged ->
          EventDescriber.describe(logged.session(), logged.event(), origin);
      case Selected.WorkRequest request -> RequestDescriber.describe(request, origin);
    };
  }

  /**
   * Describes a migration in which nothing is selected.
   *
   * @param readings what is read of a session
   */
  public static Description describe(SessionPair pair, Function<Session, Reading> readings) {
    return MigrationDescriber.describe(pair, readings);
  }
}
