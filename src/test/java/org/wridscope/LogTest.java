// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.LoggerFactory;
import org.wridscope.protocol.HostileText;

/** What {@link LogSettings} makes of messages. */
@ResourceLock(Resources.SYSTEM_ERR)
final class LogTest {
  private static String logged(@Nullable Throwable cause, String message) {
    PrintStream stderr = System.err;
    var written = new ByteArrayOutputStream();
    try {
      System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
      LoggerFactory.getLogger(LogTest.class).warn("a message: {}", message, cause);
    } finally {
      System.setErr(stderr);
    }
    return written.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aMessage_isOneLine_withoutWhatActsOnATerminal() {
    String log = logged(null, HostileText.ALL);
    assertThat(log.lines()).hasSize(1);
    assertThat(log).contains("WARN").contains("a message: hostile").endsWith("\n");
    assertThat(HostileText.unsafe(log, true)).isEmpty();
    assertThat(log.strip()).doesNotContain("\t", "\r");
  }

  @Test
  void aStackTrace_isWhole_withoutWhatActsOnATerminal() {
    String log = logged(new IOException(HostileText.ALL), "x");
    assertThat(log).contains("java.io.IOException: hostile").contains("\tat org.wridscope.LogTest");
    assertThat(log.lines()).hasSizeGreaterThan(3);
    assertThat(HostileText.unsafe(log, true)).isEmpty();
  }
}
