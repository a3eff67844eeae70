// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.attach.TraceLine.Kind;

/** Lines of bpftrace, as they are and as they should not be. */
final class TraceLineTest {
  @Test
  void aLine_isReadWithAllItsBits() {
    TraceLine line = TraceLine.parse("r 21d10aff8f60 748c 748d 7ffd0 11 ffffffffffffffff 2 12c 0");

    assertThat(line).isNotNull();
    assertThat(line.kind()).isEqualTo(Kind.RECEIVE);
    assertThat(line.nanos()).isEqualTo(0x21d10aff8f60L);
    assertThat(line.pid()).isEqualTo(0x748c);
    assertThat(line.number(5)).isEqualTo(-1);
    assertThat(line.integer(7)).isEqualTo(300);
  }

  /** bpftrace writes bytes that are not printable as numbers; a process may have any name. */
  @Test
  void theNameOfAProcess_isReadWithoutEscapes_andLegible() {
    assertThat(text("n 1 748c 748d ib_send_lat\\x00\\x00\\x00\\x00\\x00")).isEqualTo("ib_send_lat");
    assertThat(text("n 1 2 3 a b \\xc3\\xa4\\x00left over")).isEqualTo("a b ä");
    assertThat(text("n 1 2 3 \\x1b[31mred\\x0aB 1\\x00"))
        .doesNotContain("\u001b", "\n")
        .contains("red");
    assertThat(text("n 1 2 3")).isEmpty();
    assertThat(TraceLine.parse("n 1 2")).isNull();
    assertThat(TraceLine.parse("n 1 2 x name")).isNull();
  }

  private static String text(String line) {
    TraceLine parsed = TraceLine.parse(line);
    assertThat(parsed).isNotNull();
    assertThat(parsed.kind()).isEqualTo(Kind.NAME);
    return parsed.text();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "r",
        "r ",
        "B",
        "B -1",
        "B +1",
        "B 0x1",
        "B 1 2",
        "B 1 ",
        "B  1",
        "B 11112222333344445",
        "B ١",
        "x 1",
        "r 1 2 3 4 5 6 7 8",
        "r 1 2 3 4 5 6 7 8 9 a",
        "t 1 g",
        "b 1",
        "Attaching 9 probes...",
        "Lost 12 events",
        "t\t1\t2"
      })
  void anotherLine_isNone(String line) {
    assertThat(TraceLine.parse(line)).isNull();
  }
}
