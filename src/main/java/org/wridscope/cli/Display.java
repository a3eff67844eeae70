// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks whether a window can be shown. */
final class Display {
  private Display() {}

  /** Whether the environment names a display, which may not respond. */
  static boolean isNamed(Map<String, String> environment) {
    return isSet(environment, "DISPLAY") || isSet(environment, "WAYLAND_DISPLAY");
  }

  /**
   * Whether a failure means that the display does not respond. JavaFX throws an {@link
   * UnsupportedOperationException} "Unable to open DISPLAY", wrapped in other exceptions.
   */
  static boolean isMissing(Throwable failure) {
    for (@Nullable Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof UnsupportedOperationException
          && String.valueOf(e.getMessage()).contains("DISPLAY")) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSet(Map<String, String> environment, String variable) {
    return !environment.getOrDefault(variable, "").isEmpty();
  }
}
