// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clock, threads and waits under a schedule. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SchedulerTest {
  private static final Chooser IN_TURN = _ -> 0;
  private static final Chooser LAST = options -> options.size() - 1;
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final Duration LONG = Duration.ofHours(1);

  /** Of threads that run one at a time. */
  private final List<String> log = new ArrayList<>();

  private static void sleepQuietly(Duration time) {
    try {
      Time.sleep(time);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> T run(Callable<T> work) throws Exception {
    return Scheduler.run(IN_TURN, 1, work);
  }

  /** Two threads that log their names three times, and hand over after each. */
  private String twoThreads(Chooser chooser) throws Exception {
    log.clear();
    return Scheduler.run(
        chooser,
        1,
        () -> {
          List<Thread> threads =
              List.of(Time.start("a", () -> logThrice("a")), Time.start("b", () -> logThrice("b")));
          threads.forEach(Time::join);
          return String.join("", log);
        });
  }

  private void logThrice(String name) {
    for (int i = 0; i < 3; i++) {
      log.add(name);
      Time.letOthersRun();
    }
  }

  @Test
  void theChooser_decidesWhoGoesOn() throws Exception {
    assertThat(twoThreads(IN_TURN)).isEqualTo("ababab");
    assertThat(twoThreads(LAST)).isEqualTo("bbbaaa");
    var random = new SplittableRandom(3);
    String once = twoThreads(options -> random.nextInt(options.size()));
    var again = new SplittableRandom(3);
    assertThat(twoThreads(options -> again.nextInt(options.size()))).isEqualTo(once);
  }

  @Test
  void options_sayWhoAndWhatAndWhy() throws Exception {
    var seen = new ArrayList<String>();
    twoThreads(options -> {
      options.forEach(
          option -> seen.add(option.who() + " " + option.what() + ": " + option.rule()));
      return 0;
    });
    assertThat(seen).contains("a goes on: A processor may be given to any thread that can run.");
  }

  @Test
  void aWait_takesNoTimeOfTheMachine() throws Exception {
    assertThat(
            run(() -> {
              long begin = Time.nanos();
              Time.sleep(Duration.ofNanos(1000 * HOUR));
              assertThat(Time.isParallel()).isFalse();
              assertThat(Time.wallClock())
                  .isBetween(
                      Instant.EPOCH.plus(Duration.ofHours(1000)),
                      Instant.EPOCH.plus(Duration.ofHours(1001)));
              return Time.nanos() - begin;
            }))
        .isBetween(1000 * HOUR, 1000 * HOUR + TimeUnit.SECONDS.toNanos(1));
  }

  /** The work is told, and ends by itself, with what it has started. */
  @Test
  void anInterruptOfTheCaller_isPassedOn_andTheEndAwaited() throws Exception {
    var begun = new CountDownLatch(1);
    var outcome = new AtomicReference<Exception>();
    Thread caller =
        new Thread(() -> {
          try {
            run(() -> {
              Thread helper =
                  Time.start(
                      "helper",
                      () -> {
                        while (!log.contains("told")) {
                          Time.letOthersRun();
                        }
                        log.add("helped");
                      });
              begun.countDown();
              try {
                // The helper lets no time pass but that of its steps.
                Time.sleep(Duration.ofNanos(Long.MAX_VALUE / 2));
              } catch (InterruptedException e) {
                log.add("told");
                Time.join(helper);
                throw e;
              }
              return null;
            });
          } catch (Exception e) {
            outcome.set(e);
          }
        });
    caller.start();
    begun.await();
    caller.interrupt();
    caller.join();
    assertThat(outcome.get()).hasCauseInstanceOf(InterruptedException.class);
    assertThat(log).containsExactly("told", "helped");
  }

  @Test
  void aClock_isReadByAnyThread() throws Exception {
    var clock = new AtomicReference<Long>();
    run(() -> {
      var ofSchedule = Time.clock();
      Time.sleep(Duration.ofSeconds(5));
      var foreign = new Thread(() -> clock.set(ofSchedule.getAsLong()));
      foreign.start();
      foreign.join();
      assertThat(clock.get()).isEqualTo(Time.nanos());
      return null;
    });
    assertThat(Time.clock().getAsLong()).isLessThanOrEqualTo(System.nanoTime());
  }

  @Test
  void await_withALock_letsOthersHaveItMeanwhile() throws Exception {
    run(() -> {
      var lock = new ReentrantLock();
      Condition changed = lock.newCondition();
      var there = new AtomicBoolean();
      Time.start(
          "other",
          () -> {
            lock.lock();
            try {
              there.set(true);
              changed.signalAll();
            } finally {
              lock.unlock();
            }
          });
      lock.lock();
      try {
        assertThat(Time.await(lock, changed, there::get, HOUR)).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        long begin = Time.nanos();
        assertThat(begin).isLessThan(HOUR);
        assertThat(Time.await(lock, changed, () -> false, HOUR)).isFalse();
        assertThat(Time.nanos() - begin).isGreaterThanOrEqualTo(HOUR);
        assertThat(Time.await(lock, changed, () -> false, 0)).isFalse();
      } finally {
        lock.unlock();
      }
      assertThat(Time.await(new Object(), there::get, HOUR)).isTrue();
      assertThat(Time.await(new Object(), () -> false, HOUR)).isFalse();
      return null;
    });
  }

  @Test
  void lock_isTakenWhenItsHolderReleasesIt() throws Exception {
    run(() -> {
      var lock = new ReentrantLock();
      Time.lock(lock);
      Time.lock(lock);
      lock.unlock();
      Thread other =
          Time.start(
              "other",
              () -> {
                Time.lock(lock);
                log.add("other");
                lock.unlock();
              });
      var late = new AtomicBoolean(true);
      Thread impatient =
          Time.start(
              "impatient",
              () -> {
                try {
                  late.set(Time.tryLock(lock, 10));
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      // The others wait, and are asked whether they can go on, while the holder waits.
      for (int i = 0; i < 3; i++) {
        Time.letOthersRun();
        Time.sleep(Duration.ofSeconds(1));
      }
      log.add("holder");
      assertThat(late).isFalse();
      lock.unlock();
      Time.join(other);
      Time.join(impatient);
      assertThat(Time.tryLock(lock, 0)).isTrue();
      return null;
    });
    assertThat(log).containsExactly("holder", "other");
  }

  @Test
  void threadsOfTheSameName_areDifferentOptions() throws Exception {
    Set<String> who = new TreeSet<>();
    Scheduler.run(
        options -> {
          options.forEach(option -> who.add(option.who()));
          return 0;
        },
        1,
        () -> {
          List<Thread> threads =
              List.of(Time.start("a", Time::letOthersRun), Time.start("a", Time::letOthersRun));
          threads.forEach(Time::join);
          return null;
        });
    assertThat(who).containsExactly("a", "a (2)", "lab");
  }

  @Test
  void whatAThreadThrows_isADefect_untilItIsTaken() throws Exception {
    var thrown = new IllegalStateException("on purpose");
    run(() -> {
      Time.join(
          Time.start(
              "defective",
              () -> {
                throw thrown;
              }));
      assertThat(Time.takeDefects()).containsExactly(thrown);
      assertThat(Time.takeDefects()).isEmpty();
      return null;
    });
    assertThat(Time.takeDefects()).isEmpty();
  }

  @Test
  void park_endsWithAPermit_orWithTheTime() throws Exception {
    run(() -> {
      Thread parked =
          Time.start(
              "parked",
              () -> {
                Time.park(this, Long.MAX_VALUE);
                log.add("unparked");
              });
      Time.sleep(Duration.ofSeconds(1));
      assertThat(log).isEmpty();
      Time.unpark(parked);
      Time.join(parked);
      assertThat(log).containsExactly("unparked");

      long begin = Time.nanos();
      Time.unpark(Thread.currentThread());
      Time.park(this, Long.MAX_VALUE);
      assertThat(Time.nanos() - begin).as("had a permit").isLessThan(HOUR);
      Time.park(this, HOUR);
      assertThat(Time.nanos() - begin).isGreaterThanOrEqualTo(HOUR);
      Time.unpark(null);
      return null;
    });
  }

  @Test
  void interrupt_endsTheWaitOfAThread_orItsNext() throws Exception {
    run(() -> {
      Thread sleeper =
          Time.start(
              "sleeper", () -> log.add(String.valueOf(catchThrowable(() -> Time.sleep(LONG)))));
      Time.sleep(Duration.ofSeconds(1));
      Time.interrupt(sleeper);
      Time.join(sleeper);
      assertThat(log).containsExactly("java.lang.InterruptedException");

      Time.interrupt(Thread.currentThread());
      assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Time.sleep(LONG));
      Time.sleep(Duration.ofSeconds(1));

      Thread slow = Time.start("slow", () -> sleepQuietly(LONG));
      Time.interrupt(Thread.currentThread());
      Time.join(slow);
      assertThat(Time.isAlive(slow)).as("the join went on").isFalse();
      assertThatExceptionOfType(InterruptedException.class)
          .as("and kept the interrupt")
          .isThrownBy(() -> Time.sleep(LONG));
      return null;
    });
  }

  @Test
  void join_waitsForTheEnd_butNotLongerThanTold() throws Exception {
    run(() -> {
      var latch = new CountDownLatch(1);
      Thread thread =
          Time.start(
              "thread",
              () -> {
                sleepQuietly(LONG);
                latch.countDown();
              });
      assertThat(Time.join(thread, HOUR / 2)).isFalse();
      assertThat(Time.await(latch, 0)).isFalse();
      assertThat(Time.isAlive(thread)).isTrue();
      assertThat(Time.join(thread, HOUR)).isTrue();
      assertThat(Time.await(latch, 0)).isTrue();
      assertThat(Time.isAlive(thread)).isFalse();
      return null;
    });
  }

  @Test
  void all_thatWaitForEver_areAFailure() {
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() ->
            run(() -> {
              Time.start("other", () -> Time.park(this, Long.MAX_VALUE));
              Time.park(this, Long.MAX_VALUE);
              return null;
            }))
        .havingCause()
        .isInstanceOf(IllegalStateException.class)
        .withMessage("all threads of the schedule wait for ever");
  }

  @Test
  void what_isThrown_isTheResult() {
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() ->
            run(() -> {
              throw new InterruptedException("x");
            }))
        .havingCause()
        .isInstanceOf(InterruptedException.class);
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() ->
            Scheduler.run(
                _ -> {
                  throw new IllegalArgumentException("no choice");
                },
                1,
                () -> twoThreadsOfThis()))
        .havingCause()
        .withMessage("no choice");
  }

  private String twoThreadsOfThis() {
    List.of(Time.start("a", () -> logThrice("a")), Time.start("b", () -> logThrice("b")))
        .forEach(Time::join);
    return "";
  }

  @Test
  void threads_thatAreLeft_endWithTheWork() throws Exception {
    List<Thread> left =
        run(() -> {
          Thread waiting =
              Time.start(
                  "waiting",
                  () -> {
                    try {
                      Time.park(this, Long.MAX_VALUE);
                      log.add("went on");
                    } finally {
                      log.add("cleaned up");
                    }
                  });
          Time.sleep(Duration.ofSeconds(1));
          Thread begun = Time.start("begun", () -> log.add("begun"));
          Thread observer = Time.startObserver("observer", () -> Time.park(this, Long.MAX_VALUE));
          return List.of(waiting, begun, observer);
        });
    for (Thread thread : left) {
      thread.join();
    }
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  void anObserver_seesEverything_andChangesNothing() throws Exception {
    String without = choices(false);
    assertThat(choices(true)).isEqualTo(without);
    assertThat(log).hasSize(50);
  }

  private String choices(boolean observed) throws Exception {
    log.clear();
    var choices = new StringBuilder();
    var random = new SplittableRandom(9);
    long end =
        Scheduler.run(
            options -> {
              int chosen = random.nextInt(options.size());
              choices.append(options.get(chosen).who()).append(options.size()).append(' ');
              return chosen;
            },
            1,
            () -> {
              if (observed) {
                Time.startObserver(
                    "observer",
                    () -> {
                      for (int look = 0; look < 50; look++) {
                        log.add("look");
                        Time.park(this, TimeUnit.MILLISECONDS.toNanos(20));
                      }
                    });
              }
              var count = new AtomicInteger();
              List<Thread> threads = new ArrayList<>();
              for (String name : List.of("a", "b", "c")) {
                threads.add(
                    Time.start(
                        name,
                        () -> {
                          while (count.incrementAndGet() < 100) {
                            Time.letOthersRun();
                            sleepQuietly(Duration.ofMillis(count.get()));
                          }
                        }));
              }
              threads.forEach(Time::join);
              return Time.nanos();
            });
    return choices.append(end).toString();
  }

  /** Counts a step each second, of its own accord. */
  private static final class Counter implements Automaton {
    private final Scheduler scheduler;
    private final Step step = new Count();
    private long due;
    private int count;

    Counter(Scheduler scheduler) {
      this.scheduler = scheduler;
      due = scheduler.nanos();
    }

    @Override
    public void addSteps(List<? super Step> steps) {
      if (due <= scheduler.nanos()) {
        steps.add(step);
      }
    }

    @Override
    public long nextDue() {
      return due;
    }

    private final class Count extends Step {
      @Override
      protected long take() {
        count++;
        due += TimeUnit.SECONDS.toNanos(1);
        return 0;
      }

      @Override
      public String who() {
        return "counter";
      }

      @Override
      public String what() {
        return "counts";
      }

      @Override
      public String rule() {
        return "";
      }
    }
  }

  @Test
  void anAutomaton_actsWithoutAThread_untilItIsRemoved() throws Exception {
    run(() -> {
      Scheduler scheduler = Scheduler.current();
      assertThat(scheduler).isNotNull();
      var counter = new Counter(scheduler);
      scheduler.add(counter);
      Time.sleep(Duration.ofMillis(9_500));
      assertThat(counter.count).isEqualTo(10);
      scheduler.remove(counter);
      Time.sleep(LONG);
      assertThat(counter.count).isEqualTo(10);
      return null;
    });
  }

  @Test
  void random_andAddresses_followFromTheSeedAndTheOrder() throws Exception {
    List<Long> once = drawn(5);
    assertThat(drawn(5)).isEqualTo(once);
    assertThat(drawn(6)).doesNotContainAnyElementsOf(once.subList(0, 2));
    assertThat(drawn(6).subList(2, 4)).isEqualTo(once.subList(2, 4));
  }

  private static List<Long> drawn(long seed) throws Exception {
    return Scheduler.run(
        IN_TURN,
        seed,
        () -> {
          var machine = new SplittableRandom();
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4 << 20);
            Time.mapped(memory);
            List<Long> drawn =
                List.of(
                    Time.random(machine),
                    Time.random(machine),
                    Time.address(memory),
                    Time.address(memory.asSlice(4096, 1)));
            Time.unmapped(memory);
            assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> Time.address(memory));
            return drawn;
          }
        });
  }

  @Test
  void onOtherThreads_timeIsTheMachines() throws Exception {
    assertThat(Time.isParallel()).isTrue();
    assertThat(Scheduler.current()).isNull();
    var latch = new CountDownLatch(1);
    Thread thread = Time.start("thread", latch::countDown);
    Time.join(thread);
    assertThat(thread.isVirtual()).isFalse();
    assertThat(Time.isAlive(thread)).isFalse();
    assertThat(Time.await(latch, 0)).isTrue();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8);
      assertThat(Time.address(memory)).isEqualTo(memory.address());
    }
  }
}
