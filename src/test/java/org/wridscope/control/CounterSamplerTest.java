// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.wridscope.analysis.Requests;
import org.wridscope.telemetry.DeviceCounts.Count;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.DeviceCounter;

/** A session is told what its devices count from its beginning to its end. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class CounterSamplerTest {
  private static final DeviceCounter SENT = new DeviceCounter("rxe0", 1, "sent_pkts");

  private final AtomicLong sent = new AtomicLong(1000);
  private final AtomicInteger looks = new AtomicInteger();
  private final CounterSampler counters = new CounterSampler(this::read);
  private final Sampler sampler = new Sampler();

  @AfterEach
  void close() {
    counters.close();
    sampler.close();
  }

  private Map<DeviceCounter, Long> read(String device) {
    assertThat(device).isEqualTo("rxe0");
    long value = sent.get();
    looks.incrementAndGet();
    return Map.of(SENT, value);
  }

  private SessionTelemetry begun(MigrationStatus status) {
    var telemetry = new SessionTelemetry(Role.DESTINATION, true);
    telemetry.setStatus(status);
    sampler.add(telemetry);
    awaitLookAfter(() -> counters.begin(telemetry, () -> List.of("rxe0")));
    return telemetry;
  }

  /** Waits for a look at the device that began after an action. */
  private void awaitLookAfter(Runnable action) {
    int before = looks.get();
    action.run();
    while (looks.get() < before + 1) {
      Thread.yield();
    }
  }

  private void assertCounted(SessionTelemetry telemetry, long value) {
    sampler.remove(telemetry);
    assertThat(telemetry.deviceCounts().all()).isEqualTo(Map.of(SENT, new Count(value, false)));
    assertThat(new Requests(telemetry).readAll().counted().totals())
        .singleElement()
        .satisfies(total -> {
          assertThat(total.counter()).isEqualTo(SENT);
          assertThat(total.value()).isEqualTo(value);
          assertThat(total.lastNanos()).isGreaterThanOrEqualTo(telemetry.startNanos());
        });
  }

  @Test
  void atTheEnd_allThatWasCountedIsTold() {
    SessionTelemetry telemetry = begun(MigrationStatus.ACTIVE);
    sent.addAndGet(17);
    counters.end(telemetry);
    assertCounted(telemetry, 17);
    sent.addAndGet(17);
    counters.close();
    assertThat(telemetry.deviceCounts().all()).isEqualTo(Map.of(SENT, new Count(17, false)));
  }

  /** As a program that has ended, whose files are closed. */
  @Test
  void atTheEnd_aDeviceThatIsNotUsedAnyMore_counts() {
    var telemetry = new SessionTelemetry(Role.DESTINATION, true);
    telemetry.setStatus(MigrationStatus.ACTIVE);
    sampler.add(telemetry);
    var open = new ConcurrentLinkedQueue<>(List.of("rxe0"));
    awaitLookAfter(() -> counters.begin(telemetry, () -> open));
    open.clear();
    sent.addAndGet(5);
    counters.end(telemetry);
    assertCounted(telemetry, 5);
  }

  @Test
  void whatOthersCount_whileADestinationWaits_isNotTold() {
    SessionTelemetry telemetry = begun(MigrationStatus.NONE);
    sent.addAndGet(100);
    // Another session makes it look, at both.
    SessionTelemetry other = begun(MigrationStatus.ACTIVE);
    counters.end(other);
    telemetry.setStatus(MigrationStatus.SETUP);
    sent.addAndGet(3);
    counters.end(telemetry);
    assertCounted(telemetry, 3);
  }

  @Test
  void closing_takesTheLastSample() {
    SessionTelemetry telemetry = begun(MigrationStatus.ACTIVE);
    sent.incrementAndGet();
    counters.close();
    assertCounted(telemetry, 1);
  }

  @Test
  void sessionThatIsNotKnown_hasNoEnd() {
    counters.end(new SessionTelemetry(Role.SOURCE, true));
    assertThat(looks).hasValue(0);
  }

  @Test
  void defectOfOneSession_doesNotAffectOthers() {
    SessionTelemetry telemetry = begun(MigrationStatus.ACTIVE);
    counters.begin(
        new SessionTelemetry(Role.SOURCE, true),
        () -> {
          throw new IllegalStateException("as in a test");
        });
    sent.addAndGet(2);
    counters.end(telemetry);
    assertCounted(telemetry, 2);
  }
}
