// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import atlantafx.base.theme.PrimerDark;
import atlantafx.base.theme.PrimerLight;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiConsumer;
import javafx.application.Application;
import javafx.application.ColorScheme;
import javafx.application.ConditionalFeature;
import javafx.application.Platform;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.ReadOnlyBooleanProperty;
import javafx.beans.property.ReadOnlyBooleanWrapper;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.util.Subscription;
import org.wridscope.ui.Palette;
import org.wridscope.ui.remembered.StoredJson;

/** Dark or light: as on the desktop, or as chosen by the user; the choice is stored. */
final class Theme {
  private static final String KEY = "theme";

  /** The user's choice. */
  enum Choice {
    SYSTEM("As the desktop"),
    LIGHT("Light"),
    DARK("Dark");

    private final String text;

    Choice(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private final ObjectProperty<Choice> choice;
  private final Subscription desktop;
  private final ReadOnlyBooleanWrapper dark = new ReadOnlyBooleanWrapper(this, "dark", false);

  /**
   * Starts with the stored choice.
   *
   * @param store keeps the choice
   */
  Theme(StoredJson store) {
    choice = store.choice(KEY, Choice.SYSTEM);
    dark.set(wanted());
    choice.subscribe((_, _) -> dark.set(wanted()));
    desktop =
        Platform.getPreferences().colorSchemeProperty().subscribe((_, _) -> dark.set(wanted()));
  }

  /** Stops listening to the desktop, which would otherwise keep this object reachable. */
  void close() {
    desktop.unsubscribe();
  }

  private boolean wanted() {
    return switch (choice.get()) {
      case SYSTEM -> Platform.getPreferences().getColorScheme() == ColorScheme.DARK;
      case LIGHT -> false;
      case DARK -> true;
    };
  }

  ObjectProperty<Choice> choiceProperty() {
    return choice;
  }

  ReadOnlyBooleanProperty darkProperty() {
    return dark.getReadOnlyProperty();
  }

  boolean isDark() {
    return dark.get();
  }

  /** Switches between dark and light. */
  void toggle() {
    choice.set(isDark() ? Choice.LIGHT : Choice.DARK);
  }

  /**
   * Applies the theme to a scene, now and whenever it changes.
   *
   * @param changed receives the root of the scene and whether the theme is dark, for colours that
   *     style sheets cannot set
   * @return to be cancelled when the scene is no longer shown
   */
  Subscription apply(Scene scene, BiConsumer<Parent, Boolean> changed) {
    // A scene that is enlarged has a style sheet for that already.
    scene.getStylesheets().addAll(0, List.of(sheet("modena-bridge.css"), sheet("window.css")));
    if (!Platform.isSupported(ConditionalFeature.TRANSPARENT_WINDOW)) {
      scene.getStylesheets().add(sheet("opaque.css"));
    }
    return dark.subscribe(now -> {
      Application.setUserAgentStylesheet(
          now
              ? new PrimerDark().getUserAgentStylesheet()
              : new PrimerLight().getUserAgentStylesheet());
      scene.getRoot().setStyle(colours(now));
      changed.accept(scene.getRoot(), now);
    });
  }

  private static String sheet(String name) {
    return Objects.requireNonNull(
            Palette.class.getResource(name), () -> name + " is missing from this program")
        .toExternalForm();
  }

  /** The palette as looked-up colours such as {@code -wrid-in-transit}. */
  private static String colours(boolean dark) {
    var style = new StringBuilder();
    for (Palette colour : Palette.values()) {
      style
          .append("-wrid-")
          .append(colour.name().toLowerCase(Locale.ROOT).replace('_', '-'))
          .append(':')
          .append(colour.web(dark))
          .append(';');
    }
    return style.toString();
  }
}
