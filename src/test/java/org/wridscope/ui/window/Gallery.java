// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.TextField;
import javafx.stage.Stage;
import org.wridscope.control.FakeSession;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * Takes pictures of the window with a migration by the software device, for people to look at. Runs
 * by hand, with the test class path: {@code Gallery DIRECTORY [dark|light] [WIDTH HEIGHT]}.
 */
public final class Gallery {
  private Gallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final int VIEWS = 9;

    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      String theme = args.size() > 1 ? args.get(1) : "dark";
      double width = args.size() > 3 ? Double.parseDouble(args.get(2)) : 1280;
      double height = args.size() > 3 ? Double.parseDouble(args.get(3)) : 800;
      String suffix = "-" + theme + "-" + (int) width + ".png";
      var manager = new LocalSessions();
      WindowFixture.show(
          stage,
          width,
          height,
          manager,
          Executors.newVirtualThreadPerTaskExecutor(),
          Memories.withTheme(theme),
          Platform::exit);
      var script =
          new Script(stage, Path.of(args.getFirst()))
              .picture(1, "ready" + suffix)
              .after(0.2, () -> Script.press("#start"))
              .picture(1.6, "overview-1" + suffix)
              .after(0.5, () -> fail(manager))
              .picture(2.9, "overview-2" + suffix);
      for (int i = 1; i < VIEWS; i++) {
        int view = i;
        script.after(0.1, () -> Script.open(view)).picture(0.7, "tab-" + view + suffix);
      }
      script
          .after(0.1, () -> Script.open(0))
          .picture(8, "overview-3" + suffix)
          .after(0.1, () -> Script.select(1))
          .picture(1, "failed" + suffix)
          .after(0.2, () -> Script.press("#new-source"))
          .pictureOfOther(0.8, "dialog" + suffix)
          .after(0.2, () -> Script.press("#new-source"))
          .after(0.5, Show::enterNonsense)
          .pictureOfOther(0.8, "dialog-errors" + suffix)
          .after(0.2, () -> Script.press("#new-destination"))
          .pictureOfOther(0.8, "dialog-destination" + suffix)
          .after(0.2, () -> Script.press("#show-devices"))
          .pictureOfOther(1, "devices" + suffix)
          .after(0.2, () -> Script.choose("#lab", "Scenarios…"))
          .pictureOfOther(1, "scenarios" + suffix)
          .after(0.2, () -> Script.press("#help"))
          .pictureOfOther(1, "help" + suffix)
          .after(0.2, Platform::exit)
          .run();
    }

    private static void fail(SessionManager manager) {
      var session = new FakeSession("vm7", "rdma:10.9.0.1:4444", Role.SOURCE, true);
      session.end(
          MigrationStatus.FAILED,
          "Connection refused by 10.9.0.1:4444: start the destination there first.");
      manager.add(session);
    }

    private static void enterNonsense() {
      for (String field : List.of("#field-ram", "#field-seed", "#field-timeout")) {
        ((TextField) Script.node(field)).setText("lots");
      }
      Script.press("#dialog-accept");
    }
  }
}
