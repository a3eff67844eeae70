// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.wridscope.TimeLimit;
import org.wridscope.faults.KillEnd.State;
import org.wridscope.faults.LyingRelay.Conduct;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.InquiryQuestion;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.telemetry.Role;

/**
 * Two QEMUs, and a relay on the path that loses one of the last messages and may give false answers
 * about the outcome, while an end is killed or none. All cases run at once, since they mostly wait.
 */
@Tag("qemu")
@EnabledIf(value = "isInstalled", disabledReason = "qemu-system-x86_64 is not installed")
final class LiarTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int AT_ONCE = 5;

  /** Between two attempts to listen. */
  private static final long PAUSE_NANOS = 200_000;

  /** As often as at first, for seconds after the kill; then less often, for minutes. */
  private static final int OFTEN = 10_000;

  private static final long LATER_NANOS = 5_000_000;

  /** Which end has the guest at last. */
  enum Fate {
    RUNS_AT_THE_SOURCE(true, false, false),
    RUNS_AT_THE_DESTINATION(false, true, false),
    /** The source is undecided. */
    RUNS_THERE_UNDECIDED(false, true, true);

    private final boolean here;
    private final boolean there;
    private final boolean undecided;

    Fate(boolean here, boolean there, boolean undecided) {
      this.here = here;
      this.there = there;
      this.undecided = undecided;
    }
  }

  /** Whose program is killed when the message is lost; the others are threads of this process. */
  private enum Killed {
    NONE,
    SOURCE,
    DESTINATION
  }

  /**
   * A case.
   *
   * @param said part of what the source says
   */
  private record Case(ControlType lost, Killed killed, Conduct conduct, Fate fate, String said) {}

  private static final String NO_PROOF = "but cannot prove to be the destination";

  /** {@link ResolveTest} begins with two more, in which lies without a proof are told. */
  private static final List<Case> CASES =
      List.of(
          new Case(ControlType.LOADED, Killed.NONE, Conduct.HONEST, Fate.RUNS_AT_THE_SOURCE, ""),
          new Case(
              ControlType.SWITCH_OVER, Killed.NONE, Conduct.HONEST, Fate.RUNS_AT_THE_SOURCE, ""),
          new Case(
              ControlType.RUNNING, Killed.NONE, Conduct.HONEST, Fate.RUNS_AT_THE_DESTINATION, ""),
          new Case(
              ControlType.SWITCH_OVER,
              Killed.DESTINATION,
              Conduct.HONEST,
              Fate.RUNS_AT_THE_SOURCE,
              ""),
          new Case(
              ControlType.RUNNING,
              Killed.DESTINATION,
              Conduct.HONEST,
              Fate.RUNS_AT_THE_DESTINATION,
              ""),
          new Case(
              ControlType.SWITCH_OVER, Killed.SOURCE, Conduct.HONEST, Fate.RUNS_AT_THE_SOURCE, ""),
          new Case(
              ControlType.RUNNING, Killed.SOURCE, Conduct.HONEST, Fate.RUNS_AT_THE_DESTINATION, ""),
          new Case(
              ControlType.RUNNING,
              Killed.NONE,
              Conduct.REPLAYS,
              Fate.RUNS_THERE_UNDECIDED,
              NO_PROOF),
          new Case(
              ControlType.RUNNING,
              Killed.NONE,
              Conduct.KEEPS_ANSWERS,
              Fate.RUNS_THERE_UNDECIDED,
              ""),
          new Case(
              ControlType.RUNNING,
              Killed.NONE,
              Conduct.DOWNGRADES,
              Fate.RUNS_THERE_UNDECIDED,
              "It answers RUNNING, but is an older Wridscope"));

  static boolean isInstalled() {
    return Files.isExecutable(Path.of("/usr/bin", CountingQemu.PROGRAM));
  }

  @Test
  void oneGuestRuns_orTheSourceKeepsItAndSaysThatItDoesNotKnow() throws Exception {
    List<Future<?>> runs = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
      for (Case each : CASES) {
        runs.add(
            executor.submit(() -> {
              run(each);
              return null;
            }));
      }
    }
    for (Future<?> run : runs) {
      run.get();
    }
  }

  private static void run(Case what) throws Exception {
    KillSetting setting = KillSetting.TCP;
    var source = new AtomicReference<LocalEnd>();
    try (LocalEnd there = end(what, Role.DESTINATION, setting.uri())) {
      InetSocketAddress address = address(there);
      var ended = new AtomicBoolean();
      var taken = new AtomicInteger();
      Thread squatter = Thread.ofPlatform().daemon().unstarted(() -> squat(address, ended, taken));
      Runnable then =
          () -> {
            switch (what.killed()) {
              case SOURCE -> Objects.requireNonNull(source.get()).kill();
              case DESTINATION -> {
                squatter.start();
                there.kill();
              }
              case NONE -> {}
            }
          };
      try (var relay = new LyingRelay(address, what.lost(), what.conduct(), then);
          LocalEnd here = end(what, Role.SOURCE, relay.earlier(earlierProof()).uri())) {
        source.set(here);
        // A guard that has answered goes soon, and gives the port free.
        relay.onAnswer(() -> ended.set(true));
        assertThat(here.await(LIMIT)).as("%s: %s", what, here.output()).isTrue();
        ended.set(true);
        judge(what, here, there);
        if (what.lost() != ControlType.LOADED) {
          assertThat(relay.asked()).as("%s: %s", what, here.output()).isPositive();
        }
      } finally {
        ended.set(true);
        if (what.killed() == Killed.DESTINATION) {
          squatter.join();
        }
      }
      assertThat(taken.get()).as("times that a stranger could listen: %s", what).isZero();
    }
  }

  private static void judge(Case what, LocalEnd here, LocalEnd there) throws Exception {
    State source = here.state();
    var patience = new TimeLimit(LIMIT);
    State destination = there.state();
    while (destination.runs() != what.fate().there && patience.lasts()) {
      destination = there.state();
    }
    String all =
        "%s: %s, %s: %s / %s".formatted(what, source, destination, here.output(), there.output());
    assertThat(source.alive()).as(all).isTrue();
    assertThat(source.runs()).as(all).isEqualTo(what.fate().here);
    assertThat(destination.runs()).as(all).isEqualTo(what.fate().there);
    assertThat(source.leftovers()).as(all).isEmpty();
    assertThat(here.output().contains("unknown whether the destination started the guest"))
        .as(all)
        .isEqualTo(what.fate().undecided);
    assertThat(here.output()).as(all).contains(what.said());
    if (what.fate().there) {
      assertThat(destination.count()).as(all).isGreaterThanOrEqualTo(source.count());
    }
    if (what.killed() == Killed.DESTINATION) {
      assertThat(there.await(LIMIT)).as(all).isTrue();
      assertThat(there.state().leftovers()).as(all).isEmpty();
    }
  }

  private static LocalEnd end(Case what, Role role, String uri) throws Exception {
    return what.killed().name().equals(role.name())
        ? new LocalEnd(KillSetting.TCP, CountingQemu.PROGRAM, role, uri)
        : LocalEnd.inThread(KillSetting.TCP, CountingQemu.PROGRAM, role, uri);
  }

  /** Where a destination listens. */
  static InetSocketAddress address(KillEnd destination) throws Exception {
    return new InetSocketAddress(
        InetAddress.getLoopbackAddress(),
        URI.create(destination.uri().replaceFirst("rdma:", "rdma://")).getPort());
  }

  /** True once, of a migration with another secret. */
  private static byte[] earlierProof() {
    return MigrationSecret.random()
        .proof(InquiryQuestion.about(MigrationId.random()), Outcome.NOT_STARTED);
  }

  /** Tries to listen where the destination listens, from before its end on. */
  private static void squat(InetSocketAddress address, AtomicBoolean ended, AtomicInteger taken) {
    for (int attempt = 0; !ended.get(); attempt++) {
      try (var socket = new ServerSocket()) {
        socket.bind(address);
        taken.incrementAndGet();
      } catch (BindException e) {
        LockSupport.parkNanos(attempt < OFTEN ? PAUSE_NANOS : LATER_NANOS);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
