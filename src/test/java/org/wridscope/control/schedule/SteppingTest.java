// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.Footprint;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Scheduler;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class SteppingTest {
  private static final String ACKNOWLEDGEMENT = "receives the acknowledgement of ";

  @TempDir private static Path folder;

  private static Scenario scenario() throws Exception {
    return Scenarios.find(
        Files.writeString(
                folder.resolve("small.json"),
                """
                {"title": "Small", "about": "Little RAM.", "guest": {"ram": "8MiB"}}
                """)
            .toString());
  }

  /** Stands still at the first choice. */
  private static Stepping stepping(Scenario scenario) throws Exception {
    var stepping = new Stepping(LocalSessions::new, scenario, () -> Stepping.Onlooker.NONE);
    Standing _ = stepping.await();
    return stepping;
  }

  private static Standing.AtChoice choice(Stepping stepping)
      throws IOException, InterruptedException {
    return (Standing.AtChoice) stepping.await();
  }

  private static Standing.AtEnd end(Stepping stepping) throws IOException, InterruptedException {
    return (Standing.AtEnd) stepping.await();
  }

  private static int index(Standing.AtChoice choice, String who, String what) {
    List<Standing.Possibility> all = choice.possibilities();
    return IntStream.range(0, all.size())
        .filter(i -> all.get(i).who().equals(who) && all.get(i).what().startsWith(what))
        .findFirst()
        .orElseThrow(() -> new AssertionError(who + " " + what + " is none of " + all));
  }

  private static void take(Stepping stepping, String who, String what) throws Exception {
    stepping.take(index(choice(stepping), who, what));
  }

  private static List<Long> metrics(Lab lab) {
    return List.of(lab.source(), lab.destination()).stream()
        .flatMap(session ->
            Arrays.stream(Metric.values()).map(metric -> session.telemetry().metrics().get(metric)))
        .toList();
  }

  @Test
  void itStandsStill_andTakesWhatItIsTold() throws Exception {
    try (var stepping = stepping(scenario())) {
      Standing.AtChoice first = choice(stepping);
      assertThat(first.number()).isZero();
      assertThat(first.proposed()).isZero();
      assertThat(first.possibilities()).hasSizeGreaterThan(1);
      assertThat(first.ends())
          .extracting(Standing.End::role)
          .containsExactly(Role.SOURCE, Role.DESTINATION);

      assertThat(stepping.await()).isEqualTo(first);
      stepping.take(1);
      assertThat(choice(stepping).number()).isEqualTo(1);
      assertThat(stepping.schedule().choices()).containsExactly(Map.entry(0L, 1));
      assertThatThrownBy(() -> stepping.take(99))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("99 is no option; write 0 to ");
      assertThat(choice(stepping).number()).isEqualTo(1);
    }
  }

  @Test
  void optionsSay_whatTheyAreAbout_andWhyTheyAreAllowed() throws Exception {
    try (var stepping = stepping(scenario())) {
      stepping.goOnUntil(Until.message(ControlType.READY));
      Standing.AtChoice posted = choice(stepping);
      assertThat(posted.ends().getLast().posted()).containsExactly("CONTROL SEND (READY)");
      int executes = index(posted, "destination's device", "executes CONTROL SEND (READY)");
      assertThat(posted.possibilities().get(executes).rule()).contains("IBTA 10.8.3");

      stepping.take(executes);
      Standing.AtChoice executed = choice(stepping);
      assertThat(executed.ends().getLast().unacknowledged())
          .containsExactly("CONTROL SEND (READY)");
      assertThat(executed.ends().getFirst().completed()).containsExactly("CONTROL RECV 0 (READY)");
      assertThat(
              executed
                  .possibilities()
                  .get(index(executed, "destination's device", ACKNOWLEDGEMENT))
                  .rare())
          .isFalse();
      assertThat(executed.possibilities())
          .filteredOn(Standing.Possibility::rare)
          .extracting(possibility -> possibility.what().replaceAll(" in [0-9].*", ""))
          .containsExactly(
              "loses its cable (queue pair 2)",
              "loses the acknowledgement of CONTROL SEND (READY), and sends again from it on",
              "is killed",
              "is killed",
              "kills the destination and answers NOT_STARTED at its port",
              "cuts the connection and answers NOT_STARTED for the destination",
              "kills the destination and answers RUNNING at its port",
              "cuts the connection and answers RUNNING for the destination",
              "passes until the next deadline,");

      stepping.goOnUntil(Until.wait(Role.SOURCE));
      Standing.AtChoice waiting = choice(stepping);
      assertThat(waiting.possibilities().get(index(waiting, "source", "goes on")).what())
          .contains("(waits for the destination's READY; to poll: CONTROL SEND (QEMU FILE))");
    }
  }

  @Test
  void itGoesOn_untilWhatItIsTold() throws Exception {
    try (var stepping = stepping(scenario())) {
      long wrid = WorkRequestId.of(WorkRequestId.CONTROL_RECEIVE, 0, 0);
      stepping.goOnUntil(Until.completion(wrid));
      Standing.AtChoice polled = choice(stepping);
      assertThat(polled.ends().getFirst().completed()).isEmpty();

      stepping.goOnUntil(Until.chunk(0, 0));
      Standing.AtChoice written = choice(stepping);
      assertThat(written.ends().getFirst().posted())
          .anySatisfy(name -> assertThat(name).startsWith("WRITE ").endsWith(" chunk 0"));

      stepping.goOnUntil(Until.ROUND);
      assertThat(choice(stepping).number()).isGreaterThan(written.number());
      stepping.goOnUntil(Until.END);
      assertThat(end(stepping).verdict().problems()).isEmpty();
      assertThat(end(stepping).lab().source().status()).isEqualTo(MigrationStatus.COMPLETED);
    }
  }

  @Test
  void backGivesTheSameState() throws Exception {
    try (var stepping = stepping(scenario())) {
      stepping.goOnUntil(Until.message(ControlType.REGISTER_REQUEST), 7);
      Standing.AtChoice before = choice(stepping);
      assertThat(stepping.schedule().choices()).isNotEmpty();
      stepping.goOnUntil(Until.END);
      Standing.AtEnd first = end(stepping);
      List<Long> metrics = metrics(first.lab());

      stepping.back(before.number());
      assertThat(choice(stepping)).isEqualTo(before);
      stepping.goOnUntil(Until.END);
      assertThat(end(stepping).number()).isEqualTo(first.number());
      assertThat(end(stepping).nanos()).isEqualTo(first.nanos());
      assertThat(metrics(end(stepping).lab())).isEqualTo(metrics);

      stepping.back(first.number());
      assertThat(end(stepping).nanos()).isEqualTo(first.nanos());
      assertThatThrownBy(() -> stepping.back(first.number() + 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has not been reached");
    }
  }

  /** The hang of QEMU before 6.2, by hand, and its schedule repeats it. */
  @Test
  void theHangOfASharedQueue_canBeProvoked_andAvoided() throws Exception {
    Scenario shared = scenario().with(CompletionQueues.SHARED);
    try (var stepping = stepping(shared)) {
      stepping.goOnUntil(Until.message(ControlType.READY));
      long posted = choice(stepping).number();
      take(stepping, "destination's device", "executes CONTROL SEND (READY)");
      int acknowledged = index(choice(stepping), "destination's device", ACKNOWLEDGEMENT);
      stepping.goOnWithout(acknowledged, Until.message(ControlType.QEMU_FILE));
      assertThat(choice(stepping).ends().getLast().waitingFor())
          .isEqualTo(new Wait(Wait.Kind.SEND, ControlType.READY.value()));
      take(stepping, "source's device", "executes CONTROL SEND (QEMU FILE)");
      assertThat(choice(stepping).ends().getLast().completed())
          .containsExactly("CONTROL RECV 0 (QEMU FILE)");
      take(stepping, "destination", "goes on");
      ScheduledRun hung = end(shared, stepping);
      assertThat(hung.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(hung.problems())
          .anyMatch(problem -> problem.contains("had dropped the completion of CONTROL RECV 0"));

      stepping.back(posted);
      assertThat(choice(stepping).number()).isEqualTo(posted);
      ScheduledRun otherwise = end(shared, stepping);
      assertThat(otherwise.status()).isEqualTo(MigrationStatus.COMPLETED);
    }
  }

  private static ScheduledRun end(Scenario scenario, Stepping stepping) throws Exception {
    Standing _ = stepping.await();
    stepping.goOnUntil(Until.END);
    Standing.AtEnd end = end(stepping);
    ScheduledRun repeated = ScheduledRun.of(LocalSessions::new, scenario, stepping.schedule());
    assertThat(repeated.choices()).isEqualTo(end.number());
    assertThat(repeated.nanos()).isEqualTo(end.nanos());
    assertThat(repeated.status()).isEqualTo(end.lab().source().status());
    return repeated;
  }

  private static long sentAgain(Session session) {
    return session.telemetry().metrics().get(Metric.REQUESTS_SENT_AGAIN);
  }

  @Test
  void aLostAcknowledgement_letsTheDeviceSendAgain() throws Exception {
    Scenario scenario = scenario();
    try (var stepping = stepping(scenario)) {
      stepping.goOnUntil(Until.message(ControlType.READY));
      take(stepping, "destination's device", "executes");
      for (int i = 0; i < 5; i++) {
        take(stepping, "destination's device", "loses the acknowledgement of CONTROL SEND (READY)");
      }
      assertThat(choice(stepping).possibilities())
          .as("a sixth loss would end the connection")
          .noneMatch(possibility -> possibility.what().startsWith("loses the acknowledgement"));
      assertThat(end(scenario, stepping).status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(sentAgain(end(stepping).lab().destination())).isEqualTo(5);
      assertThat(stepping.schedule().choices()).containsValue(-2);
    }
  }

  @Test
  void theCableCanBeCut() throws Exception {
    Scenario scenario = scenario();
    try (var stepping = stepping(scenario)) {
      stepping.goOnUntil(Until.message(ControlType.REGISTER_REQUEST));
      take(stepping, "source's device", "loses its cable");
      ScheduledRun run = end(scenario, stepping);
      assertThat(run.status()).isEqualTo(MigrationStatus.FAILED);
    }
  }

  @Test
  void timeCanPass_thoughAllCouldGoOn() throws Exception {
    Scenario scenario = scenario();
    try (var stepping = stepping(scenario)) {
      stepping.goOnUntil(Until.message(ControlType.READY));
      long before = choice(stepping).nanos();
      take(stepping, "time", "passes until the next deadline");
      assertThat(choice(stepping).nanos() - before).isGreaterThan(100 * Scheduler.STEP_NANOS);
      assertThat(end(scenario, stepping).status()).isEqualTo(MigrationStatus.COMPLETED);
    }
  }

  @Test
  void closedAnywhere_itLeavesNothingBehind() throws Exception {
    Footprint before = Footprint.now();
    long choices;
    try (var stepping = stepping(scenario())) {
      stepping.goOnUntil(Until.END);
      choices = stepping.await().number();
      for (long at = choices; at >= 0; at -= choices / 10) {
        stepping.back(at);
        assertThat(stepping.await().number()).isEqualTo(at);
      }
    }
    for (Until until :
        List.of(Until.message(ControlType.READY), Until.ROUND, Until.chunk(0, 0), Until.END)) {
      try (var stepping = stepping(scenario())) {
        stepping.goOnUntil(until);
        stepping.await();
      }
    }
    assertThat(before.grownTo(Footprint.now())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closedByAnotherThread_awaitEnds(boolean goingOn) throws Exception {
    try (var stepping = stepping(scenario())) {
      if (goingOn) {
        stepping.goOnUntil(Until.END);
      }
      CompletableFuture.runAsync(stepping::close).get();
      assertThatThrownBy(stepping::await)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the run was closed");
    }
  }

  @Test
  void halted_itStandsStillBeforeItsEnd() throws Exception {
    try (var stepping = stepping(scenario())) {
      stepping.goOnUntil(Until.END, 1);
      stepping.halt();
      // The run may have reached its end meanwhile.
      Standing standing = stepping.await();
      stepping.back(standing.number());
      assertThat(stepping.await().nanos()).isEqualTo(standing.nanos());
    }
  }

  @Test
  void closedAtOnce_itEnds() throws Exception {
    new Stepping(LocalSessions::new, scenario(), () -> Stepping.Onlooker.NONE).close();
  }

  @Test
  void aRunThatCannotBegin_saysWhy() throws Exception {
    try (var stepping =
        new Stepping(
            () -> {
              throw new IllegalStateException("no memory");
            },
            scenario(),
            () -> Stepping.Onlooker.NONE)) {
      assertThatThrownBy(stepping::await).hasRootCauseMessage("no memory");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', 'until: \"\" is none of: end; round; wait [END]; completion WRID;'",
    "now, 'until: \"now\" is none of: end;'",
    "chunk 1, 'until: \"chunk 1\" is none of'",
    "queue up, 'until: \"queue up\" is none of'",
    "wait peer, 'wait: \"peer\" is not an end; write source or destination.'",
    "message HELLO, 'message: \"HELLO\" is none of: ERROR, READY, QEMU FILE,'",
    "completion x, 'completion: \"x\" is not a whole number.'",
    "chunk 99999 1, 'chunk: 99999 is out of range'"
  })
  void conditions_thatAreNone_areRefused(String text, String sentence) {
    assertThatThrownBy(() -> Until.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(sentence);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "end",
        "round",
        "wait",
        "wait source",
        "completion 0xfa0",
        "request 2000",
        "message qemu-file",
        "message \"RAM BLOCKS REQUEST\"",
        "chunk 0 17",
        "queue send",
        "queue receive"
      })
  void conditions_areParsed(String text) {
    assertThat(Until.parse(text)).isNotNull();
  }
}
