// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Requests;
import org.wridscope.figures.Figure;

/**
 * How much memory a program has registered, whenever it was attached to. A list of what was
 * registered before is read from 1,000 to 2,000.
 */
final class ProgramRegionsTest {
  private static final long PID = 1;

  private final AttachedProgram program = new AttachedProgram(PID, "known", "rxe0", Map.of());

  private void listed(Map<Long, Integer> keys, int count, long bytes) {
    program.registeredBefore(
        500,
        new RegionsBefore(1000, 2000, Map.of(PID, new RegionsBefore.Regions(count, bytes, keys))));
  }

  private void take(long nanos, String line) {
    program.take(TraceText.parse(line.replaceFirst(" ", " %x 1 1 ".formatted(nanos))), nanos);
  }

  private void registered(long nanos, long key) {
    take(nanos, "R c0 10000 64 %x".formatted(key));
  }

  private void deregistered(long nanos, long key) {
    take(nanos, "D c0 10000 64 %x".formatted(key));
  }

  private List<String> figures() {
    return List.of(
            Figure.REGISTRATIONS_ALIVE,
            Figure.REGISTERED_BYTES,
            Figure.REGISTRATIONS_PEAK,
            Figure.REGISTRATIONS_TOTAL,
            Figure.DEREGISTRATIONS_TOTAL)
        .stream()
        .map(figure -> figure.text(program.reading()))
        .toList();
  }

  @Test
  void aProgramThatBegins_hasNone() {
    program.registeredBefore(500, null);
    assertThat(figures()).containsExactly("0", "0 B", "0", "0", "0");
    registered(600, 7);
    registered(700, 8);
    deregistered(800, 7);
    assertThat(figures()).containsExactly("1", "100 B", "2", "2", "1");
  }

  @Test
  void whatIsNotListed_isNotKnown() {
    program.registeredBefore(500, RegionsBefore.NOT_KNOWN);
    registered(600, 7);
    assertThat(figures()).containsExactly("not known", "not known", "not known", "1", "0");
  }

  @Test
  void whatIsListed_andLaterDeregistered_counts() {
    listed(Map.of(7L, 2, 8L, 1), 3, 5000);
    deregistered(3000, 7);
    deregistered(3100, 7);
    deregistered(3200, 7);
    assertThat(figures()).containsExactly("1", "4.69 KiB", "3", "0", "2");
  }

  /**
   * The list has what was registered and not deregistered before, and maybe what came meanwhile.
   */
  @Test
  void whatCameBeforeOrWhileTheListWasRead_countsOnce() {
    listed(Map.of(5L, 1, 6L, 1, 7L, 1), 3, 300);
    registered(900, 5);
    registered(910, 9);
    deregistered(920, 9);
    deregistered(930, 6);
    registered(1500, 7);
    registered(1600, 8);
    assertThat(figures().getFirst()).isEqualTo("4");
    deregistered(1700, 10);
    for (long key : new long[] {5, 6, 7, 8}) {
      deregistered(3000 + key, key);
    }
    assertThat(figures()).containsExactly("0", "0 B", "4", "1", "4");
  }

  /** The device gives a key again before the call that deregistered its region has returned. */
  @Test
  void aKeyThatIsUsedAgainAtOnce_isAnotherRegion() {
    program.registeredBefore(500, null);
    registered(600, 7);
    registered(700, 7);
    deregistered(710, 7);
    assertThat(figures()).containsExactly("1", "100 B", "1", "2", "1");
    deregistered(800, 7);
    assertThat(figures().getFirst()).isEqualTo("0");
  }

  @Test
  void whatWasNotSeenToBeRegistered_isNotDeregistered() {
    program.registeredBefore(500, null);
    registered(600, 7);
    deregistered(700, 99);
    take(800, "D c1 10000 64 7");
    assertThat(figures()).containsExactly("1", "100 B", "1", "1", "0");
  }

  @Test
  void aDeviceThatIsClosed_hasNoRegions() {
    program.registeredBefore(500, null);
    registered(600, 7);
    take(610, "R c1 10000 64 7");
    take(700, "C c0");
    assertThat(figures()).containsExactly("1", "100 B", "2", "2", "1");
  }

  @Test
  void aDeviceThatIsClosed_makesRegionsUnknown_thatMayBeOfIt() {
    listed(Map.of(7L, 1), 1, 100);
    take(3000, "C c0");
    assertThat(figures().getFirst()).isEqualTo("not known");
  }

  @Test
  void afterCallsWereLost_itIsNotKnown() {
    program.registeredBefore(500, null);
    registered(600, 7);
    program.unseen(700, 2, 3);
    assertThat(figures()).containsExactly("not known", "not known", "not known", "1", "0");
  }

  @Test
  void refusals_areTold_withTheirErrno() {
    program.registeredBefore(500, null);
    take(600, "N c0 10000 64 c");
    take(700, "N c0 10000 64 c");
    take(800, "N c0 10000 64 0");
    assertThat(Figure.REGISTRATIONS_REFUSED.in(program.reading())).hasValue(3);
    assertThat(new Requests(program.telemetry()).readAll().regions().refusals())
        .isEqualTo(
            Map.of(
                "to register with errno 12 (ENOMEM)", 2L,
                "to register with an errno that is not known", 1L));
  }
}
