// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All settings, in the order in which help and dialogs show them. */
public final class SettingTable {
  public static final List<Setting<?>> ALL =
      Stream.of(GuestSetting.ALL, MigrationSetting.ALL, ManagedSetting.ALL)
          .flatMap(List::stream)
          .toList();

  private SettingTable() {}

  /** Those that can be given in one of these places. */
  public static List<Setting<?>> at(Place... places) {
    return that(setting -> Stream.of(places).anyMatch(setting::isAt));
  }

  /** Those of a kind. */
  public static List<Setting<?>> that(Predicate<Setting<?>> kind) {
    return ALL.stream().filter(kind).toList();
  }
}
