// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values of settings. A setting that was not given has its usual value, so that settings are
 * equal if all values are. Immutable.
 */
public final class Settings {
  /** Every setting has its usual value. */
  public static final Settings USUAL = new Settings(Map.of());

  /** Those that differ from the usual value. */
  private final Map<Setting<?>, Object> values;

  private Settings(Map<Setting<?>, Object> values) {
    this.values = values;
  }

  public <T> T get(Setting<T> setting) {
    Object value = values.get(setting);
    return value == null ? setting.usual() : setting.cast(value);
  }

  /** A copy with another value, which is not checked: text is, by {@link Setting#parse}. */
  public <T> Settings with(Setting<T> setting, T value) {
    Map<Setting<?>, Object> changed = new LinkedHashMap<>(values);
    if (value.equals(setting.usual())) {
      changed.remove(setting);
    } else {
      changed.put(setting, value);
    }
    return new Settings(changed);
  }

  /**
   * A copy with what a text says.
   *
   * @param field as the user knows it, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  public <T> Settings with(Setting<T> setting, String field, String text) {
    return with(setting, setting.parse(field, text, this));
  }

  /** A copy in which the others have their usual values. */
  public Settings only(Predicate<Setting<?>> kept) {
    return new Settings(
        values.entrySet().stream()
            .filter(entry -> kept.test(entry.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Settings settings && values.equals(settings.values);
  }

  @Override
  public int hashCode() {
    return Objects.hash(values);
  }

  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getKey().textOf(entry.getValue()))
        .collect(Collectors.joining(", ", "[", "]"));
  }
}
