// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.QemuProcess;

/**
 * Takes pictures of the window with real QEMUs, for people to look at. Runs by hand, with the test
 * class path, where QEMU is installed: {@code QemuGallery DIRECTORY [dark|light] [WIDTH HEIGHT]}.
 */
public final class QemuGallery {
  private QemuGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final int VIEWS = 9;

    private final List<QemuProcess> qemus = new CopyOnWriteArrayList<>();

    @Override
    public void start(Stage stage) throws IOException, InterruptedException {
      List<String> args = getParameters().getRaw();
      String theme = args.size() > 1 ? args.get(1) : "dark";
      double width = args.size() > 3 ? Double.parseDouble(args.get(2)) : 1280;
      double height = args.size() > 3 ? Double.parseDouble(args.get(3)) : 800;
      String suffix = "-" + theme + "-" + (int) width + ".png";
      Path directory = Files.createTempDirectory("qemus");
      qemus.add(QemuProcess.running(directory, "counter"));
      qemus.add(QemuProcess.waiting(directory, "empty"));
      qemus.add(QemuProcess.start(directory, "plain", "memory-backend-ram"));
      WindowFixture.show(
          stage,
          width,
          height,
          new LocalSessions(),
          Executors.newVirtualThreadPerTaskExecutor(),
          Memories.withTheme(theme),
          Platform::exit);
      // Whatever ends this program, no QEMU of it stays.
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> qemus.forEach(QemuProcess::close), "QEMUs"));
      var script =
          new Script(stage, Path.of(args.getFirst()))
              .after(1, () -> Script.press("#show-qemus"))
              .after(1, () -> write(stage, args, "qemu-empty" + suffix))
              .after(0, this::connectAll)
              .await("three cards", () -> buttons("Migrate from here…").count() == 2)
              .await("a destination", () -> buttons("Receive a guest here…").count() == 1)
              .after(1, () -> write(stage, args, "qemu-connected" + suffix))
              .after(0, () -> migrateFrom("plain"))
              .after(0.8, () -> write(stage, args, "qemu-dialog-plain" + suffix))
              .after(0, () -> Script.press("#dialog-cancel"))
              .after(0, () -> migrateFrom("counter"))
              .after(0.8, () -> write(stage, args, "qemu-dialog-own" + suffix))
              .after(0, () -> Script.press("#dialog-qemu"))
              .after(0, () -> set("#field-uri", "unix:" + directory.resolve("migration")))
              .after(0, () -> set("#field-bandwidth", "4MiB/s"))
              .after(
                  0,
                  () ->
                      ((CheckBox) Script.node("#dialog-pause-before-switchover")).setSelected(true))
              .after(0.8, () -> write(stage, args, "qemu-dialog-qemu" + suffix))
              .after(0, () -> Script.press("#dialog-accept"))
              .picture(4, "qemu-overview" + suffix);
      for (int i = 1; i < VIEWS; i++) {
        int view = i;
        script.after(0.1, () -> Script.open(view)).picture(0.4, "qemu-tab-" + view + suffix);
      }
      script
          .after(0.1, () -> Script.open(0))
          .await("the source to be held", () -> Script.isShown("#permit-switchover"))
          .picture(0.5, "qemu-held" + suffix)
          .after(0, () -> Script.press("#permit-switchover"))
          .await("the end", () -> !Script.isShown("#cancel"))
          .picture(1, "qemu-done" + suffix)
          .after(0, () -> Script.press("#show-qemus"))
          .after(2, () -> write(stage, args, "qemu-after" + suffix))
          .after(0, () -> startMore(directory))
          .after(0, this::connectAll)
          .await("a destination", () -> buttons("Receive a guest here…").count() == 1)
          .after(1, () -> migrateFrom("vm2"))
          .after(0.8, () -> write(stage, args, "qemu-dialog-wridscope" + suffix))
          .after(0, () -> set("#field-bandwidth", "8MiB/s"))
          .after(0, () -> Script.press("#dialog-accept"))
          .await("the migration", () -> Script.isShown("#cancel"))
          .picture(4, "qemu-own-overview" + suffix)
          .await("the end", () -> !Script.isShown("#cancel"))
          .picture(1, "qemu-own-done" + suffix)
          .after(0.2, stage::hide)
          .run();
    }

    private void startMore(Path directory) {
      try {
        qemus.add(QemuProcess.running(directory, "vm2"));
        qemus.add(QemuProcess.waiting(directory, "spare"));
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private void connectAll() {
      for (QemuProcess qemu : qemus) {
        @SuppressWarnings("unchecked")
        var address = (ComboBox<String>) Script.node("#qemu-address");
        address.getEditor().setText(qemu.address().toString());
        Script.press("#qemu-connect");
      }
    }

    private static Stream<Button> buttons(String text) {
      return Script.node("#qemus").lookupAll(".button").stream()
          .map(Button.class::cast)
          .filter(button -> button.isVisible() && text.equals(button.getText()));
    }

    private static void migrateFrom(String name) {
      for (Node card : Script.node("#qemus").lookupAll(".qemu-card")) {
        boolean meant =
            card.lookupAll(".session-name").stream()
                .anyMatch(label -> name.equals(((Label) label).getText()));
        if (meant) {
          ((Button) card.lookup(".migrate-from")).fire();
        }
      }
    }

    private static void set(String field, String text) {
      ((TextField) Script.node(field)).setText(text);
    }

    /** Writes a picture of each open window but the main one. */
    private static void write(Stage stage, List<String> args, String name) {
      var number = new AtomicInteger();
      for (Window open : List.copyOf(Window.getWindows())) {
        if (open instanceof Stage && !open.equals(stage)) {
          try {
            String numbered = number.getAndIncrement() == 0 ? name : number + "-" + name;
            Pictures.write(open.getScene(), Path.of(args.getFirst()).resolve(numbered));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
    }
  }
}
