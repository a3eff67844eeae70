// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.HashMap;
import java.util.Map;
import java.util.prefs.AbstractPreferences;

/** Preferences that are not stored on this machine. */
final class MemoryPreferences extends AbstractPreferences {
  private final Map<String, String> values = new HashMap<>();

  MemoryPreferences() {
    super(null, "");
  }

  /** Preferences in which the user has chosen a theme, dark or light. */
  static MemoryPreferences withTheme(String theme) {
    var preferences = new MemoryPreferences();
    preferences.put("theme", theme);
    return preferences;
  }

  @Override
  protected void putSpi(String key, String value) {
    values.put(key, value);
  }

  @Override
  @SuppressWarnings("NullAway") // null means "not there" in this interface of the JDK
  protected String getSpi(String key) {
    return values.get(key);
  }

  @Override
  protected void removeSpi(String key) {
    values.remove(key);
  }

  @Override
  protected void removeNodeSpi() {}

  @Override
  protected String[] keysSpi() {
    return values.keySet().toArray(String[]::new);
  }

  @Override
  protected String[] childrenNamesSpi() {
    return new String[0];
  }

  @Override
  protected AbstractPreferences childSpi(String name) {
    throw new UnsupportedOperationException("these preferences have no children");
  }

  @Override
  protected void syncSpi() {}

  @Override
  protected void flushSpi() {}
}
