// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** {@code --pause-before-switchover}, and the Enter that ends it. */
final class SwitchoverQuestionTest {
  private final PipedInputStream in = new PipedInputStream();
  private final PipedOutputStream keys = new PipedOutputStream();
  private final FakeSession source = new FakeSession("s", "rdma:h:1", Role.SOURCE, false);
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final PrintStream printed = new PrintStream(err, true, StandardCharsets.UTF_8);
  private final SwitchoverQuestion question =
      new SwitchoverQuestion(new Terminal(in, printed, printed, false, false, false), source);

  @BeforeEach
  void connect() throws IOException {
    keys.connect(in);
  }

  private void type(String text) throws IOException {
    keys.write(text.getBytes(StandardCharsets.UTF_8));
    question.update();
  }

  @Test
  void aLine_permitsTheSwitchOver_onceTheUserWasAsked() throws IOException {
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    type("\n");
    source.telemetry().setStatus(MigrationStatus.PRE_SWITCHOVER);
    type("\n");
    assertThat(source.permitted()).as("typed before the question").isFalse();
    type("");
    type("yes");
    assertThat(source.permitted()).as("no line").isFalse();
    type("!\n");
    assertThat(source.permitted()).isTrue();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "Ready to switch over. Press Enter to hand the guest over, or Ctrl-C to cancel.\n");
  }

  @Test
  void lab_completesAfterALine() {
    InputStream enter =
        new InputStream() {
          @Override
          public int read() {
            return '\n';
          }

          @Override
          public int available() {
            return 1;
          }
        };
    CommandRun run = CommandRun.reading(enter, "lab", "--ram=8MiB", "--pause-before-switchover");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.err()).containsOnlyOnce("Ready to switch over.");
    assertThat(run.out()).contains("completed; verified");
  }

  @Test
  void withoutInput_isRefused() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--pause-before-switchover");
    assertThat(run.status()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err())
        .isEqualTo(
            "wridscope: --pause-before-switchover: nobody can press Enter, because standard input"
                + " is a file; leave it out, or run this in a terminal or with a pipe.\n");
    assertThat(run.manager().labs()).isEmpty();
  }
}
