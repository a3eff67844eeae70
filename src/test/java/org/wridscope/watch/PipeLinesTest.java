// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.process.NamedPipe;

/** Lines from a pipe, for a reader that may be slow. */
@Slow("it reads a pipe until a time has passed")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PipeLinesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private NamedPipe pipe;
  private OutputStream writer;

  @BeforeEach
  void open() throws Exception {
    pipe = NamedPipe.create(directory.resolve("pipe"));
    writer = Files.newOutputStream(pipe.path());
    // Only closes this end: this process is no other one.
    boolean _ = pipe.release(Integer.MAX_VALUE);
  }

  @AfterEach
  void close() throws Exception {
    writer.close();
    pipe.close();
  }

  private PipeLines lines(long mostBytes) {
    var lines = new PipeLines(pipe, mostBytes);
    lines.start("lines");
    return lines;
  }

  private void write(String text) throws Exception {
    writer.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String rest(PipeLines lines) throws Exception {
    var text = new StringBuilder();
    while (!lines.isOver()) {
      Lines piece = lines.next(Duration.ofMillis(10));
      if (piece != null) {
        text.append(piece.text());
        assertThat(text).endsWith("\n");
      }
    }
    return text.toString();
  }

  @Test
  void wholeLines_inOrder() throws Exception {
    PipeLines lines = lines(1 << 20);
    var expected = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      String line = "line " + i + "\n";
      expected.append(line);
      write(line);
    }
    write("cut off");
    writer.close();
    assertThat(rest(lines)).isEqualTo(expected.toString());
    assertThat(lines.dropped()).isZero();
  }

  /** Nobody takes the lines, and who writes them never waits for that. */
  @Test
  void tooMany_areCounted() throws Exception {
    PipeLines lines = lines(1_000);
    int written = 200_000;
    for (int i = 0; i < written; i++) {
      write("%9d\n".formatted(i));
    }
    writer.close();
    assertThat(lines.awaitEnd(PATIENCE)).isTrue();
    String kept = rest(lines);
    assertThat(kept.length()).isLessThanOrEqualTo(1_000);
    assertThat(kept.length() / 10 + lines.dropped()).isEqualTo(written);
  }

  @Test
  void afterSomeWereTaken_othersFindRoom() throws Exception {
    PipeLines lines = lines(10);
    write("123456789\n");
    assertThat(lines.next(PATIENCE)).isNotNull();
    write("abcdefghi\n");
    assertThat(lines.next(PATIENCE)).isNotNull();
    assertThat(lines.dropped()).isZero();
  }

  @Test
  void lineWithoutEnd_isCut() throws Exception {
    PipeLines lines = lines(1 << 20);
    write("x".repeat(1 << 18));
    writer.close();
    int length = 0;
    while (!lines.isOver()) {
      Lines piece = lines.next(Duration.ofMillis(10));
      length += piece == null ? 0 : piece.length();
    }
    assertThat(length).isBetween(1 << 16, 1 << 18);
  }
}
