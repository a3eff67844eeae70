// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javafx.application.Platform;
import javafx.event.Event;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Labeled;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.stage.WindowEvent;
import org.wridscope.TimeLimit;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;

/**
 * The real window, without a screen, in a process of its own. It prints what its list, its message
 * and its banner show whenever that changes, and does what standard input says: {@code attach
 * ADDRESS} through the dialog, and {@code close} as the user does. {@code DISPLAY} must be set.
 */
public final class WindowOnTheConsole {

  private WindowOnTheConsole() {}

  /** Opens the window with the arguments of the program. */
  public static void main(String[] arguments) {
    System.setProperty("glass.platform", "Unseen");
    System.setProperty("prism.order", "sw");
    System.setProperty("javafx.animation.pulse", "10");
    System.exit(WridscopeCommand.run(arguments, LocalSessions::new, WindowOnTheConsole::open));
  }

  private static void open(SessionManager manager, List<Path> files) {
    Thread.ofPlatform().daemon().start(WindowOnTheConsole::print);
    Thread.ofPlatform().daemon().start(WindowOnTheConsole::obey);
    WindowLauncher.launch(manager, files);
  }

  /** Whenever the window was laid out, because something in it changed. */
  private static void print() {
    try {
      Node any = await("#recordings");
      var before = new AtomicReference<>("");
      Runnable changes =
          () -> {
            String shown =
                texts(".list-cell .label") + " | " + texts("#message") + " | " + texts("#banner");
            if (!shown.equals(before.getAndSet(shown))) {
              System.out.println("list: " + shown);
            }
          };
      Platform.runLater(() -> {
        any.getScene().addPostLayoutPulseListener(changes);
        changes.run();
      });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String texts(String selector) {
    return all(selector).stream()
        .filter(Labeled.class::isInstance)
        .filter(WindowFixture::isShown)
        .map(node -> ((Labeled) node).getText())
        .collect(Collectors.joining(", "));
  }

  private static void obey() {
    try (var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line = input.readLine();
      while (line != null) {
        if (line.equals("close")) {
          close();
        } else {
          attach(line.substring("attach ".length()));
        }
        line = input.readLine();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void attach(String address) throws InterruptedException {
    var menu = (MenuButton) await("#recordings");
    Platform.runLater(() ->
        menu.getItems().stream()
            .filter(item -> "attach-wridscope".equals(item.getId()))
            .forEach(MenuItem::fire));
    var field = (ComboBox<?>) await("#wridscope-address");
    Platform.runLater(() -> field.getEditor().setText(address));
    var accept = (Button) await("#dialog-accept");
    Platform.runLater(accept::fire);
  }

  private static void close() throws InterruptedException {
    Node any = await("#recordings");
    Platform.runLater(() -> {
      var stage = (Stage) any.getScene().getWindow();
      Event.fireEvent(stage, new WindowEvent(stage, WindowEvent.WINDOW_CLOSE_REQUEST));
    });
  }

  private static List<Node> all(String selector) {
    return Window.getWindows().stream()
        .filter(window -> window.getScene() != null)
        .flatMap(window -> window.getScene().getRoot().lookupAll(selector).stream())
        .toList();
  }

  /** Asks the window; waits until there is one. */
  private static <T> T onWindow(Supplier<T> question) throws InterruptedException {
    var limit = new TimeLimit();
    while (true) {
      try {
        return CompletableFuture.supplyAsync(question, Platform::runLater).join();
      } catch (IllegalStateException e) {
        // JavaFX has not been started yet.
        limit.glance("JavaFX");
      }
    }
  }

  /** Waits until the window has a node. */
  private static Node await(String selector) throws InterruptedException {
    var limit = new TimeLimit();
    while (true) {
      Optional<Node> found = onWindow(() -> all(selector).stream().findFirst());
      if (found.isPresent()) {
        return found.get();
      }
      limit.glance(selector);
    }
  }
}
