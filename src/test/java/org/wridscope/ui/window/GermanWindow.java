// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Control;
import javafx.scene.control.Labeled;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.control.TextInputControl;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.ui.remembered.Remembered;

/**
 * The window of somebody who has chosen German, with a simulated migration: opens every view and
 * dialog, and prints each text that it showed. A program of its own, because the texts of a process
 * are in one language.
 */
public final class GermanWindow {
  private GermanWindow() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private final Set<String> shown = new TreeSet<>();

    @Override
    public void start(Stage stage) {
      Locale.setDefault(Locale.ENGLISH);
      Remembered remembered = Remembered.inMemory();
      Language.of(remembered.choices()).set(Language.Choice.GERMAN);
      Language.use(remembered.choices());
      WindowFixture.show(
          stage,
          1280,
          800,
          FakeSessionManager.migrating(),
          Executors.newVirtualThreadPerTaskExecutor(),
          remembered,
          Platform::exit);
      var script = new Script(stage, Path.of("")).after(0.3, this::read);
      script
          .after(0.7, () -> Script.press("#start"))
          .await("the views", () -> Script.isShown("#views"))
          .after(0.5, this::read);
      for (int i = 0; i < 9; i++) {
        int view = i;
        script.after(0, () -> Script.open(view)).after(0.3, this::read);
      }
      for (String button :
          List.of(
              "#new-source",
              "#new-destination",
              "#show-devices",
              "#show-qemus",
              "#show-fleet",
              "#help")) {
        script
            .after(0, () -> Script.press(button))
            .after(0.5, this::read)
            .after(0, () -> others(stage));
      }
      script.after(0.1, () -> shown.forEach(System.out::println)).after(0, () -> System.exit(0));
      script.run();
    }

    private static void others(Stage stage) {
      List.copyOf(Window.getWindows()).stream()
          .filter(open -> !open.equals(stage))
          .forEach(Window::hide);
    }

    private void read() {
      for (Window open : Window.getWindows()) {
        if (open instanceof Stage stage) {
          text(stage.getTitle());
        }
        if (open.getScene() != null) {
          walk(open.getScene().getRoot());
        }
      }
    }

    private void walk(Node node) {
      text(node.getAccessibleText());
      text(node.getAccessibleHelp());
      switch (node) {
        case MenuButton button -> button.getItems().forEach(this::item);
        case TabPane tabs -> tabs.getTabs().forEach(tab -> text(tab.getText()));
        case TableView<?> table -> table.getColumns().forEach(column -> text(column.getText()));
        case TextInputControl input -> text(input.getPromptText());
        default -> {}
      }
      if (node instanceof Labeled labeled) {
        text(labeled.getText());
      }
      if (node instanceof Control control) {
        if (control.getTooltip() != null) {
          text(control.getTooltip().getText());
        }
        ContextMenu menu = control.getContextMenu();
        if (menu != null) {
          menu.getItems().forEach(this::item);
        }
      }
      if (node instanceof Parent parent) {
        parent.getChildrenUnmodifiable().forEach(this::walk);
      }
    }

    private void item(MenuItem item) {
      text(item.getText());
      if (item instanceof Menu menu) {
        menu.getItems().forEach(this::item);
      }
    }

    private void text(@Nullable String text) {
      if (text != null) {
        text.lines().forEach(shown::add);
      }
    }
  }
}
