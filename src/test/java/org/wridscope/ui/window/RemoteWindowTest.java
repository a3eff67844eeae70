// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import javafx.event.ActionEvent;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.stage.WindowEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.qmp.Access;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.remote.NoLauncher;
import org.wridscope.remote.RemoteControl;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;

/** A headless Wridscope in the window of another one. */
@Slow("it opens the window, which draws in real time")
@Timeout(120)
final class RemoteWindowTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);
  @TempDir private Path directory;

  private RemoteControl serve(LocalSessions headless, boolean readOnly) throws IOException {
    return RemoteControl.open(
        new RemoteControl.Settings(
            new QmpAddress.Unix(directory.resolve("w.qmp")), Access.OWNER, readOnly),
        "wridscope test",
        headless::sessions,
        new NoLauncher(),
        () -> {});
  }

  /** A migration that does not end before its limit is lifted. */
  private static Lab startLab(LocalSessions headless) throws IOException {
    return headless.startLab(
        new LabSettings(
            new MigrationSettings(new GuestSettings.Synthetic(32 << 20, 4 << 20, 0, 0.3, 7))
                .with(MigrationSetting.BANDWIDTH, 1L << 20)));
  }

  private void attach(FxRobot robot, String address) {
    window.choose("#recordings", "attach-wridscope");
    await("the dialog", () -> window.isShown("#wridscope-address"));
    robot.interact(() ->
        robot.lookup("#wridscope-address").queryAs(ComboBox.class).getEditor().setText(address));
    robot.interact(() -> robot.lookup("#dialog-accept").queryButton().fire());
  }

  private SessionPair pair() {
    return Objects.requireNonNull(window.selected().pair());
  }

  @Test
  void aHeadlessLab_isShownWithEqualCounts_andSteered(FxRobot robot) throws Exception {
    try (var headless = new LocalSessions();
        RemoteControl control = serve(headless, false)) {
      Lab lab = startLab(headless);
      attach(robot, control.address().toString());
      await("its row", () -> window.selected().pair() != null);
      SessionPair pair = pair();
      assertThat(pair.sessions()).hasSize(2).allMatch(Session::isRemote);
      await("the first round", () -> window.text("#status").equals("migrating"));
      assertThat(window.isShown("#detach")).isTrue();
      // The same migration, as the process that makes it shows it.
      window.manager.add(lab.destination());
      window.manager.add(lab.source());
      await("both in the list", () -> window.list().getItems().size() == 3);
      window.select(1);
      ComboBox<?> bandwidth = robot.lookup("#bandwidth-limit").queryAs(ComboBox.class);
      await("the limit in force", () -> bandwidth.getEditor().getText().equals("1MiB/s"));
      robot.interact(() -> {
        bandwidth.getEditor().setText("0");
        bandwidth.fireEvent(new ActionEvent());
      });
      await("the end", () -> pair.ended() && pair.leading().outcome() != null);
      await("its message", () -> window.text("#message").equals(window.selected().outcome()));
      assertThat(lab.source().status()).isEqualTo(MigrationStatus.COMPLETED);
      for (Session here : pair.sessions()) {
        assertThat(here.await(Duration.ofSeconds(60))).isTrue();
      }

      String shown = texts(robot);
      assertThat(shown).contains("all RAM arrived");
      window.select(2);
      await("the same texts", () -> texts(robot).equals(shown));
    }
  }

  /** All texts of the overview that are counted or measured, except those of the whole process. */
  private static String texts(FxRobot robot) {
    var all = new StringBuilder();
    for (Label label : robot.lookup(".tile .label").queryAllAs(Label.class)) {
      all.append(label.getText()).append('\n');
    }
    for (Labeled legend : robot.lookup(".chunk-legend .button").queryAllAs(Labeled.class)) {
      all.append(legend.getText()).append('\n');
    }
    return all.toString();
  }

  @Test
  void detaching_endsOnlyWhatIsShown(FxRobot robot) throws Exception {
    try (var headless = new LocalSessions();
        RemoteControl control = serve(headless, false)) {
      Lab lab = startLab(headless);
      attach(robot, control.address().toString());
      await("its row", () -> window.selected().pair() != null);
      await("the button", () -> window.isShown("#detach"));
      robot.interact(() -> robot.lookup("#detach").queryButton().fire());
      await("what happened", () -> window.text("#message").contains("it continues at unix:"));
      assertThat(lab.source().status().isEnd()).isFalse();
      window.choose("#recordings", "attach-wridscope");
      await("the dialog", () -> window.isShown("#wridscope-address"));
      assertThat(robot.lookup("#wridscope-address").<ComboBox<String>>query().getItems())
          .containsExactly(control.address().toString());
      robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());
    }
  }

  @Test
  void closingTheWindow_asksNothing_andEndsNothing(FxRobot robot) throws Exception {
    try (var headless = new LocalSessions();
        RemoteControl control = serve(headless, false)) {
      Lab lab = startLab(headless);
      attach(robot, control.address().toString());
      await("its row", () -> window.selected().pair() != null);
      robot.interact(() ->
          window
              .stage()
              .fireEvent(new WindowEvent(window.stage(), WindowEvent.WINDOW_CLOSE_REQUEST)));
      await("the window to be closed", () -> window.closed.get() == 1);
      window.forget();
      assertThat(lab.source().status().isEnd()).isFalse();
    }
  }

  @Test
  void whoMayOnlyLook_isOfferedNothingElse_andABrokenConnectionIsSaid(FxRobot robot)
      throws Exception {
    try (var headless = new LocalSessions()) {
      RemoteControl control = serve(headless, true);
      Lab lab = startLab(headless);
      attach(robot, control.address().toString());
      await("its row", () -> window.selected().pair() != null);
      await("the button", () -> window.isShown("#cancel"));
      await("its text", () -> window.text("#cancel").equals("Stop watching"));
      assertThat(window.isShown("#bandwidth-limit")).isFalse();
      control.close();
      await(
          "what happened",
          () -> window.text("#message").contains("The connection to the Wridscope at unix:"));
      assertThat(lab.source().status().isEnd()).isFalse();
    }
  }

  @Test
  void anAddressWithoutAWridscope_isSaid(FxRobot robot) {
    window.choose("#recordings", "attach-wridscope");
    await("the dialog", () -> window.isShown("#wridscope-address"));
    robot.interact(() ->
        robot.lookup("#wridscope-address").queryAs(ComboBox.class).getEditor().setText("nowhere"));
    assertThat(robot.lookup("#dialog-accept").queryButton().isDisabled()).isTrue();
    robot.interact(() ->
        robot
            .lookup("#wridscope-address")
            .queryAs(ComboBox.class)
            .getEditor()
            .setText("unix:" + directory.resolve("absent")));
    robot.interact(() -> robot.lookup("#dialog-accept").queryButton().fire());
    await("the reason", () -> window.isShown("#banner-close"));
  }
}
