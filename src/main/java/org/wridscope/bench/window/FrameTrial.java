// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench.window;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javafx.animation.AnimationTimer;
import javafx.application.Platform;
import javafx.collections.ListChangeListener;
import javafx.scene.Parent;
import javafx.scene.control.ListView;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.CaptureFolders;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.SessionManager;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.ui.window.WindowLauncher;

/**
 * Opens the window as the program does, migrates a guest with each of its views open, and measures
 * each frame of the JavaFX thread: {@code wridscope bench --window} calls it in a process of its
 * own.
 */
public final class FrameTrial {
  private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long SAMPLE_MILLIS = 5;

  /** For the window to make the views that nobody has opened yet. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long SETTLED_MILLIS = TimeUnit.SECONDS.toMillis(1);

  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** A migration goes on for some seconds, with several rounds. */
  private static final int SECONDS = 8;

  private static final int DIRTY_SHARE = 4;
  private static final int PLACES = 8;
  private static final String OURS = "org.wridscope.";

  private final SessionManager manager;
  private final long ramBytes;
  private final int migrations;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final CountDownLatch shown = new CountDownLatch(1);
  private final Map<String, Integer> slow = new HashMap<>();

  // Written by the JavaFX thread.
  private volatile @Nullable Thread fx;
  private volatile long began;
  private volatile boolean measuring;
  private volatile List<String> titles = List.of();
  private long beganOwn;
  private final List<Frame> frames = Collections.synchronizedList(new ArrayList<>());

  /**
   * A frame.
   *
   * @param nanos from its beginning until the thread could do something else
   * @param own the processor time of the thread in it
   */
  private record Frame(long nanos, long own) {}

  private FrameTrial(SessionManager manager, long ramBytes, int migrations) {
    this.manager = manager;
    this.ramBytes = ramBytes;
    this.migrations = migrations;
  }

  /**
   * Writes a line for each view, with tabs between the title, the number of frames, their median,
   * 99th and 99.9th percentile and longest time in milliseconds, the most processor time of the
   * thread in one, how many took over 50 ms, and how many over 50 ms of processor time; and then
   * one for each place of this program at which the thread was in frames over 50 ms, with the
   * number of times.
   *
   * @param args RAM of the guest in bytes, and how many migrations each view shows
   */
  public static void main(String[] args) {
    long ramBytes = Long.parseLong(args[0]);
    int migrations = Integer.parseInt(args[1]);
    System.exit(
        WridscopeCommand.run(
            new String[0],
            () -> new LocalSessions(CaptureFolders.ofUser()),
            (manager, files) -> {
              new FrameTrial(manager, ramBytes, migrations).begin();
              WindowLauncher.launch(manager, files);
              manager.close();
            }));
  }

  private void begin() {
    Window.getWindows()
        .addListener(
            (ListChangeListener<Window>)
                change -> {
                  if (shown.getCount() > 0) {
                    fx = Thread.currentThread();
                    // Before the window's own timer, so that it is the first in each frame.
                    timer().start();
                    shown.countDown();
                  }
                });
    Thread.ofPlatform().daemon().name("trial").start(this::measure);
    Thread.ofPlatform().daemon().name("trial-samples").start(this::sample);
  }

  private AnimationTimer timer() {
    return new AnimationTimer() {
      @Override
      public void handle(long frameNanos) {
        beganOwn = threads.getCurrentThreadCpuTime();
        began = System.nanoTime();
        // Runs when all of the frame is done: timers, styles, layout, and handing it to be drawn.
        Platform.runLater(FrameTrial.this::end);
      }
    };
  }

  private void end() {
    long nanos = System.nanoTime() - began;
    began = 0;
    if (measuring) {
      frames.add(new Frame(nanos, threads.getCurrentThreadCpuTime() - beganOwn));
    }
  }

  /** Looks where the JavaFX thread is when a frame takes long. */
  private void sample() {
    try {
      while (true) {
        Thread.sleep(SAMPLE_MILLIS);
        long since = began;
        Thread thread = fx;
        if (measuring && thread != null && since != 0 && System.nanoTime() - since > LONG_NANOS) {
          String place = place(thread.getStackTrace());
          synchronized (slow) {
            slow.merge(place, 1, Integer::sum);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String place(StackTraceElement[] stack) {
    String top =
        Arrays.stream(stack)
            .filter(call -> call.getClassName().contains("javafx."))
            .findFirst()
            .map(StackTraceElement::toString)
            .orElse("the virtual machine");
    return Arrays.stream(stack)
        .filter(call ->
            call.getClassName().startsWith(OURS)
                && !call.getClassName().startsWith(FrameTrial.class.getName()))
        .findFirst()
        .map(call -> "%s, in %s".formatted(call, top))
        .orElse(top);
  }

  private void measure() {
    try {
      shown.await();
      long begin = System.nanoTime();
      while (!onFx(FrameTrial::isPrepared) && System.nanoTime() - begin < PATIENCE_NANOS) {
        Thread.sleep(SAMPLE_MILLIS);
      }
      Thread.sleep(SETTLED_MILLIS);
      for (int view = 0; view == 0 || view < titles.size(); view++) {
        measure(view);
      }
      synchronized (slow) {
        slow.entrySet().stream()
            .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
            .limit(PLACES)
            .forEach(place ->
                System.out.println("slow\t%d\t%s".formatted(place.getValue(), place.getKey())));
      }
    } catch (IOException | ExecutionException e) {
      System.err.println("wridscope: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      // Not as a user does, whom the window may ask something.
      Platform.runLater(() -> List.copyOf(Window.getWindows()).forEach(Window::hide));
    }
  }

  /** Migrates with one view open. */
  private void measure(int view) throws IOException, InterruptedException, ExecutionException {
    frames.clear();
    for (int i = 0; i < migrations; i++) {
      long rate = ramBytes / SECONDS;
      GuestSettings guest = new GuestSettings.Synthetic(ramBytes, rate / DIRTY_SHARE, 0, 0.4, 1);
      var settings = new MigrationSettings(guest).with(MigrationSetting.BANDWIDTH, rate);
      Lab lab = manager.startLab(new LabSettings(settings));
      try {
        measuring = true;
        show(view);
        boolean ended = lab.source().await(LIMIT) && lab.destination().await(LIMIT);
        measuring = false;
        if (!ended || lab.source().status() != MigrationStatus.COMPLETED) {
          throw new IOException("a migration did not complete: " + lab.source().outcome());
        }
      } finally {
        measuring = false;
        lab.source().cancel();
        manager.remove(lab.source());
        manager.remove(lab.destination());
      }
    }
    List<Frame> all;
    synchronized (frames) {
      all = List.copyOf(frames);
    }
    long[] nanos = all.stream().mapToLong(Frame::nanos).sorted().toArray();
    System.out.println(
        String.format(
            Locale.ROOT,
            "frames\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%d",
            titles.get(view),
            nanos.length,
            millis(nanos, 0.5),
            millis(nanos, 0.99),
            millis(nanos, 0.999),
            millis(nanos, 1),
            millis(all.stream().mapToLong(Frame::own).sorted().toArray(), 1),
            all.stream().filter(frame -> frame.nanos() > LONG_NANOS).count(),
            all.stream().filter(frame -> frame.own() > LONG_NANOS).count()));
  }

  private static double millis(long[] sorted, double share) {
    return sorted.length == 0
        ? 0
        : sorted[Math.clamp((long) Math.ceil(sorted.length * share) - 1, 0, sorted.length - 1)]
            / 1e6;
  }

  /** Opens a view of the migration, as soon as the list has it. */
  private void show(int view) throws InterruptedException, ExecutionException {
    while (!onFx(() -> select(view))) {
      Thread.sleep(SAMPLE_MILLIS);
    }
  }

  private boolean select(int view) {
    ListView<?> list = (ListView<?>) root().lookup("#sessions");
    int last = list.getItems().size() - 1;
    if (last < 1) {
      return false;
    }
    list.getSelectionModel().clearAndSelect(last);
    TabPane views = views();
    if (views == null) {
      return false;
    }
    views.getSelectionModel().select(view);
    titles = views.getTabs().stream().map(Tab::getText).toList();
    return true;
  }

  /** Whether all views have been made. */
  private static boolean isPrepared() {
    TabPane views = views();
    return views != null && views.getTabs().stream().allMatch(tab -> tab.getContent() != null);
  }

  private static Parent root() {
    return Window.getWindows().getFirst().getScene().getRoot();
  }

  private static @Nullable TabPane views() {
    return (TabPane) root().lookup("#views");
  }

  private static <T> T onFx(Callable<T> read) throws InterruptedException, ExecutionException {
    var task = new FutureTask<>(read);
    Platform.runLater(task);
    return task.get();
  }
}
