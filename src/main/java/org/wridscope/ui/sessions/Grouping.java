// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.Optional;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;

/** What the migrations in the list are grouped by. */
public enum Grouping {
  NONE("Nothing"),
  HOST("Host"),
  SCENARIO("Scenario");

  /** What the choice is called. */
  public static final String TITLE = "Group list by";

  private final String text;

  Grouping(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /** The group of a migration; all are in one if they are not to be grouped. */
  Group of(Migration migration) {
    return switch (this) {
      case NONE -> new Group(false, "");
      case HOST -> host(migration);
      case SCENARIO -> named(migration.scenario(), "No scenario");
    };
  }

  private static Group host(Migration migration) {
    SessionPair pair = migration.pair();
    // Of two ends, the destination is where the guest goes.
    Session end =
        pair == null ? null : pair.destination() == null ? pair.leading() : pair.destination();
    return named(
        Optional.ofNullable(end).flatMap(Session::host),
        migration.recorded() ? "Unknown host" : "This machine");
  }

  private static Group named(Optional<String> name, String otherwise) {
    return name.map(known -> new Group(true, known)).orElse(new Group(false, otherwise));
  }
}
