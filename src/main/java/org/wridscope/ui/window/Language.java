// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.Locale;
import javafx.beans.property.ObjectProperty;
import org.wridscope.ui.Texts;
import org.wridscope.ui.remembered.StoredJson;

/** The window's language: as on the desktop, or as chosen by the user; the choice is stored. */
final class Language {
  private static final String KEY = "language";

  /** The user's choice. */
  enum Choice {
    SYSTEM,
    ENGLISH,
    GERMAN;

    /** Looked up when it is shown, since the language is not known when this class is loaded. */
    String text() {
      return switch (this) {
        case SYSTEM -> Texts.of("As the desktop");
        case ENGLISH -> Locale.ENGLISH.getDisplayLanguage(Locale.ENGLISH);
        case GERMAN -> Locale.GERMAN.getDisplayLanguage(Locale.GERMAN);
      };
    }

    private Locale locale() {
      return switch (this) {
        case SYSTEM -> Locale.getDefault(Locale.Category.DISPLAY);
        case ENGLISH -> Locale.ENGLISH;
        case GERMAN -> Locale.GERMAN;
      };
    }
  }

  private Language() {}

  /**
   * Uses the stored language. To be called before anything is shown, because texts that are shown
   * do not change any more.
   */
  static void use(StoredJson store) {
    Texts.use(of(store).get().locale());
  }

  /** The choice, which the next window uses. */
  static ObjectProperty<Choice> of(StoredJson store) {
    return store.choice(KEY, Choice.SYSTEM);
  }
}
