// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.wridscope.account.Account;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.SessionTelemetry;

/** What is said of how a program registers memory. */
final class RegionsTest {
  private static final int SEND_SIGNALED = 2 | 2 << 8;
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final long QUEUE = QueueId.ofQueuePair(0, 17).argument();
  private static final String GROWS = "registered memory grows";
  private static final String IN_THE_LOOP = "memory registered in the loop";

  private final SessionTelemetry telemetry = SessionTelemetry.ofProgram(Account::new);
  private long now = SECOND;
  private int key;

  private void add(EventKind kind, int detail, int length, long argument) {
    telemetry.programEvent(now, kind, detail, length, 0x1000, argument);
  }

  private int register() {
    add(EventKind.PROGRAM_REGISTERED, 0, ++key, 4096);
    return key;
  }

  private void deregister(int which) {
    add(EventKind.PROGRAM_DEREGISTERED, 0, which, 4096);
  }

  private void request() {
    add(EventKind.PROGRAM_POST, SEND_SIGNALED, 64, QUEUE);
    now += MILLISECOND;
    add(EventKind.PROGRAM_COMPLETION, 0, 64, QUEUE | 1L << 32);
  }

  private Requests requests() {
    return new Requests(telemetry).readAll();
  }

  private Optional<Finding> finding(String title) {
    return ProgramAnalysis.findings(requests(), now).stream()
        .filter(finding -> finding.title().equals(title))
        .findFirst();
  }

  private List<String> titles() {
    return ProgramAnalysis.findings(requests(), now).stream().map(Finding::title).toList();
  }

  /** For so many seconds: a thousand requests in each. */
  private void run(int seconds, Runnable eachTenth) {
    for (int i = 0; i < seconds * 10; i++) {
      eachTenth.run();
      for (int n = 0; n < 100; n++) {
        request();
      }
    }
  }

  @Test
  void aProgramThatRegistersAtItsBeginning_isHealthy() {
    for (int i = 0; i < 500; i++) {
      register();
    }
    run(30, () -> {});
    assertThat(titles()).isEmpty();
    assertThat(requests().regions().between()).isZero();
  }

  /** A cache of registrations is filled while requests are posted, and then used. */
  @Test
  void aCacheThatFills_isHealthy() {
    run(10, this::register);
    run(30, () -> {});
    assertThat(titles()).isEmpty();
  }

  @Test
  void regionsThatAreGivenBack_doNotGrow() {
    run(30, () -> deregister(register()));
    assertThat(titles()).isEmpty();
    Regions regions = requests().regions();
    assertThat(regions.between()).isEqualTo(299);
    assertThat(regions.forOne()).isZero();
  }

  @Test
  void memoryThatGrowsWithoutEnd_isAWarning_withTimeAndAmount() {
    run(40, this::register);
    Finding finding = finding(GROWS).orElseThrow();
    assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
    assertThat(finding.seen())
        .isEqualTo(
            "In 30.0 s 299 regions more, of 1.17 MiB in all: 299 registered, 0 deregistered.");
  }

  @Test
  void aShortTime_tellsNoGrowth() {
    run(9, this::register);
    assertThat(finding(GROWS)).isEmpty();
  }

  @Test
  void growthBetweenLostEvents_isNotTold() {
    run(40, this::register);
    add(EventKind.PROGRAM_UNSEEN, 2, 1, 0);
    assertThat(finding(GROWS)).isEmpty();
  }

  /** More steps than are kept are thinned out. */
  @Test
  void growthInManySteps_isTold() {
    run(
        40,
        () -> {
          for (int i = 0; i < 50; i++) {
            register();
          }
        });
    assertThat(Objects.requireNonNull(requests().regions().growth(now)).regions())
        .isBetween(14_900L, 15_100L);
  }

  @Test
  void growthOfWhichMostIsGivenBack_isNotTold() {
    run(
        40,
        () -> {
          for (int i = 0; i < 50; i++) {
            int one = register();
            if (i > 2) {
              deregister(one);
            }
          }
        });
    assertThat(finding(GROWS)).isEmpty();
  }

  @Test
  void aRegionForEachRequest_isRegisteredInTheLoop() {
    register();
    for (int i = 0; i < 200; i++) {
      int one = register();
      request();
      deregister(one);
    }
    Finding finding = finding(IN_THE_LOOP).orElseThrow();
    assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
    assertThat(finding.seen())
        .isEqualTo(
            "199 regions were registered between requests, for 200 requests in all; 200 for a single"
                + " one.");
  }

  @Test
  void refusedRegistrations_areAWarning_withTheirErrno() {
    request();
    add(EventKind.PROGRAM_REGION_REFUSED, 12, 0, 4096);
    add(EventKind.PROGRAM_REGION_REFUSED, 16, 1, 4096);
    assertThat(finding("registrations refused").orElseThrow().seen())
        .isEqualTo(
            "2 calls were refused: 1 to deregister with errno 16 (EBUSY); 1 to register with errno 12"
                + " (ENOMEM).");
  }
}
