// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A setting of a migration, or of what is migrated: its name, what can be written, its usual value,
 * and where it can be given. {@link MigrationSetting}, {@link GuestSetting} and {@link
 * ManagedSetting} have them all.
 *
 * @param <T> its values, which are immutable
 */
public final class Setting<T> {
  /** Reads what a user wrote. */
  @FunctionalInterface
  interface Reader<T> {
    /**
     * Reads a text.
     *
     * @param field as the user knows it, for messages
     * @param others settings that were read before
     * @throws IllegalArgumentException with one sentence for the user
     */
    T read(String field, String text, Settings others);
  }

  private final String name;
  private final boolean flag;
  private final Reader<T> reader;
  private final Function<T, String> writer;
  private final T usual;

  private Group group = Group.MIGRATION;
  private Set<Place> places = EnumSet.noneOf(Place.class);
  private boolean seldom;
  private @Nullable T blank;
  private String usually = "";
  private String option = "";
  private String placeholder = "";
  private String help = "";
  private String label = "";
  private String prompt = "";
  private String hint = "";
  private String qmp = "";
  private List<String> choices = List.of();
  private List<Setting<?>> needed = List.of();

  private Setting(
      String name, boolean flag, Reader<T> reader, Function<T, String> writer, T usual) {
    this.name = name;
    this.flag = flag;
    this.reader = reader;
    this.writer = writer;
    this.usual = usual;
  }

  /** A setting with a value that is written as text. */
  static <T> Setting<T> of(String name, Reader<T> reader, Function<T, String> writer, T usual) {
    return new Setting<>(name, false, reader, writer, usual);
  }

  /** A setting that is on or off. */
  static Setting<Boolean> flag(String name, boolean usual) {
    return new Setting<>(
        name,
        true,
        (field, text, _) -> {
          if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
          }
          throw new IllegalArgumentException("%s must be true or false.".formatted(field));
        },
        Object::toString,
        usual);
  }

  /** One of several words. */
  static <E extends Enum<E>> Setting<E> choice(
      String name, E usual, E[] values, Function<E, String> text, Reader<E> reader) {
    Setting<E> setting = of(name, reader, text, usual);
    setting.choices = Arrays.stream(values).map(text).toList();
    return setting.emptyFor(usual);
  }

  // ------------------------------------------------------------------- how the table describes it

  Setting<T> about(Group what) {
    group = what;
    return this;
  }

  Setting<T> at(Place first, Place... more) {
    places = EnumSet.of(first, more);
    return this;
  }

  /** An empty text means this value, and an input field shows it as one. */
  Setting<T> emptyFor(T value) {
    blank = value;
    return this;
  }

  /** What is used if it is not given, for the help. */
  Setting<T> usually(String phrase) {
    usually = phrase;
    return this;
  }

  /**
   * Makes it an option of the command line.
   *
   * @param value stands for the value in the help; empty for a flag
   * @param sentence says what it does, without a full stop
   */
  Setting<T> option(String value, String sentence) {
    return option("--" + name, value, sentence);
  }

  /** The same, if the option is not called as scenario files call the setting. */
  Setting<T> option(String otherName, String value, String sentence) {
    option = otherName;
    placeholder = value;
    help = sentence;
    return this;
  }

  /**
   * Makes it an input of dialogs.
   *
   * @param example what an empty field shows; empty for a flag
   * @param sentences what it is, its unit and its range
   */
  Setting<T> input(String caption, String example, String sentences) {
    label = caption;
    prompt = example;
    hint = sentences;
    return this;
  }

  /** Few need it: dialogs show it when they are asked for more. */
  Setting<T> seldom() {
    seldom = true;
    return this;
  }

  /** Its name as a migration capability or parameter of QEMU. */
  Setting<T> inQmp(String parameter) {
    qmp = parameter;
    return this;
  }

  /** Its text can be read only when these are known. */
  Setting<T> after(Setting<?>... others) {
    needed = List.of(others);
    return this;
  }

  // ----------------------------------------------------------------------------------- what it is

  /** As scenario files and profiles have it. */
  public String name() {
    return name;
  }

  /** As the command line has it, with its hyphens; empty if it does not. */
  public String option() {
    return option;
  }

  public Group group() {
    return group;
  }

  /** Whether it can be given there. */
  public boolean isAt(Place place) {
    return places.contains(place);
  }

  /** Whether a source has it, and a destination has not. */
  public boolean isOfSource() {
    return isAt(Place.SOURCE) && !isAt(Place.DESTINATION);
  }

  public T usual() {
    return usual;
  }

  /** Whether it is on or off. */
  public boolean isFlag() {
    return flag;
  }

  /** Whether the command line has it. */
  public boolean isOption() {
    return !option.isEmpty();
  }

  /** Whether dialogs have it. */
  public boolean isInput() {
    return !label.isEmpty();
  }

  /** Whether few need it, so that dialogs show it only when they are asked for more. */
  public boolean isSeldom() {
    return seldom;
  }

  public String placeholder() {
    return placeholder;
  }

  /** What it does, and what is used without it; no full stop at the end. */
  public String help(Settings defaults) {
    if (isFlag()) {
      return help;
    }
    T value = defaults.get(this);
    return "%s. Default: %s"
        .formatted(help, usually.isEmpty() || !value.equals(usual) ? writer.apply(value) : usually);
  }

  /** Its name in dialogs. */
  public String label() {
    return label;
  }

  /** The meaning of an empty field, or an example. */
  public String prompt() {
    return prompt;
  }

  /** Sentences that say what it is, its unit and its range. */
  public String hint() {
    return hint;
  }

  /** Its name as a migration capability or parameter of QEMU; empty if QEMU does not have it. */
  public String qmp() {
    return qmp;
  }

  /** All texts that it can have; empty if there are too many. */
  public List<String> choices() {
    return choices;
  }

  /** The settings that must be known before its text can be read. */
  public List<Setting<?>> needed() {
    return needed;
  }

  /**
   * Reads a value.
   *
   * @param field as the user knows it, for messages
   * @param others settings that were read before
   * @throws IllegalArgumentException with one sentence for the user
   */
  public T parse(String field, String text, Settings others) {
    return blank != null && text.isBlank() ? blank : reader.read(field, text, others);
  }

  /**
   * Reads a value that depends on no other.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public T parse(String field, String text) {
    return parse(field, text, Settings.USUAL);
  }

  /** A value as {@link #parse} reads it. */
  public String text(T value) {
    return writer.apply(value);
  }

  /** A value as an input field shows it. */
  public String entry(Settings settings) {
    T value = settings.get(this);
    return value.equals(blank) ? "" : writer.apply(value);
  }

  /** The value in these settings, as {@link #parse} reads it. */
  public String text(Settings settings) {
    return text(settings.get(this));
  }

  @SuppressWarnings("unchecked") // only Settings keeps values, each with its setting
  T cast(Object value) {
    return (T) value;
  }

  String textOf(Object value) {
    return writer.apply(cast(value));
  }

  @Override
  public String toString() {
    return name;
  }
}
