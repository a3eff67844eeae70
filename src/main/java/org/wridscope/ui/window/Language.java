// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.Locale;
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
    Texts.use(of(store).locale());
  }

  /** The stored choice, which the next window uses. */
  static Choice of(StoredJson store) {
    String name = store.get(KEY, String.class);
    for (Choice known : Choice.values()) {
      if (known.name().equalsIgnoreCase(name)) {
        return known;
      }
    }
    return Choice.SYSTEM;
  }

  /** Stores a choice for the next window. */
  static void store(StoredJson store, Choice choice) {
    store.put(KEY, choice.name().toLowerCase(Locale.ROOT));
  }
}
