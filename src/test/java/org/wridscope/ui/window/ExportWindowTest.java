// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import javafx.scene.Node;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.TabPane;
import javafx.scene.image.Image;
import javafx.scene.image.WritableImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.SessionPair;
import org.wridscope.export.Export;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.ui.View;
import org.wridscope.ui.export.Png;

/** Exports and pictures of a trace log of QEMU, made in the window. */
@Slow("it opens the window, which draws in real time")
final class ExportWindowTest {
  @TempDir static Path directory;

  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);

  private SessionPair open() throws IOException {
    Path file = WindowFixture.traceLog(directory, "qemu-7.2-dyn-idle.source.log");
    return Objects.requireNonNull(window.open(List.of(file)).pair());
  }

  private static Output output(Path file, FileKind kind) {
    return Output.of("Export", file, kind).replacing();
  }

  @Test
  void everyExport_isWhole_whereverTheRecordingStands(FxRobot robot) throws Exception {
    SessionPair pair = open();
    var source = (RecordedSession) pair.leading();
    long end = source.position();
    window.seek(0.1);
    await("the moment", () -> source.position() < end);
    // The moment is shown by one task of this thread.
    robot.interact(() -> {});
    long shown = pair.leading().telemetry().log().size();
    for (Export export : Export.choices()) {
      Path file = directory.resolve(export.text() + "." + export.format().text());
      robot.interact(() ->
          window.main().exporting().export(pair, export, output(file, export.format().kind())));
      await(
          "the " + export.text(),
          () ->
              window
                  .text("#banner")
                  .equals(
                      "The %s is in %s."
                          .formatted(
                              export.text(), directory.toRealPath().resolve(file.getFileName()))));
      assertThat(robot.lookup("#export-bar").query().isVisible()).isFalse();
    }
    assertThat(Files.readAllLines(directory.resolve("table of events.csv")).size())
        .isGreaterThan((int) shown + 1);
    assertThat(pair.leading().telemetry().log().size()).isEqualTo(shown);
  }

  @Test
  void aPlaceThatCannotBeWritten_isSaidInASentence(FxRobot robot) throws Exception {
    SessionPair pair = open();
    Path nowhere = directory.resolve("none").resolve("report.html");
    Export report = Export.choices().getFirst();
    robot.interact(() ->
        window.main().exporting().export(pair, report, output(nowhere, report.format().kind())));
    await(
        "the sentence", () -> window.text("#banner").contains("does not exist; create it first."));
  }

  @Test
  void everyView_canBeSavedAsAPicture_withATitle_atTwiceTheResolution(FxRobot robot)
      throws Exception {
    open();
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    for (int i = 0; i < tabs.getTabs().size(); i++) {
      int tab = i;
      robot.interact(() -> tabs.getSelectionModel().select(tab));
      WaitForAsyncUtils.waitForFxEvents();
      var seen = new Image[1];
      Path file = directory.resolve(i + ".png");
      var size = new int[2];
      robot.interact(() -> {
        View view = Objects.requireNonNull(window.main().currentView());
        seen[0] = window.main().exporting().picture(window.selected(), view);
        // One that scrolls is shown whole.
        Node whole = view.node() instanceof ScrollPane scroll ? scroll.getContent() : view.node();
        size[0] = (int) Math.round(inScene(whole).getWidth());
        size[1] = (int) Math.round(inScene(whole).getHeight());
        window.main().exporting().savePicture(seen[0], output(file, FileKind.PICTURE));
      });
      await("the picture", () -> Files.exists(file));
      try (var in = new FileInputStream(file.toFile())) {
        Image read = new Image(in);
        String title = tabs.getTabs().get(i).getText();
        assertThat(read.getException()).as(title).isNull();
        assertThat((int) read.getWidth()).as(title).isEqualTo(2 * size[0]).isGreaterThan(600);
        assertThat((int) read.getHeight()).as(title).isBetween(2 * size[1] + 50, 2 * size[1] + 160);
        assertSamePixels(title, read, seen[0]);
        assertThat(colours(read, 4)).as(title).isEqualTo(4);
      }
      await("the bar to go", () -> !robot.lookup("#export-bar").query().isVisible());
    }
  }

  private static void assertSamePixels(String what, Image image, Image expected) {
    assertThat(Arrays.mismatch(Pictures.pixels(image), Pictures.pixels(expected)))
        .as("the first pixel of %s that differs", what)
        .isEqualTo(-1);
  }

  /** How many colours a picture has, but not more than are asked for. */
  private static long colours(Image image, int most) {
    return IntStream.of(Pictures.pixels(image)).distinct().limit(most).count();
  }

  @Test
  void anyPixels_areReadBack() throws Exception {
    var image = new WritableImage(37, 11);
    for (int i = 0; i < 37 * 11; i++) {
      image.getPixelWriter().setArgb(i % 37, i / 37, 0xff000000 | i * 0x9e3779);
    }
    var out = new ByteArrayOutputStream();
    Png.write(image, out);
    Image read = new Image(new ByteArrayInputStream(out.toByteArray()));
    assertThat(read.getException()).isNull();
    assertSamePixels("the picture", read, image);
  }

  @Test
  void theMenu_offersEveryExport(FxRobot robot) {
    Menu menu =
        (Menu)
            robot.lookup("#recordings").queryAs(MenuButton.class).getItems().stream()
                .filter(item -> "export".equals(item.getId()))
                .findFirst()
                .orElseThrow();
    assertThat(menu.getItems())
        .extracting(MenuItem::getText)
        .containsExactly(
            "Report (HTML)…",
            "Document (JSON)…",
            "Table of events (CSV)…",
            "Table of requests (CSV)…",
            "Table of samples (CSV)…",
            "Table of messages (CSV)…",
            "Table of virtio (CSV)…",
            "Table of log (CSV)…",
            "Trace for Perfetto (JSON)…");
    robot.interact(() -> menu.getItems().getFirst().fire());
    assertThat(window.text("#banner")).contains("Start this migration");
  }
}
