// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import org.wridscope.ui.remembered.Remembered;

/** What windows of tests remember, none of it in files. */
final class Memories {
  private Memories() {}

  /** The user has chosen a theme, dark or light. */
  static Remembered withTheme(String theme) {
    Remembered remembered = Remembered.inMemory();
    remembered.choices().put("theme", theme);
    return remembered;
  }
}
