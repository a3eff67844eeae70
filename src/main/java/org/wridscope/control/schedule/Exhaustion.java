// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.time.Chooser;
import org.wridscope.time.Option;

/**
 * Runs a scenario in all orders: at each choice up to a depth every option is taken, and what
 * follows after the depth is in turn. Equal {@linkplain History states} are continued once, and
 * again only from an order that reaches them after fewer choices.
 *
 * <p>Each state is reached by running again from the beginning; every run goes on to its end, so
 * that its verdict is one on a whole migration.
 */
public final class Exhaustion {
  /** Orders with fewer choices first. */
  private static final Comparator<byte[]> FEWEST_CHOICES =
      Comparator.<byte[]>comparingInt(choices -> choices.length).thenComparing(Arrays::compare);

  private final Supplier<? extends SessionManager> managers;
  private final Scenario scenario;
  private final int depth;
  private final boolean faults;

  /** After how many choices each state was continued, the fewest. */
  private final Map<Long, Integer> states = new ConcurrentHashMap<>();

  /**
   * The beginnings of orders that are still to be run; guarded by itself. The shortest one is next,
   * so that few states are reached again after fewer choices.
   */
  private final PriorityQueue<byte[]> beginnings = new PriorityQueue<>(FEWEST_CHOICES);

  // Guarded by the beginnings.
  private int working;
  private long runs;
  private boolean stopped;
  private boolean cut;
  private final NavigableMap<byte[], ScheduledRun> broken = new TreeMap<>(FEWEST_CHOICES);

  /** How many runs that broke an invariant are kept. */
  public static final int MOST_BROKEN = 100;

  private Exhaustion(
      Supplier<? extends SessionManager> managers, Scenario scenario, int depth, boolean faults) {
    this.managers = managers;
    this.scenario = scenario;
    this.depth = depth;
    this.faults = faults;
  }

  /**
   * What was found.
   *
   * @param states how many different ones were continued
   * @param runs how many it took
   * @param complete whether no order has a choice beyond the depth, and it was not stopped: all
   *     orders were run
   * @param broken the runs that broke an invariant, those that needed the fewest choices first
   */
  public record Result(long states, long runs, boolean complete, List<ScheduledRun> broken) {
    public Result {
      broken = List.copyOf(broken);
    }
  }

  /** Tells how far it is. */
  @FunctionalInterface
  public interface Progress {
    void update(long states, long runs, int left);
  }

  /**
   * Runs all orders.
   *
   * @param depth how many choices of each order are varied, at least 1
   * @param faults whether at each of them, once in an order, what does not happen by itself is
   *     taken, too; such an order may end in any way
   * @param stop asked before each run; if true, no further one is started
   */
  public static Result run(
      Supplier<? extends SessionManager> managers,
      Scenario scenario,
      int depth,
      boolean faults,
      BooleanSupplier stop,
      Progress progress)
      throws IOException, InterruptedException {
    return new Exhaustion(managers, scenario, depth, faults).run(stop, progress);
  }

  private Result run(BooleanSupplier stop, Progress progress)
      throws IOException, InterruptedException {
    beginnings.add(new byte[0]);
    Workers.run(() -> {
      boolean failed = true;
      try {
        work(stop, progress);
        failed = false;
      } finally {
        if (failed) {
          stopAll();
        }
      }
    });
    return new Result(
        states.size(), runs, !cut && !stop.getAsBoolean(), List.copyOf(broken.values()));
  }

  private void work(BooleanSupplier stop, Progress progress)
      throws IOException, InterruptedException {
    byte[] beginning;
    while ((beginning = take(stop)) != null) {
      var chooser = new EveryOption(beginning);
      ScheduledRun run =
          ScheduledRun.of(
              chooser, chooser.made, managers, chooser.faulty ? scenario.withAnyEnd() : scenario);
      synchronized (beginnings) {
        ended(chooser, run);
        progress.update(states.size(), runs, beginnings.size());
      }
    }
  }

  /**
   * Whether a state was not reached after so few choices before. Orders of the same steps may have
   * different numbers of choices, and whoever reaches a state after fewer gets further from it
   * before the depth.
   */
  private boolean reachedFirst(long state, int choices) {
    Integer before = states.putIfAbsent(state, choices);
    while (before != null && choices < before) {
      if (states.replace(state, before, choices)) {
        return true;
      }
      before = states.get(state);
    }
    return before == null;
  }

  /** After a failure the other workers neither go on nor wait. */
  private void stopAll() {
    synchronized (beginnings) {
      stopped = true;
      beginnings.notifyAll();
    }
  }

  /** The next beginning; null when there is none and none can come. */
  private byte @Nullable [] take(BooleanSupplier stop) throws InterruptedException {
    synchronized (beginnings) {
      while (beginnings.isEmpty() && working > 0 && !stopped && !stop.getAsBoolean()) {
        beginnings.wait();
      }
      if (beginnings.isEmpty() || stopped || stop.getAsBoolean()) {
        return null;
      }
      working++;
      return beginnings.remove();
    }
  }

  /** Called with the lock of the beginnings. */
  private void ended(EveryOption chooser, ScheduledRun run) {
    working--;
    runs++;
    cut |= chooser.cut;
    beginnings.addAll(chooser.others);
    if (!run.good()) {
      broken.put(chooser.beginning, run);
      if (broken.size() > MOST_BROKEN) {
        broken.pollLastEntry();
      }
    }
    beginnings.notifyAll();
  }

  /** Takes the options of a beginning, then those in turn, and notes the others of new states. */
  private final class EveryOption implements Chooser {
    private final byte[] beginning;
    private final ScheduleChooser made = ScheduleChooser.noting();
    private final List<byte[]> others = new ArrayList<>();
    private final History history = new History();
    private byte[] taken;
    private int number;
    private boolean known;
    private boolean cut;

    /** Whether the beginning has something that does not happen by itself. */
    private final boolean faulty;

    EveryOption(byte[] beginning) {
      this.beginning = beginning;
      taken = Arrays.copyOf(beginning, Math.max(64, beginning.length));
      boolean negative = false;
      for (byte choice : beginning) {
        negative |= choice < 0;
      }
      faulty = negative;
    }

    @Override
    public int choose(List<Option> options) {
      return choose(options, List::of);
    }

    @Override
    public int choose(List<Option> options, Supplier<? extends List<Option>> rare) {
      int chosen = number < beginning.length ? beginning[number] : continued(options.size(), rare);
      if (chosen < 0) {
        history.rare(chosen);
      }
      if (number == taken.length) {
        taken = Arrays.copyOf(taken, 2 * number);
      }
      taken[number++] = (byte) chosen;
      made.note(chosen, rare);
      return chosen;
    }

    private int continued(int options, Supplier<? extends List<Option>> rare) {
      if (!known) {
        if (number >= depth) {
          cut = true;
          known = true;
        } else if (reachedFirst(history.state(), number)) {
          for (int other = options - 1; other > 0; other--) {
            others.add(with(other));
          }
          int rarely = faults && !faulty ? rare.get().size() : 0;
          for (int other = rarely - 1; other >= 0; other--) {
            others.add(with(~other));
          }
        } else {
          known = true;
        }
      }
      return 0;
    }

    private byte[] with(int other) {
      byte[] order = Arrays.copyOf(taken, number + 1);
      order[number] = (byte) other;
      return order;
    }

    @Override
    public void happened(Option option, boolean affectedAll) {
      history.happened(option, affectedAll);
    }
  }
}
