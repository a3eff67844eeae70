// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import javafx.application.Platform;
import javafx.event.Event;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.DialogPane;
import javafx.scene.control.Label;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.stage.WindowEvent;
import org.wridscope.TimeLimit;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.CaptureDisk;

/**
 * The real window, without a screen, in a process of its own: it captures a guest on a slow disk,
 * and something happens to it while the disk is busy. {@code DISPLAY} must be set.
 */
public final class WindowInAProcess {

  private WindowInAProcess() {}

  /**
   * Opens the window.
   *
   * @param arguments the file that exists while the disk is busy, the file to capture in, and what
   *     happens: {@code close} (the user closes the window and confirms), {@code hide} (the window
   *     disappears), {@code destroy} (the desktop destroys it), or {@code nothing}
   */
  public static void main(String[] arguments) {
    System.setProperty("glass.platform", "Unseen");
    System.setProperty("prism.order", "sw");
    System.setProperty("javafx.animation.pulse", "10");
    Path busy = Path.of(arguments[0]);
    CaptureDisk.untilDeleted(busy);
    System.exit(
        WridscopeCommand.run(
            new String[0],
            LocalSessions::new,
            (manager, files) -> {
              Thread.ofPlatform()
                  .daemon()
                  .start(() -> script(manager, busy, Path.of(arguments[1]), arguments[2]));
              WindowLauncher.launch(manager, files);
            }));
  }

  private static void script(SessionManager manager, Path busy, Path capture, String what) {
    try {
      Session session =
          manager.startDestination(
              new DestinationSettings(
                  "rdma:127.0.0.1:0",
                  new DeviceChoice.Software(),
                  new GuestSettings.Capture(Output.of("capture", capture, FileKind.STREAM))));
      System.out.println("listening on " + session.uri());
      await("the disk to be busy", () -> Files.exists(busy) ? Optional.of(busy) : Optional.empty());
      switch (what) {
        case "close" -> close();
        case "hide" -> {
          Stage stage = find("the window", WindowInAProcess::stage);
          Platform.runLater(stage::hide);
        }
        case "destroy" -> {
          Stage _ = find("the window", WindowInAProcess::stage);
          Platform.runLater(() ->
              List.copyOf(com.sun.glass.ui.Window.getWindows())
                  .forEach(com.sun.glass.ui.Window::close));
        }
        default -> {}
      }
      System.out.println("the disk is busy");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void close() throws InterruptedException {
    Stage stage = find("the window", WindowInAProcess::stage);
    Platform.runLater(
        () -> Event.fireEvent(stage, new WindowEvent(stage, WindowEvent.WINDOW_CLOSE_REQUEST)));
    Button quit = find("the question", WindowInAProcess::quit);
    Platform.runLater(quit::fire);
    Label label = find("what closing waits for", () -> node("#closing", Label.class));
    System.out.println(label.getText().replace('\n', ' '));
  }

  private static Optional<Stage> stage() {
    return Window.getWindows().stream()
        .filter(window -> window instanceof Stage stage && stage.getOwner() == null)
        .map(Stage.class::cast)
        .findFirst();
  }

  private static Optional<Button> quit() {
    return node(".dialog-pane", DialogPane.class)
        .flatMap(pane ->
            pane.getButtonTypes().stream()
                .filter(type -> type.getText().equals("Stop migration and quit"))
                .map(type -> (Button) pane.lookupButton(type))
                .findFirst());
  }

  private static <T extends Node> Optional<T> node(String selector, Class<T> type) {
    return Window.getWindows().stream()
        .filter(window -> window.getScene() != null)
        .map(window -> window.getScene().getRoot().lookup(selector))
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst();
  }

  /** Waits until the window has something. */
  private static <T> T find(String what, Supplier<Optional<T>> look) throws InterruptedException {
    return await(
        what,
        () -> {
          var answer = new CompletableFuture<Optional<T>>();
          Platform.runLater(() -> answer.complete(look.get()));
          return answer.join();
        });
  }

  private static <T> T await(String what, Supplier<Optional<T>> look) throws InterruptedException {
    var limit = new TimeLimit();
    Optional<T> found = look.get();
    while (found.isEmpty()) {
      limit.glance(what);
      found = look.get();
    }
    return found.get();
  }
}
