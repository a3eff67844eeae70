// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.control.Labeled;
import javafx.scene.control.ListView;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Slider;
import javafx.scene.control.TextField;
import javafx.scene.input.KeyCode;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.testfx.api.FxRobot;
import org.testfx.api.FxToolkit;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.BareMachine;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.sessions.Migration;

/**
 * Opens the main window before each test, with simulated sessions, and closes it afterwards. In a
 * static field it opens one window for all tests of the class, each of which begins with what it
 * needs.
 */
final class WindowFixture
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver {
  final FakeSessionManager manager = FakeSessionManager.idle();

  /** How often the window reported that it was closed. */
  final AtomicInteger closed = new AtomicInteger();

  private final double width;
  private final double height;
  private final Remembered remembered;
  private final ExecutorService background = Executors.newVirtualThreadPerTaskExecutor();
  private final FxRobot robot = new OnFxRobot();
  private @Nullable Stage stage;
  private @Nullable MainWindow main;
  private boolean forAll;

  WindowFixture(double width, double height) {
    this(width, height, Remembered.inMemory());
  }

  WindowFixture(double width, double height, Remembered remembered) {
    this.width = width;
    this.height = height;
    this.remembered = remembered;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws TimeoutException {
    forAll = true;
    open();
  }

  @Override
  public void beforeEach(ExtensionContext context) throws TimeoutException {
    if (!forAll) {
      open();
    }
  }

  private void open() throws TimeoutException {
    stage = FxToolkit.registerPrimaryStage();
    FxToolkit.setupFixture(() ->
        main = show(stage(), width, height, manager, background, remembered, this::countClosed));
  }

  private void countClosed() {
    closed.incrementAndGet();
  }

  /** Shows the main window at the upper left corner of the screen. */
  static MainWindow show(
      Stage stage,
      double width,
      double height,
      SessionManager manager,
      ExecutorService background,
      Remembered remembered,
      Runnable closed) {
    stage.setX(0);
    stage.setY(0);
    stage.setWidth(width);
    stage.setHeight(height);
    var window = new MainWindow(stage, manager, new BareMachine(), background, remembered, closed);
    window.show();
    return window;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (!forAll) {
      close();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  private void close() {
    MainWindow open = main;
    if (open != null) {
      Platform.runLater(open::closeNow);
    }
    await("the window to be closed", () -> closed.get() == 1);
    background.shutdownNow();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == FxRobot.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return robot;
  }

  MainWindow main() {
    return Objects.requireNonNull(main, "the window was forgotten");
  }

  Stage stage() {
    return Objects.requireNonNull(stage, "no test is running");
  }

  /** Keeps no reference to the window any more; the test has closed it. */
  void forget() {
    main = null;
  }

  // ---- what the window shows

  boolean isShown(String id) {
    return robot.lookup(id).tryQuery().map(WindowFixture::isShown).orElse(false);
  }

  /** Whether a node and all its ancestors are visible in a scene. */
  static boolean isShown(Node node) {
    for (Node at = node; at != null; at = at.getParent()) {
      if (!at.isVisible()) {
        return false;
      }
    }
    return node.getScene() != null;
  }

  /** The text of a label or a button. */
  String text(String id) {
    return robot.lookup(id).queryAs(Labeled.class).getText();
  }

  /** The text of a field. */
  String field(String id) {
    return robot.lookup(id).queryAs(TextField.class).getText();
  }

  @SuppressWarnings("unchecked")
  ListView<Migration> list() {
    return robot.lookup("#sessions").queryAs(ListView.class);
  }

  Migration selected() {
    return list().getSelectionModel().getSelectedItem();
  }

  // ---- what the user does

  void setField(String id, String text) {
    robot.interact(() -> robot.lookup(id).queryAs(TextField.class).setText(text));
  }

  void press(KeyCode... keys) {
    robot.press(keys).release(keys);
    WaitForAsyncUtils.waitForFxEvents();
  }

  void select(int migration) {
    robot.interact(() -> list().getSelectionModel().clearAndSelect(migration));
  }

  /** Moves the shown recording to a moment, 0 being its beginning and 1 its end. */
  void seek(double share) {
    robot.interact(() -> robot.lookup("#player-position").queryAs(Slider.class).setValue(share));
  }

  /** Chooses a menu item. */
  void choose(String menu, String id) {
    robot.interact(() ->
        robot.lookup(menu).queryAs(MenuButton.class).getItems().stream()
            .filter(item -> id.equals(item.getId()))
            .forEach(MenuItem::fire));
  }

  /** Starts the migration that is ready; returns its source. */
  FakeSession startLab() {
    robot.clickOn("#start");
    await("the lab to be shown", () -> isShown("#cancel"));
    return (FakeSession) manager.sessions().getFirst();
  }

  /** Begins to step through the tour's run. */
  void beginTour() {
    choose("#lab", "tour-menu");
    await("the run", () -> isShown("#step-option-0"));
  }

  /** Opens recordings, and waits until the last one is selected. */
  Migration open(List<Path> files) {
    Migration before = selected();
    Platform.runLater(() -> main().openRecordings(files));
    await(
        "the recording", () -> selected() != null && selected() != before && selected().recorded());
    return selected();
  }

  /** Writes one of the trace logs of QEMU that the tests have to a directory. */
  static Path traceLog(Path directory, String name) throws IOException {
    try (InputStream in =
        WindowFixture.class.getResourceAsStream("/org/wridscope/recording/qemu/" + name)) {
      return Files.write(directory.resolve(name), Objects.requireNonNull(in, name).readAllBytes());
    }
  }

  /**
   * Waits for a condition, which is asked again and again beside the JavaFX thread: where that
   * thread changes what is looked up, a look-up may fail and is repeated.
   */
  static void await(String what, Callable<Boolean> condition) {
    var failure = new AtomicReference<@Nullable RuntimeException>();
    try {
      WaitForAsyncUtils.waitFor(
          20,
          TimeUnit.SECONDS,
          () -> {
            try {
              return condition.call();
            } catch (RuntimeException e) {
              failure.set(e);
              return false;
            }
          });
    } catch (TimeoutException e) {
      var error = new AssertionError("waited 20 s for " + what, e);
      RuntimeException last = failure.get();
      if (last != null) {
        error.addSuppressed(last);
      }
      throw error;
    }
    WaitForAsyncUtils.waitForFxEvents();
  }
}
