// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DeviceChoice;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;

/** A text field of a form: a setting, or a place. */
public final class Field {
  /** All, in the order in which dialogs show them. */
  private static final List<Field> ALL = new ArrayList<>();

  public static final Field URI =
      place(
          "uri",
          "URI",
          "rdma:HOST:PORT",
          "Where the destination listens: rdma:HOST:PORT, with a port from 1 to 65535. A host is a"
              + " name, an IPv4 address, or an IPv6 address in brackets.");
  public static final Field DEVICE =
      place(
          "device",
          "Device",
          "automatic: the device that has the address",
          "The RDMA device to use, by its name, or the software device. Default: the device that"
              + " has the address.",
          "",
          DeviceChoice.SOFTWARE);
  public static final Field ALLOW =
      place(
          "allow",
          "Allow",
          "anyone who can reach the port, or networks such as 10.9.0.0/24",
          "Addresses from which a source may connect: addresses or networks such as 10.9.0.0/24,"
              + " separated by commas. Default: any.");
  public static final Field FILE =
      place(
          "file",
          "Image file",
          "a file that becomes the guest's RAM",
          "A file whose content becomes the guest's RAM. It is only read.");
  public static final Field OUT =
      place(
          "out",
          "Write to",
          "a new file for the RAM that arrives",
          "A file that gets the RAM that arrives. An existing file is replaced only after you have"
              + " agreed.");
  public static final Field CAPTURE =
      place(
          "capture",
          "Capture in",
          "a new file for the guest that arrives",
          "A file that gets the guest that arrives, with its RAM and the state of its devices, so"
              + " that it can be restored.");
  public static final Field RESTORE =
      place(
          "restore",
          "Restore from",
          "a file that a guest was captured in",
          "A file that a guest was captured in, or that QEMU saved.");

  /** Those that name a file. */
  static final Set<Field> OF_FILES = Set.of(FILE, OUT, CAPTURE, RESTORE);

  static {
    SettingTable.that(setting -> setting.isInput() && !setting.isFlag()).forEach(Field::setting);
  }

  public static final Field RAM = of(GuestSetting.RAM);
  public static final Field DIRTY_RATE = of(GuestSetting.DIRTY_RATE);
  public static final Field BANDWIDTH = of(MigrationSetting.BANDWIDTH);
  public static final Field DOWNTIME_LIMIT = of(MigrationSetting.DOWNTIME_LIMIT);
  public static final Field TIMEOUT = of(MigrationSetting.TIMEOUT);
  public static final Field AT_ONCE = of(ManagedSetting.AT_ONCE);

  private final String name;
  private final String label;
  private final String prompt;
  private final String hint;
  private final List<String> choices;
  private final @Nullable Setting<?> setting;

  private Field(
      String name,
      String label,
      String prompt,
      String hint,
      List<String> choices,
      @Nullable Setting<?> setting) {
    this.name = name;
    this.label = label;
    this.prompt = prompt;
    this.hint = hint;
    this.choices = choices;
    this.setting = setting;
    ALL.add(this);
  }

  private static Field place(
      String name, String label, String prompt, String hint, String... choices) {
    return new Field(name, label, prompt, hint, Arrays.asList(choices), null);
  }

  private static void setting(Setting<?> setting) {
    Field _ =
        new Field(
            setting.name(),
            setting.label(),
            setting.prompt(),
            setting.hint(),
            setting.choices(),
            setting);
  }

  /** The field of a setting that is written as text. */
  public static Field of(Setting<?> setting) {
    return ALL.stream()
        .filter(field -> setting.equals(field.setting))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(setting + " is no text of a dialog"));
  }

  /** All, in the order in which dialogs show them. */
  public static List<Field> all() {
    return List.copyOf(ALL);
  }

  /** As it is stored. */
  String name() {
    return name;
  }

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

  /** What can be chosen; empty if there are too many. */
  List<String> choices() {
    return choices;
  }

  /** The setting; null for a place. */
  @Nullable Setting<?> setting() {
    return setting;
  }

  /** Whether few need it. */
  boolean isSeldom() {
    return setting != null && setting.isSeldom();
  }

  /** Where it is in dialogs. */
  int order() {
    return Objects.checkIndex(ALL.indexOf(this), ALL.size());
  }

  @Override
  public String toString() {
    return name;
  }
}
