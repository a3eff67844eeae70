// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/**
 * Runs threads and automata one at a time. Whenever the one that runs waits or hands over, a {@link
 * Chooser} decides who goes on; nothing else influences the order. The clock advances by a fixed
 * time with each step, and when all wait it jumps to the next deadline: a wait takes no time of the
 * machine. So equal choices and an equal seed give equal runs, on any machine and under any load.
 *
 * <p>A thread that hands over decides itself who is next, and does the steps of automata meanwhile;
 * only if another thread is next is there a switch.
 */
public final class Scheduler {
  /** A point in time that does not come. */
  public static final long NEVER = Long.MAX_VALUE;

  /** How long a step takes, in nanoseconds of the schedule's clock. */
  public static final long STEP_NANOS = 1_000;

  private static final ThreadLocal<@Nullable Actor> CURRENT = new ThreadLocal<>();

  private final Chooser chooser;
  private final SplittableRandom random;
  private final List<Actor> actors = new ArrayList<>();

  /** They go on before anything is chosen, in steps that do not count. */
  private final List<Actor> observers = new ArrayList<>();

  /** Also read by a thread that has just been started, before it has a turn. */
  private final Map<Thread, Actor> byThread = new ConcurrentHashMap<>();

  private final List<Automaton> automata = new ArrayList<>();
  private final Addresses addresses = new Addresses();
  private final List<Option> enabled = new ArrayList<>();
  private final Supplier<List<Option>> others = this::others;
  private long now = STEP_NANOS;

  /** How many steps were done. */
  private long steps;

  /** Whether only what happens by itself can still be chosen. */
  private boolean nothingRare;

  /** The errors of this program that were met, and that nobody has taken. */
  private final List<Throwable> defects = new ArrayList<>();

  private boolean over;

  /** Whether whoever waits for the schedule was interrupted, and its first thread does not know. */
  private volatile boolean interruption;

  /** What was chosen last and is not told yet, and whether it has affected all. */
  private @Nullable Option last;

  private boolean affectedAll;

  /** Why the schedule cannot go on; null while it can. */
  private @Nullable Throwable failure;

  private final CountDownLatch allEnded = new CountDownLatch(1);

  private Scheduler(Chooser chooser, long seed) {
    this.chooser = chooser;
    random = new SplittableRandom(seed);
  }

  /** Thrown to a thread that still waits when its schedule is over. */
  private static final class OverError extends Error {
    private static final long serialVersionUID = 1;

    OverError() {
      super("the schedule is over", null, false, false);
    }
  }

  /** A thread of the schedule. */
  private static final class Actor extends Option {
    private final Scheduler scheduler;
    private final Thread thread;
    private final String who;
    private volatile boolean hasTurn;

    /** What it waits for; null when it can go on. */
    private @Nullable BooleanSupplier awaited;

    private boolean interruptible;
    private boolean interrupted;
    private long deadline;
    private boolean permit;
    private boolean ended;

    Actor(Scheduler scheduler, Thread thread) {
      this.scheduler = scheduler;
      this.thread = thread;
      who = scheduler.distinct(thread.getName());
      lastTurn = scheduler.steps;
    }

    void giveTurn() {
      hasTurn = true;
      LockSupport.unpark(thread);
    }

    /** An interrupt is kept for later. */
    void awaitTurn() {
      boolean wasInterrupted = false;
      while (!hasTurn) {
        LockSupport.park(this);
        wasInterrupted |= Thread.interrupted();
      }
      hasTurn = false;
      if (wasInterrupted) {
        thread.interrupt();
      }
    }

    boolean canGoOn(long now) {
      BooleanSupplier condition = awaited;
      return condition == null
          || deadline <= now
          || condition.getAsBoolean()
          || (interruptible && interrupted);
    }

    @Override
    public String who() {
      return who;
    }

    @Override
    public String what() {
      BooleanSupplier condition = awaited;
      if (condition == null) {
        return "goes on";
      }
      if (interruptible && interrupted) {
        return "goes on: it was interrupted";
      }
      return condition.getAsBoolean()
          ? "goes on: what it slept for has come"
          : "goes on: its sleep is over";
    }

    @Override
    public String rule() {
      return "A processor may be given to any thread that can run.";
    }
  }

  /** Nobody goes on until a point in time. */
  private static final class Passing extends Option {
    private final long from;
    private final long until;

    Passing(long from, long until) {
      this.from = from;
      this.until = until;
    }

    @Override
    public String who() {
      return "time";
    }

    @Override
    public String what() {
      return "passes until the next deadline, in " + Format.duration(until - from);
    }

    @Override
    public String rule() {
      return "A processor may be kept from all threads for any time, and a device may take its"
          + " time.";
    }
  }

  /**
   * Runs work, and whatever it starts, under a schedule, until the work has returned.
   *
   * <p>An interrupt of the calling thread is passed on to the work, which then ends by itself; this
   * method waits for that.
   *
   * @param seed of the random numbers that it draws
   * @throws ExecutionException with what the work has thrown
   */
  public static <T> T run(Chooser chooser, long seed, Callable<T> work)
      throws ExecutionException, InterruptedException {
    return new Scheduler(chooser, seed).run(work);
  }

  /** The schedule of the calling thread; null if it has none. */
  public static @Nullable Scheduler current() {
    // Its threads are virtual ones: others, such as an engine's, need not look.
    Actor actor = Thread.currentThread().isVirtual() ? CURRENT.get() : null;
    return actor == null ? null : actor.scheduler;
  }

  private <T> T run(Callable<T> work) throws ExecutionException, InterruptedException {
    var result = new CompletableFuture<T>();
    Thread first =
        unstarted(
            "lab",
            () -> {
              try {
                result.complete(work.call());
              } catch (Exception | Error e) {
                result.completeExceptionally(failure == null ? e : failure);
              } finally {
                over = true;
              }
            });
    start(first);
    actor(first).giveTurn();
    boolean interrupted = false;
    while (true) {
      try {
        allEnded.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
        interruption = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return result.get();
  }

  /** The present time, in nanoseconds. */
  public long nanos() {
    return now;
  }

  /** What was chosen out of turn, a sentence; empty if nothing was. */
  String told() {
    return chooser.told();
  }

  Addresses addresses() {
    return addresses;
  }

  /** What acts without a thread. */
  public List<Automaton> automata() {
    return List.copyOf(automata);
  }

  long random() {
    return random.nextLong();
  }

  /** Adds something that acts without a thread. */
  public void add(Automaton automaton) {
    automata.add(automaton);
  }

  /** The automaton acts no more. */
  public void remove(Automaton automaton) {
    automata.remove(automaton);
  }

  // -------------------------------------------------------------------------------------- threads

  Thread unstarted(String name, Runnable work) {
    return Thread.ofVirtual().name(name).unstarted(() -> act(work));
  }

  void start(Thread thread) {
    var actor = new Actor(this, thread);
    actors.add(actor);
    byThread.put(thread, actor);
    thread.start();
  }

  /** Starts a thread that only looks on: it is no option, and takes no time. */
  Thread startObserver(String name, Runnable work) {
    Thread thread = unstarted(name, work);
    var actor = new Actor(this, thread);
    observers.add(actor);
    byThread.put(thread, actor);
    thread.start();
    return thread;
  }

  private void act(Runnable work) {
    Actor self = actor(Thread.currentThread());
    CURRENT.set(self);
    self.awaitTurn();
    try {
      if (!over) {
        work.run();
      }
    } catch (OverError e) {
      // It waited for something that does not come any more.
    } catch (RuntimeException | Error e) {
      note(e);
      throw e;
    } finally {
      self.ended = true;
      actors.remove(self);
      observers.remove(self);
      if (over) {
        dismiss();
      } else {
        pass();
      }
    }
  }

  /** Ends the turn of a thread that has ended. */
  private void pass() {
    Actor next = nextOrNone();
    if (next == null) {
      dismiss();
    } else {
      next.giveTurn();
    }
  }

  /** The schedule is over: lets those that still wait end, one after another. */
  private void dismiss() {
    if (!actors.isEmpty()) {
      actors.getFirst().giveTurn();
    } else if (!observers.isEmpty()) {
      observers.getFirst().giveTurn();
    } else {
      allEnded.countDown();
    }
  }

  /** A name that no other thread has: those of both ends may have the same. */
  private String distinct(String name) {
    String distinct = name;
    for (int number = 2; isTaken(distinct); number++) {
      distinct = "%s (%d)".formatted(name, number);
    }
    return distinct;
  }

  /** The names of its threads that have not ended. */
  public List<String> threads() {
    return Stream.concat(actors.stream(), observers.stream()).map(Actor::who).toList();
  }

  private boolean isTaken(String name) {
    for (Actor actor : actors) {
      if (actor.who.equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Notes an error of this program. */
  void note(Throwable defect) {
    defects.add(defect);
  }

  /** The errors of this program that were met since the last call. */
  List<Throwable> takeDefects() {
    List<Throwable> taken = List.copyOf(defects);
    defects.clear();
    return taken;
  }

  private Actor actor(Thread thread) {
    Actor actor = byThread.get(thread);
    if (actor == null) {
      throw new IllegalStateException(thread.getName() + " is not a thread of this schedule");
    }
    return actor;
  }

  boolean owns(Thread thread) {
    return byThread.containsKey(thread);
  }

  boolean hasEnded(Thread thread) {
    return actor(thread).ended;
  }

  // ---------------------------------------------------------------------------------------- waits

  /** Lets others go on, if the chooser wants that. */
  public void handOver() {
    Actor self = self();
    self.awaited = null;
    yieldTurn(self);
  }

  /**
   * Waits until a condition holds or the time is over.
   *
   * @return whether it holds
   */
  boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
    Actor self = self();
    // Of its own doing: it notes that it was interrupted, to be told again by its next wait.
    self.interrupted |= Thread.interrupted();
    self.interruptible = true;
    try {
      awaitFor(self, condition, nanos);
    } finally {
      self.interruptible = false;
    }
    if (self.interrupted) {
      self.interrupted = false;
      throw new InterruptedException();
    }
    return condition.getAsBoolean();
  }

  void awaitUninterruptibly(BooleanSupplier condition, long nanos) {
    awaitFor(self(), condition, nanos);
  }

  void park(long nanos) {
    Actor self = self();
    awaitFor(self, () -> self.permit || self.interrupted, nanos);
    self.permit = false;
  }

  void unpark(@Nullable Thread thread) {
    Actor actor = thread == null ? null : byThread.get(thread);
    if (actor != null) {
      actor.permit = true;
    }
  }

  void interrupt(Thread thread) {
    Actor actor = byThread.get(thread);
    if (actor == null) {
      thread.interrupt();
    } else {
      actor.interrupted = true;
    }
  }

  private Actor self() {
    Actor actor = CURRENT.get();
    if (actor == null) {
      throw new IllegalStateException("this thread is not one of a schedule");
    }
    return actor;
  }

  private void awaitFor(Actor self, BooleanSupplier condition, long nanos) {
    if (condition.getAsBoolean()) {
      return;
    }
    self.awaited = condition;
    self.deadline = nanos >= NEVER - now ? NEVER : now + Math.max(0, nanos);
    yieldTurn(self);
    self.awaited = null;
  }

  @SuppressWarnings("ReferenceEquality") // an actor is equal to itself only
  private void yieldTurn(Actor self) {
    if (over) {
      throw new OverError();
    }
    Actor next = nextOrNone();
    if (next != null && next != self) {
      next.giveTurn();
      self.awaitTurn();
    }
    if (over) {
      throw new OverError();
    }
  }

  /** Who is to go on; null if there is nobody, and the schedule is over for this reason. */
  private @Nullable Actor nextOrNone() {
    try {
      return next();
    } catch (RuntimeException | Error e) {
      failure = e;
      over = true;
      return null;
    }
  }

  // ------------------------------------------------------------------------------------ decisions

  void affectsAll() {
    affectedAll = true;
  }

  /** Tells the chooser what has been done since its last choice. */
  private void tell() {
    if (last != null) {
      chooser.happened(last, affectedAll);
      affectedAll = false;
      last = null;
    }
  }

  /** Does steps of automata until a thread is to go on. */
  private Actor next() {
    while (true) {
      tell();
      if (interruption && !actors.isEmpty()) {
        interruption = false;
        actors.getFirst().interrupted = true;
      }
      for (int i = 0; i < observers.size(); i++) {
        if (observers.get(i).canGoOn(now)) {
          return observers.get(i);
        }
      }
      collect();
      if (enabled.isEmpty()) {
        now = nextDue();
        continue;
      }
      Option chosen = enabled.size() == 1 ? enabled.getFirst() : choose();
      if (chosen instanceof Passing passing) {
        now = passing.until;
        continue;
      }
      steps++;
      now += STEP_NANOS;
      chosen.lastTurn = steps;
      last = chosen;
      switch (chosen) {
        case Automaton.Step step -> now += step.take();
        case Actor actor -> {
          return actor;
        }
        default -> throw new IllegalStateException("unknown: " + chosen);
      }
    }
  }

  private Option choose() {
    Supplier<List<Option>> rare = nothingRare ? List::of : others;
    int index = chooser.choose(enabled, rare);
    return index < 0 ? rare.get().get(~index) : enabled.get(index);
  }

  void nothingRare() {
    nothingRare = true;
  }

  /** What does not happen by itself. */
  private List<Option> others() {
    List<Option> found = new ArrayList<>();
    for (Automaton automaton : automata) {
      automaton.addOthers(found);
    }
    long due = nextDue(now);
    if (due < NEVER) {
      found.add(new Passing(now, due));
    }
    return found;
  }

  private void collect() {
    enabled.clear();
    // By index: iterators of all runs were a tenth of what is allocated.
    for (int i = 0; i < actors.size(); i++) {
      Actor actor = actors.get(i);
      if (actor.canGoOn(now)) {
        enabled.add(actor);
      }
    }
    for (int i = 0; i < automata.size(); i++) {
      automata.get(i).addSteps(enabled);
    }
    sortByTurn();
  }

  /** Insertion sort: there are few, and most are in order. */
  private void sortByTurn() {
    for (int i = 1; i < enabled.size(); i++) {
      Option option = enabled.get(i);
      int at = i;
      while (at > 0 && enabled.get(at - 1).lastTurn > option.lastTurn) {
        enabled.set(at, enabled.get(at - 1));
        at--;
      }
      enabled.set(at, option);
    }
  }

  /** The next point in time at which something happens that cannot happen before. */
  private long nextDue(long after) {
    long next = NEVER;
    for (Actor actor : actors) {
      if (actor.deadline > after && !actor.canGoOn(after)) {
        next = Math.min(next, actor.deadline);
      }
    }
    for (Automaton automaton : automata) {
      long due = automaton.nextDue();
      if (due > after) {
        next = Math.min(next, due);
      }
    }
    return next;
  }

  private long nextDue() {
    long next = NEVER;
    for (Actor actor : actors) {
      next = Math.min(next, actor.deadline);
    }
    for (Actor observer : observers) {
      next = Math.min(next, observer.deadline);
    }
    for (Automaton automaton : automata) {
      next = Math.min(next, automaton.nextDue());
    }
    if (next == NEVER) {
      throw new IllegalStateException("all threads of the schedule wait for ever");
    }
    return next;
  }
}
