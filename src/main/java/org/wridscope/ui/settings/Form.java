// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.settings.Settings;

/** What the user has entered into a dialog. Not thread-safe. */
public abstract sealed class Form permits SettingsForm, QemuMigrationForm, FleetMigrationForm {
  /** Longer than any text that makes sense. */
  private static final int LONGEST = 4096;

  private final Map<Field, String> texts = new HashMap<>();
  private final Map<Setting<Boolean>, Boolean> flags = new HashMap<>();

  public final String get(Field field) {
    return texts.getOrDefault(field, "");
  }

  public final void set(Field field, String text) {
    texts.put(field, text);
  }

  public final boolean has(Setting<Boolean> flag) {
    return flags.getOrDefault(flag, flag.usual());
  }

  public final void set(Setting<Boolean> flag, boolean on) {
    flags.put(flag, on);
  }

  /** Enters what another form contains. */
  final void fill(Form other) {
    texts.putAll(other.texts);
    flags.clear();
    flags.putAll(other.flags);
  }

  /** Enters the values of all settings that dialogs have. */
  final void fill(Settings settings) {
    for (Field field : Field.all()) {
      Setting<?> setting = field.setting();
      if (setting != null) {
        set(field, setting.entry(settings));
      }
    }
    allFlags().forEach(flag -> set(flag, settings.get(flag)));
  }

  /** Whether all settings that few need are as they are without being given. */
  final boolean isSeldomUsual() {
    return fields().stream()
            .filter(Field::isSeldom)
            .allMatch(field -> get(field).equals(usualText(field.setting())))
        && flags().stream()
            .filter(Setting::isSeldom)
            .allMatch(flag -> has(flag) == usual().get(flag));
  }

  private String usualText(@Nullable Setting<?> setting) {
    return setting == null ? "" : setting.entry(usual());
  }

  private static Set<Setting<Boolean>> allFlags() {
    return flags(SettingTable.ALL);
  }

  /** Those of some settings that are on or off, as dialogs show them. */
  @SuppressWarnings("unchecked") // isFlag tells the type
  private static Set<Setting<Boolean>> flags(Collection<Setting<?>> settings) {
    return settings.stream()
        .filter(setting -> setting.isFlag() && setting.isInput())
        .map(setting -> (Setting<Boolean>) setting)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The settings of a place that are on or off. */
  static Set<Setting<Boolean>> flagsAt(Place place) {
    return flags(SettingTable.at(place));
  }

  /** The fields of the settings of a place. */
  static Set<Field> fieldsAt(Place place) {
    return SettingTable.at(place).stream()
        .filter(setting -> setting.isInput() && !setting.isFlag())
        .map(Field::of)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** What was entered, to be stored. */
  public final Inputs inputs() {
    var storedTexts = new TreeMap<String, String>();
    for (Field field : Field.all()) {
      String text = get(field);
      if (text.length() <= LONGEST) {
        storedTexts.put(field.name(), text);
      }
    }
    var storedFlags = new TreeMap<String, Boolean>();
    allFlags().forEach(flag -> storedFlags.put(flag.name(), has(flag)));
    return new Inputs(storedTexts, storedFlags, name(choice()));
  }

  /** Enters what was stored, as far as this form knows it. */
  public final void enter(Inputs inputs) {
    if (inputs.texts() != null) {
      for (Field field : Field.all()) {
        String text = inputs.texts().get(field.name());
        if (text != null && text.length() <= LONGEST) {
          set(field, text);
        }
      }
    }
    if (inputs.options() != null) {
      for (Setting<Boolean> flag : allFlags()) {
        Boolean on = inputs.options().get(flag.name());
        if (on != null) {
          set(flag, on);
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

  /** The settings that are on or off, and matter with what was entered. */
  public abstract Set<Setting<Boolean>> flags();

  /**
   * Checks the text of a field that is a place; does not examine the named file.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  abstract void check(Field place);

  /**
   * The error of the text of a field, one sentence; null if there is none, or it does not matter.
   */
  public final @Nullable String textError(Field field) {
    return fields().contains(field) ? errors(Set.of(field)).get(field) : null;
  }

  /** The errors of the texts of all fields, a sentence each. */
  final Map<Field, String> textErrors() {
    return errors(fields());
  }

  private Map<Field, String> errors(Collection<Field> checked) {
    var errors = new LinkedHashMap<Field, String>();
    for (Field field : inOrder(checked)) {
      try {
        Setting<?> setting = field.setting();
        if (setting == null) {
          check(field);
        } else {
          // What it depends on may have an error of its own.
          Settings needed = needed(setting);
          if (needed != null) {
            Object _ = setting.parse(field.label(), get(field), needed);
          }
        }
      } catch (IllegalArgumentException e) {
        errors.put(field, String.valueOf(e.getMessage()));
      }
    }
    return errors;
  }

  private @Nullable Settings needed(Setting<?> setting) {
    Settings known = base();
    for (Setting<?> each : setting.needed()) {
      try {
        known = read(known, each);
      } catch (IllegalArgumentException _) {
        return null;
      }
    }
    return known;
  }

  private <T> Settings read(Settings settings, Setting<T> setting) {
    Field field = Field.of(setting);
    return settings.with(setting, field.label(), get(field));
  }

  private static Collection<Field> inOrder(Collection<Field> fields) {
    return fields.stream().sorted(Comparator.comparingInt(Field::order)).toList();
  }

  /** What is used where nothing is entered. */
  Settings usual() {
    return Settings.USUAL;
  }

  /** What this dialog has no inputs for. */
  Settings base() {
    return Settings.USUAL;
  }

  /**
   * What was entered.
   *
   * @throws IllegalArgumentException if a text has an error, with one sentence for the user
   */
  final Settings settings() {
    Settings read = base();
    for (Field field : inOrder(fields())) {
      if (field.setting() != null) {
        read = read(read, field.setting());
      }
    }
    for (Setting<Boolean> flag : flags()) {
      read = read.with(flag, has(flag) && isUseful(flag));
    }
    return read;
  }

  /** Whether a setting that matters has an effect with what was entered. */
  public abstract boolean isUseful(Setting<Boolean> flag);
}
