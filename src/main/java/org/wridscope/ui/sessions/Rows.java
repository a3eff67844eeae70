// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javafx.collections.FXCollections;
import javafx.collections.ObservableList;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the list: all migrations, or groups of them with a heading each, of which those that
 * are folded show only the heading. Within a group, migrations keep their order. For the JavaFX
 * thread only.
 */
final class Rows {
  private final List<Migration> migrations;
  private final ObservableList<Row> rows = FXCollections.observableArrayList();
  private final Map<Group, Heading> headings = new HashMap<>();
  private Grouping grouping = Grouping.NONE;

  /**
   * @param migrations in the order of the list; after each change, {@link #update} is to be called
   */
  Rows(List<Migration> migrations) {
    this.migrations = migrations;
    update();
  }

  ObservableList<Row> list() {
    return rows;
  }

  /** Changes what the migrations are grouped by; all groups are unfolded then. */
  void group(Grouping by) {
    grouping = by;
    headings.clear();
    update();
  }

  void fold(Heading heading, boolean fold) {
    heading.setFolded(fold);
    update();
  }

  /** Unfolds the group of a migration. */
  void reveal(Migration migration) {
    Heading heading = headings.get(grouping.of(migration));
    if (heading != null) {
      heading.setFolded(false);
    }
    update();
  }

  /** The heading under which a migration is; null if they are not grouped, or it is not there. */
  @Nullable Heading headingOf(Migration migration) {
    return has(migration) ? headings.get(grouping.of(migration)) : null;
  }

  /** Whether a migration is in the list, though its group may be folded. */
  boolean has(Migration migration) {
    return migrations.contains(migration);
  }

  /** Brings the rows up to date; those that stay are not touched, so that they stay selected. */
  void update() {
    List<Row> wanted = wanted();
    Set<Row> stay = new HashSet<>(wanted);
    rows.removeIf(row -> !stay.contains(row));
    for (int i = 0; i < wanted.size(); i++) {
      Row row = wanted.get(i);
      if (i == rows.size() || rows.get(i) != row) {
        rows.remove(row);
        rows.add(i, row);
      }
    }
  }

  private List<Row> wanted() {
    if (grouping == Grouping.NONE) {
      return List.copyOf(migrations);
    }
    var groups = new TreeMap<Group, List<Migration>>();
    for (Migration migration : migrations) {
      groups.computeIfAbsent(grouping.of(migration), _ -> new ArrayList<>()).add(migration);
    }
    headings.keySet().retainAll(groups.keySet());
    var wanted = new ArrayList<Row>();
    groups.forEach((group, members) -> {
      Heading heading = headings.computeIfAbsent(group, Heading::new);
      heading.setCount(members.size());
      wanted.add(heading);
      if (!heading.folded()) {
        wanted.addAll(members);
      }
    });
    return wanted;
  }
}
