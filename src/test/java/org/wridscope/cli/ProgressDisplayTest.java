// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription.LinkLayer;

final class ProgressDisplayTest {
  private static final long MILLISECOND = 1_000_000;

  private final FakeSession session = new FakeSession("s", "rdma:h:1", Role.SOURCE, false);
  private final SessionTelemetry source = session.telemetry();
  private final Metrics metrics = source.metrics();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private long now = 7_000_000_000_000L;

  @Test
  void update_onATerminal_redrawsTenTimesASecond() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.UTF_8));
    for (int i = 0; i < 1000; i += 10) {
      progress.update();
      now += 10 * MILLISECOND;
    }
    assertThat(text().split("\u001b\\[2A", -1)).hasSize(10);
  }

  @Test
  void update_deviceKnown_introducesItOnce_withoutDelay() {
    ProgressDisplay progress = progress(terminal(false, false, StandardCharsets.UTF_8));
    progress.update();
    err.reset();
    source.opened(
        new Banner(
            now,
            DeviceIdentity.ofProgram("soft0"),
            new ConnectionRoute(LinkLayer.UNSPECIFIED, "::ffff:10.0.0.1", "::ffff:10.0.0.2")));
    progress.update();
    progress.update();
    assertThat(text())
        .isEqualTo(
            "source: device soft0 (software, unknown to the kernel), link layer none, source GID"
                + " ::ffff:10.0.0.1, destination GID ::ffff:10.0.0.2\n");
  }

  @Test
  void update_firstRound_showsItsShareAndThroughput() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.UTF_8));
    round(1, 8L << 30, 0);
    progress.update();
    now += 500 * MILLISECOND;
    round(1, 8L << 30, 4L << 30);
    err.reset();
    progress.update();
    assertThat(screen())
        .containsExactly(
            "round 1      " + "█".repeat(15) + "░".repeat(15) + "  50 % of 8.00 GiB",
            "0.5 s        8.00 GiB/s  dirty 200 MiB/s    left 4.00 GiB  downtime ~ 120 ms");
  }

  @Test
  void update_laterRound_saysThatItsRamWasDirtiedAgain() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.US_ASCII));
    round(3, 210L << 20, 70L << 20);
    progress.update();
    assertThat(screen().getFirst())
        .isEqualTo(
            "round 3      " + "#".repeat(10) + "-".repeat(20) + "  33 % of 210 MiB dirtied again");
  }

  @Test
  void update_throughput_isThatOfTheLastSecond() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.UTF_8));
    long processed = 0;
    for (int i = 0; i < 30; i++) {
      round(1, 8L << 30, processed);
      progress.update();
      now += 100 * MILLISECOND;
      processed += i < 15 ? 500L << 20 : 100L << 20;
    }
    assertThat(screen().getLast()).contains("1000 MiB/s");
  }

  @Test
  void update_guestPaused_saysSo() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.UTF_8));
    round(4, 12L << 20, 12L << 20);
    source.setStatus(MigrationStatus.DEVICE);
    progress.update();
    assertThat(screen().getFirst()).endsWith(" 100 % of 12.0 MiB, guest paused");
  }

  @Test
  void update_held_showsTheRoundsThatGoOn() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.UTF_8));
    round(4, 12L << 20, 12L << 20);
    source.beginPhase(Phase.Kind.HELD);
    source.setStatus(MigrationStatus.PRE_SWITCHOVER);
    progress.update();
    assertThat(screen().getFirst())
        .startsWith("held ")
        .endsWith(" 100 % of 12.0 MiB dirtied again");
  }

  @Test
  void update_pinning_showsWhatIsRegistered() {
    source.setStatus(MigrationStatus.SETUP);
    source.beginPhase(Phase.Kind.SET_UP);
    metrics.set(Metric.RAM_TOTAL, 8L << 30);
    metrics.set(Metric.REGISTERED_BYTES, 2L << 30);
    progress(terminal(true, false, StandardCharsets.UTF_8)).update();
    assertThat(screen().getFirst()).isEqualTo("set-up       registered 2.00 GiB of 8.00 GiB");
  }

  @Test
  void update_waiting_saysForWhat() {
    source.setStatus(MigrationStatus.SETUP);
    source.setWaitingFor(new Wait(Wait.Kind.READY));
    progress(terminal(true, false, StandardCharsets.UTF_8)).update();
    assertThat(screen().getFirst()).isEqualTo("start        waiting for the destination's READY");
  }

  @Test
  void update_guestLeft_tellsTheDowntimeAndWhatGoesOn() {
    round(4, 12L << 20, 12L << 20);
    source.setStatus(MigrationStatus.DEVICE);
    source.beginPhase(Phase.Kind.VERIFY);
    source.setWaitingFor(new Wait(Wait.Kind.DIGESTS));
    metrics.set(Metric.DOWNTIME, 38 * MILLISECOND);
    progress(terminal(true, false, StandardCharsets.UTF_8)).update();
    assertThat(screen().getFirst()).isEqualTo("verify       waiting for the digests of RAM");
    assertThat(screen().getLast()).isEqualTo("0.0 s        downtime 38 ms");
  }

  @Test
  void update_theLargestNumbers_fitInto80Columns() {
    ProgressDisplay progress = progress(terminal(true, false, StandardCharsets.UTF_8));
    now += 125_000 * MILLISECOND;
    round(1000, (1L << 40) - 1, (1L << 39) + 1);
    source.setStatus(MigrationStatus.DEVICE);
    metrics.set(Metric.DIRTY_BYTES_RATE, 1001L << 20);
    metrics.set(Metric.RAM_REMAINING, 1001L << 20);
    metrics.set(Metric.EXPECTED_DOWNTIME, 125_000 * MILLISECOND);
    progress.update();
    assertThat(screen()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void update_notATerminal_writesALineEveryTwoSecondsWithoutControlSequences() {
    ProgressDisplay progress = progress(terminal(false, true, StandardCharsets.UTF_8));
    for (int i = 0; i <= 4000; i += 50) {
      round(2, 1L << 30, (long) i << 18);
      progress.update();
      now += 50 * MILLISECOND;
    }
    assertThat(text()).doesNotContain("\u001b", "\r");
    assertThat(text().lines())
        .hasSize(3)
        .last()
        .isEqualTo(
            "    4.0 s  round 2: 97 % of 1.00 GiB dirtied again, 250 MiB/s, dirty 200 MiB/s,"
                + " left 24.0 MiB, downtime ~ 120 ms");
  }

  @Test
  void update_notATerminalDuringSetUp_saysThePhase() {
    source.setStatus(MigrationStatus.SETUP);
    source.beginPhase(Phase.Kind.CONNECT);
    progress(terminal(false, true, StandardCharsets.UTF_8)).update();
    assertThat(text()).isEqualTo("    0.0 s  connect\n");
  }

  @Test
  void colour_isLeftOutWhenNotWanted() {
    round(1, 8, 4);
    progress(terminal(true, true, StandardCharsets.UTF_8)).update();
    assertThat(text()).contains("\u001b[36m");
    err.reset();
    progress(terminal(true, false, StandardCharsets.UTF_8)).update();
    assertThat(text()).doesNotContain("m█");
  }

  @Test
  void result_afterProgress_wipesIt() {
    Terminal terminal = terminal(true, false, StandardCharsets.UTF_8);
    progress(terminal).update();
    err.reset();
    terminal.message("done");
    assertThat(text()).isEqualTo("\r\u001b[2A\u001b[Jdone\n");
    err.reset();
    terminal.message("really");
    assertThat(text()).isEqualTo("really\n");
  }

  private void round(int number, long bytes, long processed) {
    source.setStatus(MigrationStatus.ACTIVE);
    if (source.phases().isEmpty()) {
      source.beginRound(number);
    }
    metrics.set(Metric.DIRTY_SYNC_COUNT, number);
    metrics.set(Metric.ROUND_BYTES, bytes);
    metrics.set(Metric.ROUND_PROCESSED, processed);
    metrics.set(Metric.RAM_PROCESSED, processed);
    metrics.set(Metric.RAM_TOTAL, 8L << 30);
    metrics.set(Metric.RAM_REMAINING, bytes - processed);
    metrics.set(Metric.DIRTY_BYTES_RATE, 200L << 20);
    metrics.set(Metric.EXPECTED_DOWNTIME, 120 * MILLISECOND);
  }

  private ProgressDisplay progress(Terminal terminal) {
    return new ProgressDisplay(terminal, () -> now, session);
  }

  private Terminal terminal(boolean terminal, boolean coloured, Charset charset) {
    return new Terminal(
        null,
        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
        new PrintStream(err, true, charset),
        terminal,
        terminal,
        coloured);
  }

  private String text() {
    return err.toString(StandardCharsets.UTF_8);
  }

  /** The last two lines as they appear on a terminal. */
  private List<String> screen() {
    List<String> lines =
        text().replaceAll("\u001b\\[\\?*[0-9]*[A-Za-z]", "").replace("\r", "").lines().toList();
    return lines.subList(lines.size() - 2, lines.size());
  }
}
