// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.layOut;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.Labeled;
import javafx.scene.control.TableView;
import javafx.scene.control.TextInputControl;
import javafx.scene.image.WritableImage;
import javafx.scene.layout.StackPane;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Readings;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.completions.CompletionCharts;
import org.wridscope.ui.explain.ExplainView;
import org.wridscope.ui.export.Png;
import org.wridscope.ui.inspector.Inspector;
import org.wridscope.ui.log.LogRow;
import org.wridscope.ui.log.LogView;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.recording.Player;
import org.wridscope.ui.registrations.RegistrationCharts;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.virtio.VirtioView;
import org.wridscope.ui.wrids.WridsView;

/**
 * After a recording was moved to a moment, forward or back, every view shows the same as a new view
 * at that moment.
 */
@Slow("recordings of whole migrations")
@ExtendWith(OnFxRobot.class)
final class TimeTravelTest {
  private static final long SEED = 23;
  private static final int MOMENTS = 6;

  /** The label of an axis. */
  private static final Pattern TICK = Pattern.compile("[0-9.]+( ?[µa-zA-Z/%]+)?");

  @TempDir static Path directory;

  private final StackPane root = new StackPane();
  private final OpenRecordings recordings = new OpenRecordings();

  @BeforeAll
  static void record() throws Exception {
    RecordedLab.record(directory.resolve("lab.wrs"));
    for (String name : List.of("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log")) {
      try (InputStream in =
          Objects.requireNonNull(
              TimeTravelTest.class.getResourceAsStream("/org/wridscope/recording/qemu/" + name))) {
        Files.write(directory.resolve(name), in.readAllBytes());
      }
    }
  }

  @Start
  void start(Stage stage) {
    stage.setScene(new Scene(root, 1000, 700));
    stage.show();
  }

  /** What a view says; a picture is kept to be looked at if it differs. */
  private record Seen(String text, @Nullable WritableImage picture) {
    /** Writes the pictures, if there are any. */
    String differsFrom(Seen expected) {
      var words = new StringBuilder("%s%nA new view says: %s%n".formatted(text, expected.text));
      for (Seen each : List.of(this, expected)) {
        if (each.picture != null) {
          words.append(each.written()).append(System.lineSeparator());
        }
      }
      return words.toString();
    }

    private Path written() {
      Path file = Path.of("target", "time-travel", text.replaceAll("\\W+", "-") + ".png");
      try {
        Files.createDirectories(file.getParent());
        try (OutputStream out = Files.newOutputStream(file)) {
          Png.write(Objects.requireNonNull(picture), out);
        }
        return file;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** All views, as in the window. */
  private final class Views {
    private final Readings readings = new Readings();
    private final TimeRange range = new TimeRange();
    private final Selection selection = new Selection();
    private final Analyses analyses = new Analyses();
    private final Search search = new Search(range, selection, analyses);
    private final SessionPair pair;
    private final List<View> views;
    private final Presentation presentation;
    private final StackPane pane = new StackPane();
    private long now = System.nanoTime();

    Views(SessionPair pair) {
      this.pair = pair;
      views =
          List.of(
              new OverviewView(readings, pair::clock, _ -> false, List.of()),
              CompletionCharts.view(range),
              new ChunksView(range, selection, search, List::of),
              RegistrationCharts.view(range),
              new WridsView(range, selection, analyses, search, List::of),
              new MessagesView(range, selection, analyses, search, List::of),
              new VirtioView(range, Runnable::run),
              new ExplainView(range, selection, analyses, _ -> false, _ -> {}),
              new LogView(
                  range, selection, analyses, search, Remembered.inMemory().choices(), _ -> {}),
              new Inspector(readings, range, selection, Runnable::run));
      presentation =
          new Presentation(analyses, selection, shown -> views.forEach(view -> view.show(shown)));
      range.reset(pair.originNanos());
      presentation.show(pair);
      pane.getChildren().setAll(views.stream().map(View::node).toList());
      root.getChildren().add(pane);
    }

    void remove() {
      root.getChildren().remove(pane);
    }

    void moveTo(long nanos) throws IOException {
      for (RecordedSession session : Player.recorded(pair)) {
        session.moveTo(nanos);
      }
    }

    /** The texts of all views, and two pictures, after they have read all events. */
    List<Seen> seen() {
      layOut(root);
      boolean complete;
      do {
        complete = pulse();
      } while (!complete);
      // Reading events changes texts, and changed texts may need further reading.
      pulse();
      pulse();
      var seen = new ArrayList<Seen>();
      for (View view : views) {
        var texts = new ArrayList<String>();
        addTexts(view.node(), texts);
        seen.add(new Seen(view.title() + ": " + texts, null));
        if (view instanceof WridsView || view instanceof MessagesView) {
          WritableImage picture = drawing(view.node());
          seen.add(
              new Seen(view.title() + ": " + Arrays.hashCode(Pictures.pixels(picture)), picture));
        }
      }
      return seen;
    }

    private boolean pulse() {
      now += TimeUnit.SECONDS.toNanos(1);
      presentation.refresh();
      range.update(
          Player.recorded(pair).stream().mapToLong(RecordedSession::lastNanos).max().orElseThrow());
      // As in a frame, which is drawn before it is laid out.
      views.forEach(view -> view.pulse(now));
      layOut(root);
      return analyses.advance(pair);
    }
  }

  private static void addTexts(Node node, List<String> texts) {
    if (!node.isVisible()) {
      return;
    }
    switch (node) {
      case TableView<?> table -> table.getItems().forEach(item -> texts.add(row(item)));
      case TextInputControl field -> texts.add(field.getText());
      case Labeled label -> texts.add(label.getText());
      case Text text -> {
        // The scale of a chart depends on its past and claims nothing.
        if (!TICK.matcher(text.getText()).matches() || isIn("Legend", text)) {
          texts.add(text.getText());
        }
      }
      case Parent parent ->
          parent.getChildrenUnmodifiable().forEach(child -> addTexts(child, texts));
      default -> {
        // has no text
      }
    }
    if (node instanceof Labeled label && label.getGraphic() != null) {
      addTexts(label.getGraphic(), texts);
    }
  }

  /** Each opening of a recording makes other sessions. */
  private static String row(Object item) {
    return item instanceof LogRow(Session session, _, Event event)
        ? session.role() + " " + event
        : "" + item;
  }

  private static boolean isIn(String type, Node node) {
    Node at = node;
    while (at != null && !at.getClass().getSimpleName().equals(type)) {
      at = at.getParent();
    }
    return at != null;
  }

  /** A picture without texts, which may be a pixel higher or lower and were compared before. */
  private static WritableImage drawing(Node node) {
    List<Text> texts = texts(node).filter(Node::isVisible).toList();
    texts.forEach(text -> text.setVisible(false));
    WritableImage picture = node.snapshot(null, null);
    texts.forEach(text -> text.setVisible(true));
    return picture;
  }

  private static Stream<Text> texts(Node node) {
    return switch (node) {
      case Text text -> Stream.of(text);
      case Parent parent ->
          parent.getChildrenUnmodifiable().stream().flatMap(TimeTravelTest::texts);
      default -> Stream.empty();
    };
  }

  private SessionPair open(String... names) throws IOException {
    return recordings
        .open(List.of(names).stream().map(directory::resolve).toList())
        .pairs()
        .getFirst();
  }

  private static @Nullable RecordedSession copy(org.wridscope.control.@Nullable Session session)
      throws IOException {
    return session == null ? null : ((RecordedSession) session).copy();
  }

  private void everyView_saysTheSame(FxRobot robot, SessionPair pair) throws Exception {
    Views[] moved = new Views[1];
    robot.interact(() -> {
      moved[0] = new Views(pair);
      moved[0].seen();
    });
    var random = new SplittableRandom(SEED);
    long first = pair.originNanos();
    long last =
        Player.recorded(pair).stream().mapToLong(RecordedSession::lastNanos).max().orElseThrow();
    for (int i = 0; i < MOMENTS; i++) {
      long nanos = first + random.nextLong(last - first + 1);
      moved[0].moveTo(nanos);
      var there = new SessionPair(copy(pair.source()), copy(pair.destination()));
      for (RecordedSession session : Player.recorded(there)) {
        session.moveTo(nanos);
      }
      List<List<Seen>> seen = new ArrayList<>();
      robot.interact(() -> {
        seen.add(moved[0].seen());
        var fresh = new Views(there);
        seen.add(fresh.seen());
        fresh.remove();
      });
      for (int j = 0; j < seen.get(0).size(); j++) {
        Seen one = seen.get(0).get(j);
        Seen other = seen.get(1).get(j);
        assertThat(one.text())
            .as("seed %d, moment %d, %d ns after the beginning", SEED, i, nanos - first)
            .overridingErrorMessage(() -> one.differsFrom(other))
            .isEqualTo(other.text());
      }
    }
  }

  @Test
  void ofALab(FxRobot robot) throws Exception {
    everyView_saysTheSame(robot, open("lab.wrs"));
  }

  @Test
  void ofLogsOfQemu(FxRobot robot) throws Exception {
    everyView_saysTheSame(
        robot, open("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log"));
  }

  @Test
  void whatIsSelected_isSelectedNoLonger_whereItHasNotHappened(FxRobot robot) throws Exception {
    SessionPair pair = open("lab.wrs");
    Event event = pair.leading().telemetry().log().read(200, 1).getFirst();
    robot.interact(() -> {
      var views = new Views(pair);
      views.selection.select(new Selected.LoggedEvent(pair.leading(), event));
      try {
        views.moveTo(event.nanos());
        views.seen();
        assertThat(views.selection.get()).isNotNull();
        views.moveTo(event.nanos() - 1);
        views.seen();
        assertThat(views.selection.get()).isNull();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }
}
