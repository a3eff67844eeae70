// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.time.Chooser;
import org.wridscope.time.Option;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;
import org.wridscope.verbs.soft.DeviceStep;
import org.wridscope.verbs.soft.PostedRequest;

/**
 * Runs the first run of a scenario choice by choice: a debugger for the order of events. The run
 * stands still at a choice until it is told what to do; a thread of its own runs it meanwhile. To
 * go back is to run again from the beginning with the same choices, which takes no time of the
 * run's clock and little of the machine's. Thread-safe.
 */
public final class Stepping implements AutoCloseable {
  private final Supplier<? extends SessionManager> managers;
  private final Scenario scenario;
  private final Supplier<? extends Onlooker> onlookers;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private Run run;
  private @Nullable Standing standing;
  private @Nullable Command command;
  private @Nullable Throwable failure;

  /** The choices with which the next run begins; null if there is to be none. */
  private int @Nullable [] again;

  /** Whether it stands still at the next choice, whatever it was told. */
  private volatile boolean halted;

  /** Looks at the sessions of one run wherever it stands still. */
  @FunctionalInterface
  public interface Onlooker {
    /** One that is not interested. */
    Onlooker NONE = (_, _) -> {};

    /**
     * Called before {@link Stepping#await} returns, on a thread of the run; nothing goes on
     * meanwhile, so it must not wait for anything of the run.
     *
     * @param sessions those that were started, the source first
     * @param ended whether the run is at its end
     */
    void stands(List<Session> sessions, boolean ended);
  }

  /** What to do at a choice. */
  private sealed interface Command {
    /** Takes what has this index among the possibilities. */
    record Take(int index) implements Command {}

    /**
     * Goes on.
     *
     * @param by decides; null for the scenario's order
     * @param without what is not taken while something else can be; null for none
     */
    record GoOn(Until until, @Nullable Chooser by, @Nullable Option without) implements Command {}
  }

  /**
   * Begins a run, which stands still at its first choice.
   *
   * @param managers makes the manager of a run's sessions
   * @param onlookers makes the onlooker of a run; a step back begins another run
   */
  public Stepping(
      Supplier<? extends SessionManager> managers,
      Scenario scenario,
      Supplier<? extends Onlooker> onlookers) {
    this.managers = managers;
    this.scenario = scenario;
    this.onlookers = onlookers;
    run = new Run(new int[0]);
    thread = Thread.ofPlatform().daemon().name("stepping").start(this::runAll);
  }

  private void runAll() {
    try {
      Run next = run;
      while (next != null) {
        next.run();
        next = nextRun();
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      lock.lock();
      try {
        failure = e;
        standing = null;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private @Nullable Run nextRun() {
    lock.lock();
    try {
      int[] choices = again;
      again = null;
      if (choices != null) {
        run = new Run(choices);
        return run;
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------------------------ commands

  /**
   * Waits until it stands still.
   *
   * @throws IOException if the run could not be started
   * @throws IllegalStateException if it was closed, or failed
   */
  public Standing await() throws IOException, InterruptedException {
    lock.lock();
    try {
      while (true) {
        Standing now = standing;
        if (now != null) {
          return now;
        }
        switch (failure) {
          case null -> {}
          case IOException e -> throw new IOException(e.getMessage(), e);
          default -> throw new IllegalStateException(failure);
        }
        if (run.left && again == null) {
          throw new IllegalStateException("the run was closed");
        }
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes the option with an index, and stands still at the next choice. */
  public void take(int index) {
    tell(new Command.Take(index), index);
  }

  /** Goes on in the scenario's order, in which each gets its turn if it has none. */
  public void goOnUntil(Until until) {
    tell(new Command.GoOn(until, null, null), 0);
  }

  /** Goes on in the order of a seed. */
  public void goOnUntil(Until until, long seed) {
    tell(new Command.GoOn(until, new ScheduleChooser(Schedule.of(seed)), null), 0);
  }

  /**
   * Goes on in the scenario's order, but without an option of the present choice as long as
   * something else can be chosen: as if it were slow.
   *
   * @param without its index
   */
  public void goOnWithout(int without, Until until) {
    goOnWithout(without, until, null);
  }

  /** The same in the order of a seed. */
  public void goOnWithout(int without, Until until, long seed) {
    goOnWithout(without, until, new ScheduleChooser(Schedule.of(seed)));
  }

  private void goOnWithout(int without, Until until, @Nullable Chooser by) {
    lock.lock();
    try {
      requireOption(without);
      if (without >= run.options.size()) {
        throw new IllegalArgumentException("this happens only if it is chosen");
      }
      tell(new Command.GoOn(until, by, run.options.get(without)), 0);
    } finally {
      lock.unlock();
    }
  }

  /** Stands still at the next choice, whatever it was told. */
  public void halt() {
    halted = true;
  }

  /**
   * Goes back.
   *
   * @param number of the choice at which it stands still then
   */
  public void back(long number) {
    lock.lock();
    try {
      if (standing == null) {
        throw new IllegalStateException("it does not stand still");
      }
      if (number < 0 || number > run.made) {
        throw new IllegalArgumentException(
            "choice %d has not been reached; %d were made".formatted(number, run.made));
      }
      again = Arrays.copyOf(run.choices, (int) number);
      leave();
    } finally {
      lock.unlock();
    }
  }

  /** The choices made so far. */
  public Schedule schedule() {
    lock.lock();
    try {
      SortedMap<Long, Integer> outOfTurn = new TreeMap<>();
      for (int i = 0; i < run.made; i++) {
        if (run.choices[i] != 0) {
          outOfTurn.put((long) i, run.choices[i]);
        }
      }
      return Schedule.inTurnExcept(outOfTurn);
    } finally {
      lock.unlock();
    }
  }

  /** The scenario, with the choices made so far; what follows them goes in turn. */
  public Scenario withSchedule() {
    return scenario.with(schedule());
  }

  private void requireOption(int index) {
    if (!(standing instanceof Standing.AtChoice choice)) {
      throw new IllegalStateException("it does not stand at a choice");
    }
    if (index < 0 || index >= choice.possibilities().size()) {
      throw new IllegalArgumentException(
          "%d is no option; write 0 to %d".formatted(index, choice.possibilities().size() - 1));
    }
  }

  private void tell(Command what, int index) {
    lock.lock();
    try {
      requireOption(index);
      halted = false;
      command = what;
      standing = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The present run is to end. */
  private void leave() {
    run.left = true;
    standing = null;
    changed.signalAll();
  }

  /** Ends the run, wherever it is, and waits until nothing of it is left. */
  @Override
  public void close() {
    lock.lock();
    try {
      again = null;
      leave();
    } finally {
      lock.unlock();
    }
    Time.join(thread);
  }

  // ---------------------------------------------------------------------------------------- a run

  /** One run from the beginning; its chooser's methods are called by the threads of a schedule. */
  private final class Run implements Chooser {
    private final ScheduleChooser order = new ScheduleChooser(scenario.schedule());
    private final Onlooker onlooker = onlookers.get();
    private final int known;
    private final List<EndEvents> events = new ArrayList<>();

    /** The number of the request that each device could execute last. */
    private final Map<DeviceStep, Long> executable = new HashMap<>();

    /** What those of its choices do that are out of turn, as many as a sentence names. */
    private final Map<Long, String> texts = new HashMap<>();

    private int[] choices;

    /** How many choices were made; written under the lock. */
    private int made;

    private volatile boolean left;
    private int cancelled;
    private @Nullable SessionManager manager;
    private Command.@Nullable GoOn going;

    /** The options of the choice at which it stands. */
    private List<Option> options = List.of();

    /**
     * @param first the choices with which it begins
     */
    Run(int[] first) {
      choices = first;
      known = first.length;
    }

    void run() throws IOException, InterruptedException {
      boolean _ =
          ScheduledRun.under(
              this,
              scenario.seed(),
              () -> {
                try (SessionManager sessions = managers.get()) {
                  manager = sessions;
                  Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
                  Verdict _ = Verdict.await(scenario, 0, lab, () -> {});
                  if (!left) {
                    // What is expected depends on the order, which is known now.
                    Verdict verdict = Verdict.of(withSchedule(), 0, lab);
                    onlooker.stands(sessions(), true);
                    standAtEnd(new Standing.AtEnd(made, Time.nanos(), lab, verdict));
                  }
                }
                return true;
              });
    }

    private void standAtEnd(Standing.AtEnd end) {
      lock.lock();
      try {
        stand(end);
        while (!left) {
          changed.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
    }

    private void stand(Standing at) {
      if (!left) {
        command = null;
        standing = at;
        changed.signalAll();
      }
    }

    @Override
    public int choose(List<Option> now) {
      return choose(now, List::of);
    }

    @Override
    public int choose(List<Option> now, Supplier<? extends List<Option>> others) {
      if (left) {
        cancel();
        return 0;
      }
      int byOrder = order.choose(now, others);
      boolean met = met(now);
      Command.GoOn goOn = going;
      int chosen =
          made < known
              ? choices[made]
              : goOn == null || met || halted
                  ? ask(now, others.get(), byOrder)
                  : next(goOn, now, others, byOrder);
      if (left) {
        cancel();
        return 0;
      }
      if (chosen != 0 && texts.size() < ChoiceTeller.MOST_NAMED) {
        Option option = chosen < 0 ? others.get().get(~chosen) : now.get(chosen);
        texts.put((long) made, ChoiceTeller.text(option, sessions()));
      }
      note(chosen);
      return chosen;
    }

    @Override
    public String told() {
      return ChoiceTeller.sentence(schedule(), texts);
    }

    private void note(int chosen) {
      lock.lock();
      try {
        if (made == choices.length) {
          choices = Arrays.copyOf(choices, Math.max(64, 2 * made));
        }
        choices[made++] = chosen;
      } finally {
        lock.unlock();
      }
    }

    @SuppressWarnings("ReferenceEquality") // an option is equal to itself only
    private int next(
        Command.GoOn goOn, List<Option> now, Supplier<? extends List<Option>> others, int byOrder) {
      Chooser by = goOn.by();
      int index = by == null ? byOrder : by.choose(now, others);
      return index >= 0 && now.get(index) == goOn.without() ? (index + 1) % now.size() : index;
    }

    /** Stands still until it is told what to do. */
    private int ask(List<Option> now, List<Option> rare, int byOrder) {
      look();
      Standing.AtChoice choice = describe(now, rare, byOrder);
      Command told;
      lock.lock();
      try {
        options = List.copyOf(now);
        stand(choice);
        while (!left && command == null) {
          changed.awaitUninterruptibly();
        }
        told = command;
        command = null;
      } finally {
        lock.unlock();
      }
      going = null;
      return switch (told) {
        case null -> 0;
        case Command.Take(int index) -> index < now.size() ? index : ~(index - now.size());
        case Command.GoOn goOn -> {
          going = goOn;
          yield next(goOn, now, () -> rare, byOrder);
        }
      };
    }

    private List<Session> sessions() {
      SessionManager of = manager;
      return of == null ? List.of() : of.sessions();
    }

    private void look() {
      SessionManager of = manager;
      if (of != null) {
        of.sample();
        onlooker.stands(of.sessions(), false);
      }
    }

    private Standing.AtChoice describe(List<Option> now, List<Option> rare, int byOrder) {
      Scheduler scheduler = Scheduler.current();
      if (scheduler == null) {
        throw new IllegalStateException("this thread belongs to no schedule");
      }
      var text = new StandingText(sessions(), scheduler);
      List<Standing.Possibility> all = new ArrayList<>();
      now.forEach(option -> all.add(text.possibility(option, false)));
      rare.forEach(option -> all.add(text.possibility(option, true)));
      return new Standing.AtChoice(
          made, scheduler.nanos(), all, byOrder < 0 ? now.size() + ~byOrder : byOrder, text.ends());
    }

    /** Whether what it goes on for has happened since the last choice. */
    private boolean met(List<Option> now) {
      List<Session> sessions = sessions();
      for (int i = events.size(); i < sessions.size(); i++) {
        events.add(new EndEvents(sessions.get(i).telemetry()));
      }
      Until until = going == null ? Until.END : going.until();
      boolean met = false;
      for (EndEvents end : events) {
        met |= end.anyMeets(until);
      }
      for (Option option : now) {
        if (option instanceof DeviceStep step && step.kind() == DeviceStep.Kind.EXECUTE) {
          met |= isNew(step) && isNext(step, until);
        }
      }
      return met;
    }

    /** Whether the device could not execute this request at the choice before. */
    private boolean isNew(DeviceStep step) {
      Long ordinal = step.ordinal();
      return !ordinal.equals(executable.put(step, ordinal));
    }

    private static boolean isNext(DeviceStep step, Until until) {
      PostedRequest request = step.request();
      return request != null && until.isNext(request.workRequestId(), StandingText.type(request));
    }

    /** Cancels what was started, so that the run ends soon and releases what it has. */
    private void cancel() {
      List<Session> sessions = sessions();
      for (; cancelled < sessions.size(); cancelled++) {
        sessions.get(cancelled).cancel();
      }
    }
  }
}
