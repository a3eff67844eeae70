// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.List;
import java.util.Objects;
import javafx.collections.FXCollections;
import javafx.collections.ObservableList;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.SessionPair;

/**
 * The migrations of this process, each being one or two sessions. A source and a destination belong
 * together when they were started as a lab, or when both run and have the same URI. For the JavaFX
 * thread only.
 */
public final class SessionsModel {
  private final ObservableList<Migration> migrations = FXCollections.observableArrayList();
  private final ObservableList<Migration> readOnly =
      FXCollections.unmodifiableObservableList(migrations);

  /** All migrations in the order of starting. */
  public ObservableList<Migration> migrations() {
    return readOnly;
  }

  /** Adds a lab migration that waits to be started. */
  public Migration addReady(String name, LabSettings settings) {
    Migration migration = Migration.ready(name, settings);
    migrations.add(migration);
    return migration;
  }

  /**
   * Adds a lab that was just started.
   *
   * @param ready the entry that it was started from, null when there was none
   */
  public Migration addLab(Lab lab, @Nullable Migration ready) {
    var pair = new SessionPair(lab.source(), lab.destination());
    // A refresh in between may have found one or both by itself.
    migrations.removeIf(
        other -> other != ready && (other.has(lab.source()) || other.has(lab.destination())));
    if (ready != null) {
      ready.setPair(pair);
      return ready;
    }
    Migration migration = Migration.of(pair);
    migrations.add(migration);
    return migration;
  }

  /** Adds a migration out of a recording. */
  public Migration addRecorded(SessionPair pair) {
    migrations.removeIf(other -> pair.sessions().stream().anyMatch(other::has));
    Migration migration = Migration.of(pair);
    migrations.add(migration);
    return migration;
  }

  /** The migration that this session is part of, null when there is none. */
  public @Nullable Migration find(Session session) {
    for (Migration migration : migrations) {
      if (migration.has(session)) {
        return migration;
      }
    }
    return null;
  }

  /** Takes an entry out that waits to be started. */
  public void discard(Migration ready) {
    if (ready.pair() == null) {
      migrations.remove(ready);
    }
  }

  /** Follows what is there: adds new sessions, takes away those that are gone, and samples. */
  public void refresh(List<Session> sessions, long nowNanos) {
    for (Session session : sessions) {
      if (find(session) == null) {
        add(session);
      }
    }
    sample(sessions, nowNanos);
  }

  /**
   * Takes away what is gone, and samples. While a lab is being started its ends come one after the
   * other, and would be seen as strangers.
   */
  public void sample(List<Session> sessions, long nowNanos) {
    migrations.removeIf(migration ->
        migration.pair() != null
            && migration.pair().sessions().stream().noneMatch(sessions::contains));
    for (Migration migration : migrations) {
      migration.sample(nowNanos);
    }
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
