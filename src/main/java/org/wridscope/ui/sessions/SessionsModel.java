// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import javafx.collections.FXCollections;
import javafx.collections.ObservableList;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.Role;

/**
 * The migrations of this process, each with one or two sessions. A source and a destination belong
 * together if they were started as a lab, or if both are running with the same URI. For the JavaFX
 * thread only.
 */
public final class SessionsModel {
  private final Function<Session, Reading> readings;
  private final ObservableList<Migration> migrations = FXCollections.observableArrayList();
  private final ObservableList<Migration> readOnly =
      FXCollections.unmodifiableObservableList(migrations);

  /** Removed migrations that may be restored, each with its former place. */
  private final Map<Migration, Integer> hidden = new LinkedHashMap<>();

  /**
   * @param readings what texts read of a session
   */
  public SessionsModel(Function<Session, Reading> readings) {
    this.readings = readings;
  }

  /** All migrations in the order of starting. */
  public ObservableList<Migration> migrations() {
    return readOnly;
  }

  /** Adds a lab migration that is ready to start. */
  public Migration addReady(String name, LabSettings settings) {
    Migration migration = Migration.ready(name, settings);
    migrations.add(migration);
    return migration;
  }

  /**
   * Adds a lab that has just been started.
   *
   * @param ready the entry that it was started from; null for none
   */
  public Migration addLab(Lab lab, @Nullable Migration ready) {
    return add(new SessionPair(lab.source(), lab.destination()), ready);
  }

  /**
   * Adds a run of a scenario that has just been started.
   *
   * @param scenario its title
   */
  public Migration addRun(SessionPair pair, String scenario) {
    return add(Migration.run(pair, scenario));
  }

  /** A migration was run again, and shows the sessions of that from now on. */
  public void replace(Migration migration, SessionPair pair) {
    migration.setPair(pair);
  }

  /** Adds a migration whose ends, or one of them, have just been started together. */
  public Migration addStarted(SessionPair pair) {
    return add(pair, null);
  }

  private Migration add(SessionPair pair, @Nullable Migration ready) {
    if (ready == null) {
      return add(Migration.of(pair));
    }
    removeOthers(ready, pair);
    ready.setPair(pair);
    return ready;
  }

  /** Adds a recorded migration. */
  public Migration addRecorded(SessionPair pair) {
    return add(Migration.of(pair));
  }

  private Migration add(Migration migration) {
    removeOthers(migration, Objects.requireNonNull(migration.pair()));
    migrations.add(migration);
    return migration;
  }

  /** A refresh may have added the sessions of a migration already. */
  private void removeOthers(Migration migration, SessionPair pair) {
    migrations.removeIf(
        other -> !other.equals(migration) && pair.sessions().stream().anyMatch(other::has));
  }

  /** The migration of a session; null if there is none. */
  public @Nullable Migration find(Session session) {
    for (Migration migration : migrations) {
      if (migration.has(session)) {
        return migration;
      }
    }
    return null;
  }

  /** Whether a migration in the list failed as its scenario expects. */
  public boolean failedAsExpected(SessionPair pair) {
    Migration migration = find(pair.leading());
    return migration != null && migration.failedAsExpected();
  }

  /** Removes a migration from the list, until it is restored or forgotten. */
  public void hide(Migration migration) {
    int place = migrations.indexOf(migration);
    if (place >= 0) {
      migrations.remove(place);
      hidden.put(migration, place);
    }
  }

  /** Restores a hidden migration to its former place. */
  public void restore(Migration migration) {
    Integer place = hidden.remove(migration);
    if (place != null) {
      migrations.add(Math.min(place, migrations.size()), migration);
    }
  }

  /** Forgets a hidden migration; its sessions, if any, stay hidden until they are closed. */
  public void forget(Migration migration) {
    if (migration.pair() == null) {
      hidden.remove(migration);
    }
  }

  /** Adds new sessions, removes closed ones, and samples all. */
  public void refresh(List<Session> sessions, long nowNanos) {
    for (Session session : sessions) {
      if (find(session) == null && hidden.keySet().stream().noneMatch(it -> it.has(session))) {
        add(session);
      }
    }
    sample(sessions, nowNanos);
  }

  /**
   * Removes closed sessions and samples all, without adding new ones: while a lab is being started,
   * its two sessions would be added as separate migrations.
   */
  public void sample(List<Session> sessions, long nowNanos) {
    migrations.removeIf(migration -> isGone(migration, sessions));
    hidden.keySet().removeIf(migration -> isGone(migration, sessions));
    for (Migration migration : migrations) {
      migration.sample(nowNanos, readings);
    }
  }

  private static boolean isGone(Migration migration, List<Session> sessions) {
    SessionPair pair = migration.pair();
    return pair != null && pair.sessions().stream().noneMatch(sessions::contains);
  }

  private void add(Session session) {
    for (Migration migration : migrations) {
      SessionPair pair = migration.pair();
      if (pair != null && belongs(session, pair)) {
        migration.setPair(
            session.role() == Role.SOURCE
                ? new SessionPair(session, pair.destination())
                : new SessionPair(pair.source(), session));
        return;
      }
    }
    migrations.add(
        Migration.of(
            session.role() == Role.SOURCE
                ? new SessionPair(session, null)
                : new SessionPair(null, session)));
  }

  private static boolean belongs(Session session, SessionPair pair) {
    boolean vacant =
        session.role() == Role.SOURCE ? pair.source() == null : pair.destination() == null;
    return vacant
        && !pair.ended()
        && !session.status().isEnd()
        && Objects.equals(pair.leading().uri(), session.uri());
  }
}
