// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.Script;
import org.wridscope.control.FakeSession;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.DeviceCounter;

final class SummaryTest {

  private static MigrationReport report(Role role, long shared, long dropped) {
    return report(role, shared, dropped, 0);
  }

  private static MigrationReport report(Role role, long shared, long dropped, long met) {
    var session = new FakeSession("one", "rdma:h:1", role, true);
    var metrics = session.telemetry().metrics();
    metrics.set(Metric.COMPLETION_QUEUE_SHARED, shared);
    metrics.set(Metric.COMPLETIONS_DROPPED, dropped);
    metrics.set(Metric.COMPLETIONS_MET, met);
    metrics.set(Metric.WRITES_POSTED, 10);
    metrics.set(Metric.WRITES_COMPLETED, 10);
    metrics.set(Metric.SENDS_POSTED, 3);
    metrics.set(Metric.SENDS_COMPLETED, 3);
    metrics.set(Metric.RECEIVES_POSTED, 4);
    metrics.set(Metric.RECEIVES_COMPLETED, 2);
    return Reports.ofTelemetry(session, System.nanoTime());
  }

  @Test
  void whatTheDeviceCounted_isToldOnce_ofTwoEndsOnTheSamePort() {
    var sent = new DeviceCounter("rxe0", 1, "sent_pkts");
    var source = new Script(Role.SOURCE).counted(sent, 1200, false);
    var destination = new Script(Role.DESTINATION).counted(sent, 1201, false);
    assertThat(DeviceSummary.lines(List.of(source.requests(), destination.requests())))
        .containsExactly(
            "  device counted " + CountedByDevice.WHOSE,
            "                 1,200 sent_pkts on rxe0 port 1: Packets sent by the device"
                + " (soft-RoCE).");
    destination.counted(new DeviceCounter("rxe1", 1, "of_tomorrow"), 1, false);
    assertThat(DeviceSummary.lines(List.of(source.requests(), destination.requests())))
        .hasSize(5)
        .endsWith("                 1 of_tomorrow on rxe1 port 1");
    assertThat(DeviceSummary.lines(List.of(new Script(Role.SOURCE).requests()))).isEmpty();
  }

  @Test
  void theTimeForWhichASourceWasHeld_isTold() {
    var session = new FakeSession("one", "rdma:h:1", Role.SOURCE, true);
    session.telemetry().metrics().set(Metric.TOTAL_TIME, 5_000_000_000L);
    assertThat(Summary.lines(session.report(), null).getFirst()).doesNotContain("held");
    session.telemetry().metrics().set(Metric.HELD_TIME, 3_000_000_000L);
    assertThat(Summary.lines(session.report(), null).getFirst())
        .endsWith("5.0 s, held before the switch-over for 3.0 s");
  }

  @Test
  void theRamInUse_isToldOfEachEnd() {
    var destination = new FakeSession("two", "rdma:h:1", Role.DESTINATION, true);
    var metrics = destination.telemetry().metrics();
    metrics.set(Metric.RAM_TOTAL, 1 << 20);
    metrics.setInUse(Metric.RAM_IN_USE_BEFORE, 0);
    metrics.setInUse(Metric.RAM_IN_USE_AFTER, 1 << 18);
    assertThat(
            Summary.lines(
                report(Role.SOURCE, 0, 0), Reports.ofTelemetry(destination, System.nanoTime())))
        .contains(
            "  RAM in use     not known; never touched: not known",
            "                 destination: 0 B before, 256 KiB after; never touched: 1.00 MiB before,"
                + " 768 KiB after");
  }

  private static List<String> completions(
      MigrationReport source, @Nullable MigrationReport destination) {
    return Summary.lines(source, destination).stream()
        .map(String::strip)
        .filter(line -> line.contains(" queue "))
        .toList();
  }

  @Test
  void separateQueues_areTwo_andNothingIsDropped() {
    assertThat(completions(report(Role.SOURCE, 0, 0), report(Role.DESTINATION, 0, 0)))
        .containsExactly("completions    send queue 13, receive queue 2 of 4, failed 0");
  }

  @Test
  void sharedQueue_isOne_andDroppedCompletionsAreCounted() {
    assertThat(completions(report(Role.SOURCE, 1, 0), report(Role.DESTINATION, 1, 1)))
        .containsExactly(
            "completions    shared queue 15 of 17 (send queue 13, receive queue 2 of 4), failed 0",
            "destination: shared queue 5 of 7 (send queue 3, receive queue 2 of 4), failed 0,"
                + " dropped 1");
  }

  @Test
  void completionsThatWereMet_areCountedWithoutHarm() {
    MigrationReport report = report(Role.SOURCE, 1, 0, 2);
    assertThat(completions(report, null))
        .containsExactly(
            "completions    shared queue 15 of 17 (send queue 13, receive queue 2 of 4), failed 0,"
                + " handled by another wait without harm 2");
  }

  @Test
  void guestsInOtherProcesses_areNamed_withHowTheirWritesWereFound() {
    var source = new FakeSession("one", "rdma:h:1", Role.SOURCE, true);
    source.setMachine(
        new MigrationReport.Machine(
            "QEMU 11",
            "unix:/a",
            new MigrationReport.DirtyLog("soft-dirty bits", "as chosen", 4, 2.5, 1.25)));
    var destination = new FakeSession("two", "rdma:h:1", Role.DESTINATION, true);
    destination.setMachine(new MigrationReport.Machine("QEMU 12", "tcp:h:4", null));
    assertThat(Summary.lines(source.report(), destination.report()))
        .containsSequence(
            "  guest in       source: QEMU 11 at unix:/a",
            "                 writes were found by soft-dirty bits (as chosen); 4 scans took"
                + " 2.5 ms, for which the guest was paused for 1.3 ms",
            "                 destination: QEMU 12 at tcp:h:4");
  }
}
