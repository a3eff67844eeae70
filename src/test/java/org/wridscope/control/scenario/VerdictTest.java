// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** Also when another lab needs the memory of the one that is checked. */
final class VerdictTest {
  private final FakeSession source =
      new FakeSession("lab source", "rdma:127.0.0.1:4444", Role.SOURCE, false);
  private final FakeSession destination =
      new FakeSession("lab destination", "rdma:127.0.0.1:4444", Role.DESTINATION, false);
  private final Lab lab = new Lab(source, destination);

  /** An end whose process was killed. */
  private static FakeSession killed(Role role, Session.Kill kill) {
    var session =
        new FakeSession("killed", "rdma:127.0.0.1:4444", role, false) {
          @Override
          public Optional<Kill> killed() {
            return Optional.of(kill);
          }
        };
    session.end(MigrationStatus.FAILED, "It was killed.");
    session.setGuestRunning(false);
    return session;
  }

  @Test
  void guestOfAKilledSource_isLostWithIt_andRunsNowhereElse() {
    FakeSession killed = killed(Role.SOURCE, new Session.Kill(true, false));
    destination.end(MigrationStatus.FAILED, "The peer has gone.");
    destination.setGuestRunning(false);
    assertThat(Verdict.of(new Lab(killed, destination)).problems()).isEmpty();
    destination.setGuestRunning(true);
    assertThat(Verdict.of(new Lab(killed, destination)).problems())
        .containsExactly(
            "The source was killed while its guest ran, but the destination runs it, too.");
  }

  @Test
  void guestOfASourceThatWasKilledAfterwards_runsAtTheDestination() {
    FakeSession killed = killed(Role.SOURCE, new Session.Kill(false, true));
    destination.end(MigrationStatus.COMPLETED, "The guest runs here.");
    destination.setGuestRunning(false);
    assertThat(Verdict.of(new Lab(killed, destination)).problems())
        .containsExactly(
            "The source had handed the guest over, but the destination does not run it.");
    destination.setGuestRunning(true);
    assertThat(Verdict.of(new Lab(killed, destination)).problems()).isEmpty();
  }

  @Test
  void afterTheDestinationWasKilled_theGuestRunsAtTheSource() {
    FakeSession killed = killed(Role.DESTINATION, new Session.Kill(false, false));
    source.end(MigrationStatus.FAILED, "The peer has gone.");
    source.setGuestRunning(false);
    assertThat(Verdict.of(new Lab(source, killed)).problems())
        .containsExactly("The destination was killed, and the source does not run its guest.");
    source.setGuestRunning(true);
    assertThat(Verdict.of(new Lab(source, killed)).problems()).isEmpty();
  }

  @Test
  void guestOfAKilledDestination_isLostWithIt_andDoesNotRunAtTheSource() {
    FakeSession killed = killed(Role.DESTINATION, new Session.Kill(true, false));
    complete();
    assertThat(Verdict.of(new Lab(source, killed)).problems()).isEmpty();
    var resumed = new FakeSession("lab source", "rdma:127.0.0.1:4444", Role.SOURCE, false);
    resumed.end(MigrationStatus.FAILED, "The peer has gone.");
    resumed.setGuestRunning(true);
    assertThat(Verdict.of(new Lab(resumed, killed)).problems())
        .containsExactly(
            "The destination was killed while it ran the guest, but the source runs it, too.");
  }

  @Test
  void sourceThatCompletes_thoughTheDestinationWasKilledBefore_isAProblem() {
    FakeSession killed = killed(Role.DESTINATION, new Session.Kill(false, false));
    complete();
    assertThat(Verdict.of(new Lab(source, killed)).problems())
        .containsExactly(
            "The source completed, but the destination was killed before it ran the guest.");
  }

  @Test
  void guestOfTwoKilledEnds_ranAtOneOfThem() {
    FakeSession one = killed(Role.SOURCE, new Session.Kill(true, false));
    FakeSession other = killed(Role.DESTINATION, new Session.Kill(true, false));
    assertThat(Verdict.of(new Lab(one, other)).problems())
        .containsExactly(
            "The source was killed while its guest ran, but the destination runs it, too.");
  }

  private void complete() {
    source.setGuestRunning(false);
    source.end(MigrationStatus.COMPLETED, "The guest runs at the destination.");
    destination.end(MigrationStatus.COMPLETED, "The guest runs here.");
  }

  @Test
  void guestThatWasShutDownForTheNextLab_isNotLost() throws Exception {
    try (var sessions = new LocalSessions()) {
      Scenario scenario =
          ScenarioReader.read(
              "small", "small", "{\"title\":\"T\",\"about\":\"A.\",\"guest\":{\"ram\":\"1MiB\"}}");
      Lab first = sessions.startLab(scenario.lab(), scenario.faults(0));
      assertThat(Verdict.await(scenario, 0, first, () -> {}).problems()).isEmpty();
      assertThat(first.destination().guestRunning()).isTrue();
      Lab next = sessions.startLab(scenario.lab(), scenario.faults(0));
      assertThat(first.destination().guestRunning()).isFalse();
      assertThat(first.destination().guestFate()).isNotNull();
      assertThat(Verdict.of(scenario, 0, first).problems()).isEmpty();
      assertThat(Verdict.await(scenario, 0, next, () -> {}).problems()).isEmpty();
    }
  }

  @Test
  void guestThatRunsNowhere_isFound() {
    complete();
    assertThat(Verdict.of(lab).problems()).containsExactly("Neither guest runs.");
    destination.setGuestFate("was shut down later, to make room for the next migration");
    assertThat(Verdict.of(lab).problems()).isEmpty();
  }

  @Test
  void guestThatRunsTwice_isFound_alsoWhenItIsShutDownAtOneEnd() {
    complete();
    source.setGuestRunning(true);
    destination.setGuestRunning(true);
    assertThat(Verdict.of(lab).problems())
        .containsExactly("Both guests run.", "The source completed, but its guest still runs.");
    destination.setGuestRunning(false);
    destination.setGuestFate("was shut down later, to make room for the next migration");
    assertThat(Verdict.of(lab).problems())
        .containsExactly("The source completed, but its guest still runs.");
  }
}
