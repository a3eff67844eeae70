// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.sessions.Migration;

/** How migrations were started here, so that they can be started again. For the JavaFX thread. */
final class Origins {
  private final Map<Migration, Origin> origins = new HashMap<>();

  /**
   * How a migration was started.
   *
   * @param repeat starts it again, with the same inputs
   * @param edit opens what it was started from, with its inputs; receives why it failed, empty if
   *     it did not; null if it was started without inputs
   */
  record Origin(Runnable repeat, @Nullable Consumer<String> edit) {}

  void add(Migration migration, Origin origin) {
    origins.put(migration, origin);
  }

  boolean canRepeat(Migration migration) {
    return !migration.running() && origins.containsKey(migration);
  }

  boolean canEdit(Migration migration) {
    Origin origin = origins.get(migration);
    return !migration.running() && origin != null && origin.edit != null;
  }

  /** Starts an ended migration again, with the same inputs. */
  void repeat(Migration migration) {
    Origin origin = origins.get(migration);
    if (origin != null && canRepeat(migration)) {
      origin.repeat.run();
    }
  }

  /** Opens what an ended migration was started from. */
  void edit(Migration migration) {
    Origin origin = origins.get(migration);
    if (origin != null && origin.edit != null && canEdit(migration)) {
      String outcome = migration.outcome();
      origin.edit.accept(outcome == null ? "" : outcome);
    }
  }

  /** Forgets how a removed migration was started. */
  void forget(Migration migration) {
    origins.remove(migration);
  }
}
