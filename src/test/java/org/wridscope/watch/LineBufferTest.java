// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Bytes in pieces, and whole lines. */
final class LineBufferTest {
  private final LineBuffer buffer = new LineBuffer(1 << 17);

  private void put(String text) {
    buffer.space().put(text.getBytes(StandardCharsets.UTF_8));
  }

  private String take() {
    Lines lines = buffer.take();
    return lines == null ? "(nothing)" : lines.text();
  }

  @Test
  void wholeLinesOnly() {
    put("one\ntwo\nthr");
    assertThat(take()).isEqualTo("one\ntwo\n");
    assertThat(take()).isEqualTo("(nothing)");
    put("ee\n");
    assertThat(take()).isEqualTo("three\n");
    assertThat(take()).isEqualTo("(nothing)");
  }

  @Test
  void textsHaveNoEnds() {
    put("one\n\ntwo\n");
    Lines lines = buffer.take();
    assertThat(lines).isNotNull();
    assertThat(lines.count()).isEqualTo(3);
    assertThat(lines.texts()).containsExactly("one", "", "two");
  }

  /** A sender without lines does not fill memory, and there is always room for more. */
  @Test
  void lineThatNeverEnds_isCut() {
    for (int i = 0; i < 100; i++) {
      put("x".repeat(10_000));
      Lines lines = buffer.take();
      assertThat(lines == null || lines.length() >= 1 << 16).isTrue();
      assertThat(buffer.space().remaining()).isGreaterThanOrEqualTo(1 << 17);
    }
  }
}
