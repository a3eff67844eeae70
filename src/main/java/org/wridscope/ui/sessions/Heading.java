// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import org.wridscope.text.Format;

/** The heading of a group of migrations in the list. For the JavaFX thread only. */
public final class Heading implements Row {
  private final Group group;
  private int count;
  private boolean folded;

  Heading(Group group) {
    this.group = group;
  }

  public String title() {
    return group.title();
  }

  /** The number of migrations in the group, whether they are shown or not. */
  public int count() {
    return count;
  }

  void setCount(int migrations) {
    count = migrations;
  }

  /** Whether only the heading of the group is shown. */
  public boolean folded() {
    return folded;
  }

  void setFolded(boolean fold) {
    folded = fold;
  }

  /** All that it shows, in words. */
  String sentence() {
    String migrations = Format.counted(count, "migration");
    return folded
        ? "%s, %s, folded".formatted(title(), migrations)
        : "%s, %s, unfolded".formatted(title(), migrations);
  }
}
