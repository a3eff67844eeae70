// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javafx.application.Platform;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.aftermath.Aftermath;
import org.wridscope.control.QemuProcess;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.SimulatedQemu;
import org.wridscope.control.guard.Deeds;
import org.wridscope.control.guard.Recovery;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.recording.RunningRecordings;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.watch.AbandonedWatches;
import org.wridscope.watch.KilledWatch;

/** Watches migrations in the window that others make. */
@Slow("it opens the window, which draws in real time")
final class WatchWindowTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final List<String> LOGS =
      List.of("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log");

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);
  @TempDir private Path directory;

  /** A second QMP socket, for whoever starts the migration. */
  private QmpAddress.Unix socket(String name) {
    return new QmpAddress.Unix(directory.resolve(name));
  }

  private void connect(FxRobot robot, QmpAddress qemu) {
    robot.interact(() -> {
      robot.lookup("#qemu-address").queryAs(ComboBox.class).getEditor().setText(qemu.toString());
      robot.lookup("#qemu-connect").queryButton().fire();
    });
  }

  private SessionPair pair() {
    return Objects.requireNonNull(window.selected().pair());
  }

  private static boolean completed(SessionPair pair) {
    return pair.sessions().stream()
        .allMatch(session -> session.status() == MigrationStatus.COMPLETED);
  }

  @Test
  @Tag("qemu")
  void bothEndsOfRealQemus_areOneMigration(FxRobot robot) throws Exception {
    QemuProcess.assumeInstalled();
    QmpAddress.Unix starts = socket("starts");
    QmpAddress.Unix accepts = socket("accepts");
    try (QemuProcess from =
            QemuProcess.running(directory, "vm7", "-qmp", starts + ",server=on,wait=off");
        QemuProcess to =
            QemuProcess.waiting(directory, "empty", "-qmp", accepts + ",server=on,wait=off")) {
      window.press(KeyCode.CONTROL, KeyCode.SHIFT, KeyCode.C);
      await("the pane", () -> window.isShown("#qemu-address"));
      connect(robot, from.address());
      connect(robot, to.address());
      await("both to answer", () -> shown(robot, ".migrate-from") && shown(robot, ".receive-in"));
      robot.interact(() -> button(robot, ".watch-qemu").fire());
      await("the question", () -> window.isShown("#watch-both"));
      robot.interact(() -> robot.lookup("#watch-both").queryButton().fire());
      await("its row", () -> window.selected().pair() != null);
      SessionPair pair = pair();
      assertThat(pair.sessions()).hasSize(2).allMatch(Session::isWatched);

      String uri = "unix:" + directory.resolve("migration");
      try (Qmp there = Qmp.connect(accepts, LIMIT);
          Qmp here = Qmp.connect(starts, LIMIT)) {
        new QemuMonitor(there).migrateIncoming(uri);
        new QemuMonitor(here).migrate(uri);
      }
      await("the end", () -> completed(pair));
      await("its message", () -> window.text("#message").startsWith("QEMU reports: completed."));
      Session source = Objects.requireNonNull(pair.source());
      await("the source to be told", () -> !source.guestRunning());
    }
  }

  private static Button button(FxRobot robot, String selector) {
    return robot.lookup(selector).queryAllAs(Button.class).stream()
        .filter(Button::isVisible)
        .findFirst()
        .orElseThrow();
  }

  private static boolean shown(FxRobot robot, String selector) {
    return robot.lookup(selector).queryAllAs(Button.class).stream().anyMatch(Button::isVisible);
  }

  @Test
  void logsThatGrow_areOneMigration() throws Exception {
    var rest = new LinkedHashMap<Path, String>();
    for (String name : LOGS) {
      Path log = WindowFixture.traceLog(directory, name);
      String text = Files.readString(log);
      int half = text.indexOf('\n', text.length() / 2) + 1;
      Files.writeString(log, text.substring(0, half));
      rest.put(log, text.substring(half));
    }
    Platform.runLater(() -> window.main().followLogs(List.copyOf(rest.keySet())));
    await("its row", () -> window.selected().pair() != null);
    SessionPair pair = pair();
    assertThat(pair.sessions()).hasSize(2);
    assertThat(completed(pair)).isFalse();
    for (Map.Entry<Path, String> more : rest.entrySet()) {
      Files.writeString(more.getKey(), more.getValue(), StandardOpenOption.APPEND);
    }
    await("the end", () -> completed(pair));
    await("its message", () -> window.text("#message").startsWith("QEMU reports: completed."));
  }

  @Test
  void whatAKilledWatchLeft_isPutBackWhenAsked(FxRobot robot) throws Exception {
    try (SimulatedQemu qemu = SimulatedQemu.running(directory, "vm7")) {
      KilledWatch killed = KilledWatch.leave(qemu, directory);
      var aftermath =
          new Aftermath(
              new Journals(directory.resolve("journal")),
              new Deeds(directory.resolve("guarded")),
              List.of(),
              new RunningRecordings(directory.resolve("recordings")),
              new AbandonedWatches(directory));
      window.main().tellAftermath(aftermath, Recovery.of(directory.resolve("guard.log")));
      await("the offer", () -> window.isShown("#banner-action"));
      assertThat(window.text("#banner"))
          .contains("was killed while it watched", "Its guest is where it was");
      assertThat(window.text("#banner-action")).isEqualTo("Put back");
      robot.interact(() -> robot.lookup("#banner-action").queryButton().fire());
      await("the result", () -> window.text("#banner").startsWith("The log of the QEMU at"));
      assertThat(window.text("#banner")).contains("goes to " + killed.formerLog());
      assertThat(qemu.traceEvents()).doesNotContainValue(true);
      assertThat(new AbandonedWatches(directory).sentences()).isEmpty();
    }
  }
}
