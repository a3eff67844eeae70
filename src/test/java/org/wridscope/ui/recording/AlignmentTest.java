// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Phases;
import org.wridscope.telemetry.Role;

final class AlignmentTest {
  private final SessionPair plain = pair("connect", "set-up", "round 1", "round 2", "completed");
  private final SessionPair failed = pair("listen", "connect", "round 1", "failed");
  private final SessionPair idle = pair("connect");

  private static SessionPair pair(String... phases) {
    var session = new FakeSession("a source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
    for (String name : phases) {
      Phase phase = Phases.named(name, 0);
      if (phase.isRound()) {
        session.telemetry().beginRound(phase.round());
      } else {
        session.telemetry().beginPhase(phase.kind());
      }
    }
    return new SessionPair(session, null);
  }

  @Test
  void choices_arePhasesThatBothHave() {
    assertThat(Alignment.choices(plain, failed)).containsExactly("beginning", "round 1");
    assertThat(Alignment.choices(plain, idle)).containsExactly("beginning");
    assertThat(Alignment.choices(plain, null)).containsExactly("beginning");
    assertThat(Alignment.preferred(Alignment.choices(plain, failed))).isEqualTo("round 1");
    assertThat(Alignment.preferred(List.of("beginning", "set-up"))).isEqualTo("beginning");
  }

  @Test
  void zero_isWhereThePhaseBegins_orTheMigration() {
    List<Phase> phases = failed.leading().phases();
    assertThat(Alignment.zero(failed, "round 1")).isEqualTo(phases.get(2).nanos());
    assertThat(Alignment.zero(failed, "beginning")).isEqualTo(phases.get(1).nanos());
    assertThat(Alignment.zero(failed, "round 2")).isEqualTo(phases.get(1).nanos());
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "+12ms, 12000000", "-250ns, -250", "+1500us, 1500000", "-3s, -3000000000"})
  void text_isReadAgain(String text, long nanos) {
    assertThat(Alignment.text(nanos)).isEqualTo(text);
    assertThat(Alignment.offset(text)).isEqualTo(nanos);
  }

  @Test
  void offset_withoutASign_isLater() {
    assertThat(Alignment.offset(" 1.5 ms ")).isEqualTo(1_500_000);
    assertThat(Alignment.offset("\u22122ms")).isEqualTo(-2_000_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "12", "--3ms", "+-3ms", "later", "3 weeks"})
  void offset_thatCannotBeRead_saysWhatToWrite(String text) {
    assertThatThrownBy(() -> Alignment.offset(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Offset: ")
        .hasMessageEndingWith("such as 300ms, 1.5s or 2min.");
  }

  @Test
  void sentence_namesEventAndOffset() {
    assertThat(Alignment.sentence("beginning", 0))
        .isEqualTo("Both times count from the beginning.");
    assertThat(Alignment.sentence("round 1", -1_500_000))
        .isEqualTo(
            "Both times count from where round 1 begins; the right one is shown 1500us earlier.");
  }
}
