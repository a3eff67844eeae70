// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import atlantafx.base.theme.PrimerDark;
import atlantafx.base.theme.PrimerLight;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.prefs.Preferences;
import javafx.application.Application;
import javafx.application.ColorScheme;
import javafx.application.Platform;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.ReadOnlyBooleanProperty;
import javafx.beans.property.ReadOnlyBooleanWrapper;
import javafx.beans.property.SimpleObjectProperty;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.util.Subscription;
import org.wridscope.ui.Palette;

/** Dark or light: as the desktop has it, or as the user chose, which is remembered. */
final class Theme {
  private static final String KEY = "theme";

  /** What the user chose. */
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
   * Takes up what was chosen the last time.
   *
   * @param store where the choice is remembered
   * @param background writes it there
   */
  Theme(Preferences store, Executor background) {
    choice = new SimpleObjectProperty<>(this, "choice", stored(store));
    dark.set(wanted());
    choice.subscribe((_, now) -> {
      background.execute(() -> remember(store));
      dark.set(wanted());
    });
    desktop =
        Platform.getPreferences().colorSchemeProperty().subscribe((_, _) -> dark.set(wanted()));
  }

  /** The newest choice, whichever was to be remembered first. */
  private synchronized void remember(Preferences store) {
    store.put(KEY, choice.get().name().toLowerCase(Locale.ROOT));
  }

  /** Follows the desktop no more, which would otherwise know this for ever. */
  void close() {
    desktop.unsubscribe();
  }

  private static Choice stored(Preferences store) {
    String name = store.get(KEY, "").toUpperCase(Locale.ROOT);
    for (Choice known : Choice.values()) {
      if (known.name().equals(name)) {
        return known;
      }
    }
    return Choice.SYSTEM;
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

  /** Chooses the other one. */
  void toggle() {
    choice.set(isDark() ? Choice.LIGHT : Choice.DARK);
  }

  /**
   * Dresses a scene, now and whenever the theme changes.
   *
   * @param changed is told the scene's root and whether it is dark, for what style sheets cannot do
   * @return to be ended when the scene is not shown any more
   */
  Subscription dress(Scene scene, BiConsumer<Parent, Boolean> changed) {
    scene.getStylesheets().setAll(sheet("modena-bridge.css"), sheet("window.css"));
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

  /** The palette as looked-up colours, {@code -wrid-in-transit} and so on. */
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
