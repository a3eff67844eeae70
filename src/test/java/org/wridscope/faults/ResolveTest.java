// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;
import org.wridscope.faults.KillEnd.State;
import org.wridscope.faults.LyingRelay.Conduct;
import org.wridscope.protocol.ControlType;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Role;

/** The ways out of an undecided migration between two QEMUs, as automation takes them. */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.faults.LiarTest#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class ResolveTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir private Path folder;

  /**
   * A way out.
   *
   * @param lost the message; the destination's program is killed at it
   * @param lie about the outcome, until the way out is taken
   * @param believed part of what the source says while it is undecided
   * @param otherEnd what is said of the destination; empty to ask again
   * @param status of QMP afterwards
   * @param here whether the guest runs at the source then
   * @param act in the recording
   * @param said part of what was said
   */
  private record Way(
      ControlType lost,
      Conduct lie,
      String believed,
      String otherEnd,
      String status,
      boolean here,
      OperatorAct act,
      String said) {}

  private static final List<Way> WAYS =
      List.of(
          new Way(
              ControlType.RUNNING,
              Conduct.DENIES,
              "A peer answers NOT_STARTED at",
              "",
              "completed",
              false,
              OperatorAct.LEARNED_RUNNING,
              "It started the guest."),
          new Way(
              ControlType.SWITCH_OVER,
              Conduct.CLAIMS,
              "A peer answers RUNNING at",
              "guest-ended",
              "failed",
              true,
              OperatorAct.TOLD_GUEST_ENDED,
              "says that it was ended at the destination"));

  @Test
  void anUndecidedSource_isLedOut() throws Exception {
    List<Future<?>> runs = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(WAYS.size())) {
      for (Way way : WAYS) {
        runs.add(
            executor.submit(() -> {
              run(way);
              return null;
            }));
      }
    }
    for (Future<?> run : runs) {
      run.get();
    }
  }

  private void run(Way way) throws Exception {
    KillSetting setting = KillSetting.TCP;
    Path socket = folder.resolve(way.status());
    Path recording = folder.resolve(way.status() + ".wrs");
    try (var there = new LocalEnd(setting, CountingQemu.PROGRAM, Role.DESTINATION, setting.uri());
        var relay = new LyingRelay(LiarTest.address(there), way.lost(), way.lie(), there::kill);
        LocalEnd here =
            LocalEnd.inThread(
                setting,
                CountingQemu.PROGRAM,
                Role.SOURCE,
                relay.uri(),
                "--qmp",
                "unix:" + socket,
                "--record",
                recording.toString())) {
      new TimeLimit(LIMIT).await("the source to be asked by QMP", () -> Files.exists(socket));
      try (Qmp qmp = Qmp.connect(new QmpAddress.Unix(socket), Duration.ofSeconds(60))) {
        new TimeLimit(LIMIT).await("the end", () -> status(qmp).equals("postcopy-paused"));
        assertThat(qmp.execute("query-status").getAsJsonObject().get("status").getAsString())
            .isEqualTo("finish-migrate");
        assertThat(refusal(qmp, "cont", "", "")).isNotEmpty();
        assertThat(refusal(qmp, "x-wridscope-resolve", "other-end", "fine"))
            .contains("other-end", "powered-off");
        State undecided = here.state();
        assertThat(undecided.runs()).isFalse();
        assertThat(undecided.leftovers()).isEmpty();
        String error =
            qmp.execute("query-migrate").getAsJsonObject().get("error-desc").getAsString();
        assertThat(error)
            .contains("unknown whether the destination started the guest", way.believed());

        relay.beHonest();
        var arguments = new JsonObject();
        if (!way.otherEnd().isEmpty()) {
          arguments.addProperty("other-end", way.otherEnd());
        }
        JsonObject answer =
            qmp.execute("x-wridscope-resolve", arguments, Duration.ofMinutes(2)).getAsJsonObject();
        assertThat(answer.get("status").getAsString()).as("%s", answer).isEqualTo(way.status());
        assertThat(answer.get("said").toString()).contains(way.said());
        assertThat(status(qmp)).isEqualTo(way.status());
        assertThat(here.state().runs()).isEqualTo(way.here());
        assertThat(there.state().runs()).isNotEqualTo(way.here());
        assertThat(refusal(qmp, "x-wridscope-resolve", "other-end", "guest-runs"))
            .contains("is not undecided");
        var _ = qmp.execute("quit");
      }
      assertThat(here.await(LIMIT)).isTrue();
      try (Recording opened = Recording.open("file", recording)) {
        RecordedSession session = opened.sessions().getFirst();
        assertThat(session.telemetry().log().read(0, Integer.MAX_VALUE))
            .filteredOn(event -> event.kind() == EventKind.OPERATED)
            .extracting(event -> OperatorAct.of(event.detail()))
            .containsExactly(way.act());
        assertThat(session.status().qemuName()).isEqualTo(way.status());
      }
    }
  }

  private static String status(Qmp qmp) throws Exception {
    JsonObject answer = qmp.execute("query-migrate").getAsJsonObject();
    return answer.has("status") ? answer.get("status").getAsString() : "";
  }

  private static String refusal(Qmp qmp, String command, String name, String value)
      throws Exception {
    var arguments = new JsonObject();
    if (!name.isEmpty()) {
      arguments.addProperty(name, value);
    }
    try {
      return qmp.execute(command, arguments, Duration.ofSeconds(60)).toString();
    } catch (QmpException e) {
      return e.desc();
    }
  }
}
