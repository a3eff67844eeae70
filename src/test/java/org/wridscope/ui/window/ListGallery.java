// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.ListView;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.stage.Stage;
import org.wridscope.control.FakeSession;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.remembered.Remembered;

/**
 * Takes pictures of the list of migrations in groups, for people to look at. Runs by hand, with the
 * test class path: {@code ListGallery DIRECTORY [dark|light] [WIDTH HEIGHT [compact]]}.
 */
public final class ListGallery {
  private ListGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      String theme = args.size() > 1 ? args.get(1) : "dark";
      double width = args.size() > 3 ? Double.parseDouble(args.get(2)) : 1280;
      double height = args.size() > 3 ? Double.parseDouble(args.get(3)) : 800;
      String looks = args.contains("compact") ? "-compact-" : "-";
      String suffix = looks + theme + "-" + (int) width + ".png";
      Remembered remembered = Memories.withTheme(theme);
      remembered.choices().put("group-list", "host");
      remembered.choices().put("compact-list", args.contains("compact"));
      var manager = new LocalSessions();
      WindowFixture.show(
          stage,
          width,
          height,
          manager,
          Executors.newVirtualThreadPerTaskExecutor(),
          remembered,
          Platform::exit);
      new Script(stage, Path.of(args.getFirst()))
          .after(0.5, () -> Script.press("#start"))
          .after(1.5, () -> others(manager))
          .after(1, () -> Script.select(4))
          .picture(1, "unfolded" + suffix)
          .after(0.1, () -> key(KeyCode.LEFT))
          .picture(0.5, "heading" + suffix)
          .after(0.1, () -> key(KeyCode.LEFT))
          .picture(0.5, "folded" + suffix)
          .after(0.1, () -> menu().show(Script.node("#sessions"), 40, 120))
          .after(0.5, () -> write(args.getFirst(), "menu" + suffix))
          .after(0.1, () -> menu().hide())
          .after(0.1, () -> Script.choose("#lab", "Scenarios…"))
          .after(0.5, () -> Script.press("#run-busy-guest"))
          .after(0.5, () -> Script.choose("#lab", "Scenarios…"))
          .after(0.5, () -> Script.press("#run-destination-cut"))
          .after(0.5, () -> Script.choose("#program-menu", "Scenario"))
          .picture(0.5, "by-scenario" + suffix)
          .after(0.1, Platform::exit)
          .run();
    }

    private static ListView<?> list() {
      return (ListView<?>) Script.node("#sessions");
    }

    private static ContextMenu menu() {
      return list().getContextMenu();
    }

    private static void write(String directory, String name) {
      try {
        Pictures.write(menu().getScene(), Path.of(directory, name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void key(KeyCode code) {
      list()
          .fireEvent(new KeyEvent(KeyEvent.KEY_PRESSED, "", "", code, false, false, false, false));
    }

    private static void others(SessionManager manager) {
      String[] hosts = {"10.9.0.2", "10.9.0.10", "10.9.0.2", "rack7-node12.example"};
      for (int i = 0; i < hosts.length; i++) {
        String uri = "rdma:%s:4444".formatted(hosts[i]);
        var session = new FakeSession("vm" + (i + 1), uri, Role.SOURCE, true);
        if (i % 2 == 0) {
          session.end(
              MigrationStatus.FAILED,
              "Connection refused by %s:4444: start the destination there first."
                  .formatted(hosts[i]));
        }
        manager.add(session);
      }
    }
  }
}
