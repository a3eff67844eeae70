// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.layout.Region;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;

/** Whether a view shows both ends of a migration, or one of them. */
public final class EndsChoice {
  private final ToggleButton both = new ToggleButton("Both");
  private final ToggleButton source = new ToggleButton("Source");
  private final ToggleButton destination = new ToggleButton("Destination");
  private final SegmentedButton root = new SegmentedButton(both, source, destination);

  /**
   * @param changed runs when the user or the program has chosen
   */
  public EndsChoice(Runnable changed) {
    var toggles = new ToggleGroup();
    toggles.getToggles().addAll(both, source, destination);
    root.setToggleGroup(toggles);
    root.setMinWidth(Region.USE_PREF_SIZE);
    both.setSelected(true);
    toggles
        .selectedToggleProperty()
        .subscribe((_, toggle) -> {
          if (toggle == null) {
            both.setSelected(true);
          } else {
            changed.run();
          }
        });
  }

  public Node node() {
    return root;
  }

  /** Offers the ends of a migration that are in this process; a program has none. */
  public void offer(@Nullable SessionPair pair) {
    boolean migrates = pair == null || pair.leading().migrates();
    Presence.set(root, migrates);
    both.setDisable(!hasTwo(pair));
    source.setDisable(pair == null || pair.source() == null);
    destination.setDisable(pair == null || pair.destination() == null);
  }

  /** Chooses all ends that there are. */
  public void chooseAll(@Nullable SessionPair pair) {
    (pair == null || hasTwo(pair) ? both : pair.source() != null ? source : destination)
        .setSelected(true);
  }

  private static boolean hasTwo(@Nullable SessionPair pair) {
    return pair != null && pair.sessions().size() == 2;
  }

  public void choose(Role role) {
    of(role).setSelected(true);
  }

  /** Whether an end is shown. */
  public boolean includes(Role role) {
    return both.isSelected() || of(role).isSelected();
  }

  private ToggleButton of(Role role) {
    return role == Role.SOURCE ? source : destination;
  }
}
