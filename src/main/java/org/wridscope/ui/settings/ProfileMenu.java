// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.ArrayList;
import javafx.scene.Node;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.layout.Region;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Question;

/** A menu of the profiles of a dialog: choosing one enters it. */
final class ProfileMenu {
  private final Form form;
  private final Profiles profiles;
  private final Runnable entered;
  private final MenuButton button = new MenuButton("Profiles");

  /**
   * @param form receives the chosen profile, and is what is saved
   * @param entered called when a profile was entered into the form
   */
  ProfileMenu(Form form, Profiles profiles, Runnable entered) {
    this.form = form;
    this.profiles = profiles;
    this.entered = entered;
    button.setId("profiles");
    button.setMinWidth(Region.USE_PREF_SIZE);
    Hints.explain(
        button,
        "Inputs of this dialog that were saved under a name. They are renamed and deleted in"
            + " the settings.");
    button.setOnShowing(_ -> refresh());
    // Without an item it would not be shown at all, and nothing could refresh it.
    refresh();
  }

  Node node() {
    return button;
  }

  private void refresh() {
    var items = new ArrayList<MenuItem>();
    for (String name : profiles.names(DialogKind.of(form))) {
      var item = new MenuItem(name);
      // Underscores are part of the name.
      item.setMnemonicParsing(false);
      item.setOnAction(_ -> {
        profiles.enter(name, form);
        entered.run();
      });
      items.add(item);
    }
    if (!items.isEmpty()) {
      items.add(new SeparatorMenuItem());
    }
    var save = new MenuItem("Save as…");
    save.setId("save-profile");
    save.setOnAction(_ -> askName());
    items.add(save);
    button.getItems().setAll(items);
  }

  /** Asks for a name; one that exists is replaced only with the button that says so. */
  private void askName() {
    Question.text(
        button.getScene().getWindow(),
        "Save a profile",
        "Name",
        typed -> {
          String name = Profiles.nameOf(typed);
          boolean there = profiles.has(DialogKind.of(form), name);
          return new Question.Yes(
              there ? "Replace it" : "Save",
              !there,
              !name.isEmpty() && (there || !profiles.isFull(DialogKind.of(form))));
        },
        typed -> profiles.save(Profiles.nameOf(typed), form));
  }
}
