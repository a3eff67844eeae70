// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationUri;

/** Finds the field of a form that a failure is about. */
final class FailingField {
  /** Shorter texts are in many sentences. */
  private static final int TELLING = 3;

  private FailingField() {}

  /**
   * The field that a sentence about a failure begins with, or whose text it quotes; null if it does
   * not tell.
   */
  static @Nullable Field in(SettingsForm form, String sentence) {
    for (Field field : form.fields()) {
      String label = field.label() + ":";
      if (sentence.regionMatches(true, 0, label, 0, label.length())) {
        return field;
      }
    }
    for (Field field : form.fields()) {
      String text = form.get(field).strip();
      boolean told =
          field.equals(Field.URI)
              ? tellsAddress(text, sentence)
              : (field.equals(Field.DEVICE) || Field.OF_FILES.contains(field))
                  && text.length() >= TELLING
                  && sentence.contains(text);
      if (told) {
        return field;
      }
    }
    return null;
  }

  private static boolean tellsAddress(String text, String sentence) {
    try {
      MigrationUri uri = MigrationUri.parse(text);
      return sentence.contains(uri.host())
          || sentence.toLowerCase(Locale.ROOT).contains("port " + uri.port() + " ");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
