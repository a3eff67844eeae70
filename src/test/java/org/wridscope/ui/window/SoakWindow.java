// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.wridscope.ui.OnFx.layOut;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.Scene;
import javafx.scene.control.ListView;
import javafx.scene.control.TabPane;
import javafx.stage.Stage;
import org.wridscope.TimeLimit;
import org.wridscope.control.Footprint;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.sessions.Migration;

/**
 * Runs many migrations with random faults one after the other in the real window, shows each in
 * every view, and exits with 1 if the process holds more resources at the end than after the tenth.
 * {@code lab/nightly} calls it with the number of migrations, more than ten.
 */
public final class SoakWindow {
  private static final int SETTLED = 10;

  private SoakWindow() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private final SessionManager manager = new LocalSessions();
    private final ExecutorService background = Executors.newVirtualThreadPerTaskExecutor();

    @Override
    public void start(Stage stage) {
      WindowFixture.show(stage, 1200, 760, manager, background, Remembered.inMemory(), () -> {});
      int runs = Integer.parseInt(getParameters().getRaw().getFirst());
      Thread.ofPlatform()
          .name("soak")
          .start(() -> {
            int status = 1;
            try {
              status = soak(stage.getScene(), runs) ? 0 : 1;
            } catch (Exception e) {
              System.err.println("the soak broke off: " + e);
            }
            System.exit(status);
          });
    }

    private boolean soak(Scene scene, int runs) throws Exception {
      Footprint settled = null;
      Footprint now = null;
      List<String> problems = new ArrayList<>();
      for (int run = 1; run <= runs; run++) {
        problems.addAll(migrate(scene, run));
        if (run == SETTLED || run == runs || run % Math.max(1, runs / 10) == 0) {
          now = Footprint.now();
          System.out.printf("after %d in the window: %s%n", run, now);
        }
        settled = run == SETTLED ? now : settled;
      }
      if (settled == null || now == null) {
        throw new IllegalArgumentException("more than " + SETTLED + " migrations are needed");
      }
      problems.addAll(settled.grownTo(now));
      System.out.println(Footprint.TOLERANCE);
      System.out.println(problems.isEmpty() ? "nothing grew" : String.join("\n", problems));
      return problems.isEmpty();
    }

    private List<String> migrate(Scene scene, int seed) throws Exception {
      Scenario scenario = Exploration.of("soak", seed);
      Lab lab = manager.startLab(scenario.lab(), scenario.faults(0));
      var list = (ListView<?>) scene.lookup("#sessions");
      int index = await("it to be listed", () -> indexOf(list, lab), found -> found >= 0);
      inWindow(() -> {
        list.getSelectionModel().clearAndSelect(index);
        return 0;
      });
      await("the views", () -> scene.lookup("#views") == null ? 0 : 1, there -> there > 0);
      var tabs = (TabPane) scene.lookup("#views");
      for (int tab = 0; tab < tabs.getTabs().size(); tab++) {
        int shown = tab;
        inWindow(() -> {
          tabs.getSelectionModel().clearAndSelect(shown);
          layOut(scene.getRoot());
          return 0;
        });
      }
      Verdict verdict = Verdict.await(scenario, 0, lab, () -> {});
      manager.remove(lab.source());
      manager.remove(lab.destination());
      await("it to leave the list", () -> indexOf(list, lab), found -> found < 0);
      return verdict.problems().stream()
          .map(problem -> "seed %d: %s".formatted(seed, problem))
          .toList();
    }

    private static int indexOf(ListView<?> list, Lab lab) {
      for (int i = 0; i < list.getItems().size(); i++) {
        SessionPair pair = ((Migration) list.getItems().get(i)).pair();
        if (pair != null && pair.sessions().contains(lab.source())) {
          return i;
        }
      }
      return -1;
    }

    private static int await(String what, Supplier<Integer> number, IntPredicate wanted)
        throws Exception {
      var limit = new TimeLimit();
      int last = inWindow(number);
      while (!wanted.test(last)) {
        limit.glance(what);
        last = inWindow(number);
      }
      return last;
    }

    private static int inWindow(Supplier<Integer> action) throws Exception {
      var done = new CompletableFuture<Integer>();
      Platform.runLater(() -> {
        try {
          done.complete(action.get());
        } catch (RuntimeException e) {
          done.completeExceptionally(e);
        }
      });
      return done.get(1, TimeUnit.MINUTES);
    }
  }
}
