// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Endings;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/** What an engine suffers that releases memory when the peer has answered. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RetransmissionScenarioTest {
  private final LocalSessions sessions = new LocalSessions();

  @AfterEach
  void close() {
    sessions.close();
  }

  private Lab run(Scenario scenario, int run) throws Exception {
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(run));
    assertThat(Verdict.await(scenario, run, lab, () -> {}).problems()).isEmpty();
    return lab;
  }

  private static long count(Lab lab, Metric metric) {
    return lab.source().telemetry().metrics().get(metric);
  }

  private static Requests requests(Lab lab) {
    return new Requests(lab.source().telemetry()).readAll();
  }

  private static Explanation explain(Lab lab) {
    return Explainer.explain(
        requests(lab),
        new Requests(lab.destination().telemetry()).readAll(),
        System.nanoTime(),
        Endings.of(lab.source(), lab.destination()));
  }

  private static List<String> steps(Explanation explanation) {
    return explanation.steps().stream().map(Step::text).toList();
  }

  @Test
  void memoryThatIsHeldUntilTheCompletion_isSentAgainUnchanged() throws Exception {
    for (String name : List.of("retransmission", "retransmission-exposed")) {
      Lab lab = run(Scenarios.find(name), 0);
      assertThat(count(lab, Metric.REQUESTS_SENT_AGAIN)).isGreaterThan(2);
      assertThat(count(lab, Metric.SENT_AGAIN_CHANGED)).isZero();
      assertThat(count(lab, Metric.SENT_AGAIN_UNREGISTERED)).isZero();
      assertThat(explain(lab).state()).isEqualTo(State.COMPLETED);
    }
  }

  @Test
  void registrationThatIsReleasedOnAReply_endsTheConnection_andExplainShowsWhy() throws Exception {
    Lab lab = run(Scenarios.find("retransmission"), 1);
    assertThat(count(lab, Metric.SENT_AGAIN_UNREGISTERED)).isEqualTo(1);
    Explanation explanation = explain(lab);
    assertThat(explanation.state()).isEqualTo(State.FAILED);
    assertThat(explanation.headline())
        .isEqualTo(
            "The source deregistered the memory of WRITE RDMA block 0 chunk 8 before it had"
                + " completed.");
    assertThat(lab.source().outcome())
        .startsWith(
            "The source deregistered the memory of WRITE RDMA block 0 chunk 8 before it had"
                + " completed, and the device could not read it again: local protection error");
    assertThat(explanation.summary()).startsWith(lab.source().outcome());
    assertThat(explanation.steps())
        .extracting(Step::text)
        .satisfiesExactly(
            post ->
                assertThat(post)
                    .isEqualTo("The source posts WRITE RDMA block 0 chunk 8 to the send queue."),
            answer ->
                assertThat(answer)
                    .matches(
                        "(REGISTER RESULT|READY) arrives at the source; the request has not"
                            + " completed\\."),
            release ->
                assertThat(release)
                    .startsWith("The source deregisters pc.ram chunks 0 to ")
                    .endsWith(", although the request has not completed."),
            again ->
                assertThat(again)
                    .isEqualTo(
                        "No acknowledgement has come, and the device of the source is to send WRITE"
                            + " RDMA block 0 chunk 8 again, but its memory is no longer"
                            + " registered."),
            end -> assertThat(end).isEqualTo("It completes: local protection error."));
    assertThat(explanation.key()).isEqualTo(explanation.steps().get(3));
    assertThat(Findings.of(requests(lab), Map.of()))
        .extracting(Finding::title)
        .contains("memory released too early");
    assertThat(Findings.of(requests(lab), Map.of()))
        .filteredOn(finding -> finding.title().equals("requests failed"))
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.seen())
                .endsWith(
                    "the first cause: memory that was deregistered before its request had"
                        + " completed."));
  }

  @Test
  void bufferThatIsReusedOnAReply_isExposed_thoughTheMigrationCompletes() throws Exception {
    Lab lab = run(Scenarios.find("retransmission-exposed"), 1);
    assertThat(lab.source().status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(lab.source().report().verified()).isTrue();
    assertThat(count(lab, Metric.SENT_AGAIN_CHANGED)).isPositive();
    Explanation explanation = explain(lab);
    assertThat(explanation.state()).isEqualTo(State.UNSOUND);
    assertThat(explanation.summary()).startsWith("At the source, buffers were reused before");
    assertThat(explanation.headline())
        .isEqualTo(
            "The source reused the buffer of CONTROL SEND (REGISTER REQUEST) before it had"
                + " completed.");
    assertThat(steps(explanation))
        .contains(
            "The source posts CONTROL SEND (REGISTER REQUEST) to the send queue.",
            "No acknowledgement has come, and the device of the source sends CONTROL SEND (REGISTER"
                + " REQUEST) again, with what is in the buffer now.")
        .anySatisfy(step ->
            assertThat(step)
                .endsWith("from the same buffer, although the first request has not completed."));
  }

  @Test
  void engineThatReleasesOnAReply_failsTheLab() throws Exception {
    Scenario scenario = Scenarios.find("retransmission-exposed").with(ReleaseTime.ON_REPLY);
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
    // Which messages are sent again, with other data, depends on the time; if it is the last one,
    // the RAM is not compared, which is another problem.
    assertThat(Verdict.await(scenario, 0, lab, () -> {}).problems())
        .anySatisfy(problem ->
            assertThat(problem)
                .startsWith(
                    "At the source, buffers were reused before their SENDs had completed:"));
    assertThat(Verdict.of(lab).problems()).isNotEmpty();
  }
}
