// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks whether a window can be shown. */
final class Display {
  /** JavaFX's message if GTK cannot be loaded. */
  private static final String NO_GTK = "Unable to load glass GTK library";

  /** The message with which the window refuses to open without fonts. */
  private static final String NO_FONTS = "there are no fonts";

  /** The dynamic loader's message. */
  private static final Pattern NOT_LOADED =
      Pattern.compile("(lib[A-Za-z0-9_+.-]+\\.so[.0-9]*): cannot open shared object file");

  /** Of Debian and Ubuntu, by the libraries that JavaFX loads. */
  private static final Map<String, String> PACKAGES =
      Map.of(
          "libgtk-3.so.0", "libgtk-3-0 (libgtk-3-0t64 from Debian 13 and Ubuntu 24.04 on)",
          "libpangoft2-1.0.so.0", "libpangoft2-1.0-0",
          "libpango-1.0.so.0", "libpango-1.0-0",
          "libfreetype.so.6", "libfreetype6",
          "libfontconfig.so.1", "libfontconfig1",
          "libXtst.so.6", "libxtst6",
          "libXxf86vm.so.1", "libxxf86vm1",
          "libGL.so.1", "libgl1",
          "libX11.so.6", "libx11-6");

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

  /** Why the display does not respond, a clause. */
  static String missing(Map<String, String> environment) {
    return isSet(environment, "DISPLAY")
        ? "the display %s does not respond".formatted(environment.get("DISPLAY"))
        : "there is only a display of Wayland (%s), and the window needs one of X11: start XWayland, and set DISPLAY"
            .formatted(environment.get("WAYLAND_DISPLAY"));
  }

  /**
   * What the window needs that this machine lacks, a sentence that names the package.
   *
   * @return null if that is not why the window failed
   */
  static @Nullable String lacking(Throwable failure) {
    for (@Nullable Throwable e = failure; e != null; e = e.getCause()) {
      String message = String.valueOf(e.getMessage());
      Matcher library = NOT_LOADED.matcher(message);
      if (message.contains(NO_GTK)) {
        return library("libgtk-3.so.0");
      }
      if (library.find()) {
        return library(library.group(1));
      }
      if (message.contains(NO_FONTS)) {
        return "The window needs fonts, and there are none; install the packages fontconfig and"
            + " fonts-dejavu-core.";
      }
    }
    return null;
  }

  private static String library(String name) {
    return "The window needs the library %s, which cannot be loaded; install the package %s."
        .formatted(name, PACKAGES.getOrDefault(name, "that contains it"));
  }

  private static boolean isSet(Map<String, String> environment, String variable) {
    return !environment.getOrDefault(variable, "").isEmpty();
  }
}
