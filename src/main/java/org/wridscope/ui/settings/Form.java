// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** What the user has entered into a dialog. Not thread-safe. */
abstract sealed class Form permits SettingsForm, QemuMigrationForm {
  private final Map<Field, String> texts = new EnumMap<>(Field.class);
  private final Set<Option> options = EnumSet.of(Option.MONITORED);

  public final String get(Field field) {
    return texts.getOrDefault(field, "");
  }

  public final void set(Field field, String text) {
    texts.put(field, text);
  }

  public final boolean has(Option option) {
    return options.contains(option);
  }

  public final void set(Option option, boolean on) {
    if (on) {
      options.add(option);
    } else {
      options.remove(option);
    }
  }

  /** Enters what another form contains. */
  final void fill(Form other) {
    texts.putAll(other.texts);
    options.clear();
    options.addAll(other.options);
  }

  /** The fields that matter with what was entered. */
  public abstract Set<Field> fields();

  /** The options that matter with what was entered. */
  public abstract Set<Option> options();

  /** Whether an option that matters has an effect with what was entered. */
  public abstract boolean isUseful(Option option);
}
