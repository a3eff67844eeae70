// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the user has entered into a dialog. Not thread-safe. */
public abstract sealed class Form permits SettingsForm, QemuMigrationForm, FleetMigrationForm {
  /** Longer than any text that makes sense. */
  private static final int LONGEST = 4096;

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

  /** What was entered, to be stored. */
  public final Inputs inputs() {
    var storedTexts = new TreeMap<String, String>();
    for (Field field : Field.values()) {
      String text = get(field);
      if (text.length() <= LONGEST) {
        storedTexts.put(name(field), text);
      }
    }
    var storedOptions = new TreeMap<String, Boolean>();
    for (Option option : Option.values()) {
      storedOptions.put(name(option), has(option));
    }
    return new Inputs(storedTexts, storedOptions, name(choice()));
  }

  /** Enters what was stored, as far as this form knows it. */
  public final void enter(Inputs inputs) {
    if (inputs.texts() != null) {
      for (Field field : Field.values()) {
        String text = inputs.texts().get(name(field));
        if (text != null && text.length() <= LONGEST) {
          set(field, text);
        }
      }
    }
    if (inputs.options() != null) {
      for (Option option : Option.values()) {
        Boolean on = inputs.options().get(name(option));
        if (on != null) {
          set(option, on);
        }
      }
    }
    choose(inputs.choice());
  }

  /** Enters what the user has saved under a name, with the choice that was made in it. */
  final void enterProfile(Inputs inputs) {
    prefer(inputs.choice());
    enter(inputs);
  }

  static String name(Enum<?> input) {
    return input.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The choice that decides which fields there are. */
  abstract Enum<?> choice();

  /** Makes a choice by its name, if this form has it. */
  abstract void choose(@Nullable String name);

  /** Makes a choice by its name, if this form has it, even if another one suited better. */
  abstract void prefer(@Nullable String name);

  /** The fields that matter with what was entered. */
  public abstract Set<Field> fields();

  /** The options that matter with what was entered. */
  public abstract Set<Option> options();

  /**
   * The errors of all fields, a sentence each.
   *
   * @param check throws {@link IllegalArgumentException} with the sentence
   */
  final Map<Field, String> errors(Consumer<Field> check) {
    var errors = new LinkedHashMap<Field, String>();
    for (Field field : fields()) {
      try {
        check.accept(field);
      } catch (IllegalArgumentException e) {
        errors.put(field, String.valueOf(e.getMessage()));
      }
    }
    return errors;
  }

  /** Whether an option that matters has an effect with what was entered. */
  public abstract boolean isUseful(Option option);
}
