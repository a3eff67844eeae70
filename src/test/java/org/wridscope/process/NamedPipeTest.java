// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;

/** Pipes from other processes. */
@Slow("pipes between processes")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NamedPipeTest {
  private static final String EIGHT_MIB = "head -c 8388608 /dev/zero >&3";

  @TempDir Path directory;

  /** A shell that has the pipe open as its third descriptor, and goes on at each line. */
  private Process writer(String... steps) throws Exception {
    String script = "trap '' PIPE; exec 3>" + directory.resolve("pipe") + "; echo opened; ";
    for (String step : steps) {
      script += "read go; " + step + "; echo done; ";
    }
    Process shell =
        new ProcessBuilder("sh", "-c", script)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(shell.inputReader().readLine()).isEqualTo("opened");
    return shell;
  }

  private static void step(Process shell) throws Exception {
    shell.outputWriter().write("go\n");
    shell.outputWriter().flush();
  }

  private static void awaitDone(Process shell) throws Exception {
    BufferedReader output = shell.inputReader();
    assertThat(output.readLine()).isEqualTo("done");
  }

  @Test
  void onlyThisUserCanOpenIt() throws Exception {
    Path path = directory.resolve("pipe");
    try (NamedPipe pipe = NamedPipe.create(path)) {
      assertThat(pipe.path()).isEqualTo(path);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-------");
      assertThat(pipe.capacity()).isGreaterThanOrEqualTo(1 << 16);
    }
  }

  @Test
  void reads_untilTheOtherProcessCloses() throws Exception {
    try (NamedPipe pipe = NamedPipe.create(directory.resolve("pipe"))) {
      Process shell = writer("echo hello >&3");
      boolean _ = pipe.release(shell.pid());
      step(shell);
      var bytes = ByteBuffer.allocate(100);
      while (pipe.read(bytes) >= 0) {
        // until the shell has ended
      }
      assertThat(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8))
          .isEqualTo("hello\n");
      assertThat(shell.waitFor()).isZero();
    }
  }

  /** What the full pipe does not take is lost. */
  @Test
  void full_doesNotHoldTheOtherProcessUp() throws Exception {
    try (NamedPipe pipe = NamedPipe.create(directory.resolve("pipe"))) {
      Process shell = writer(EIGHT_MIB);
      assertThat(pipe.release(shell.pid())).isTrue();
      step(shell);
      awaitDone(shell);
      assertThat(shell.waitFor()).isZero();
      long count = 0;
      var bytes = ByteBuffer.allocate(1 << 16);
      while (pipe.read(bytes) >= 0) {
        count += bytes.position();
        bytes.clear();
      }
      assertThat(count).isPositive().isLessThanOrEqualTo(pipe.capacity());
    }
  }

  @Test
  void closed_doesNotHoldTheOtherProcessUp() throws Exception {
    NamedPipe pipe = NamedPipe.create(directory.resolve("pipe"));
    Process shell = writer(EIGHT_MIB);
    pipe.close();
    step(shell);
    awaitDone(shell);
    assertThat(shell.waitFor()).isZero();
  }

  @Test
  void processOfSomebodyElse_mayWait() throws Exception {
    try (NamedPipe pipe = NamedPipe.create(directory.resolve("pipe"))) {
      Process shell = writer("true");
      assertThat(pipe.release(Integer.MAX_VALUE)).isFalse();
      step(shell);
      awaitDone(shell);
    }
  }
}
