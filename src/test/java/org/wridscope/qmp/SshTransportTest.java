// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.ChildJvm;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;

/** With programs in the place of ssh: one that forwards by a symbolic link, and broken ones. */
@Slow("ssh is a process of its own")
@Timeout(60)
final class SshTransportTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir private Path directory;

  private Path program(String script) throws IOException {
    Path program = directory.resolve("fake-ssh");
    Files.writeString(program, "#!/bin/sh\n" + script);
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }

  /** Writes its arguments and its pid, and forwards what -L says. */
  private Path forwarding() throws IOException {
    return program(
        """
        printf '%%s\\n' "$@" >%1$s/arguments
        echo $$ >%1$s/pid
        while [ "$1" != -L ]; do shift; done
        echo 'a warning' >&2
        ln -s "${2#*:}" "${2%%%%:*}"
        exec sleep 1000
        """
            .formatted(directory));
  }

  private Qmp connect(QmpAddress.Ssh address, Path program, Duration limit)
      throws IOException, InterruptedException {
    return Qmp.over(address, new SshTransport(address, program.toString()), limit);
  }

  private List<String> arguments() throws IOException {
    return Files.readAllLines(directory.resolve("arguments"));
  }

  private boolean isRunning() throws IOException {
    long pid = Long.parseLong(Files.readString(directory.resolve("pid")).strip());
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /** A process that was killed is there until its parent has noticed. */
  private void awaitNothingLeft() throws IOException, InterruptedException {
    var limit = new TimeLimit();
    while (isRunning() || Files.exists(made())) {
      limit.glance("ssh to end");
    }
  }

  /** The directory of the forwarded socket. */
  private Path made() throws IOException {
    List<String> arguments = arguments();
    String forwarded = arguments.get(arguments.indexOf("-L") + 1);
    return Objects.requireNonNull(
        Path.of(forwarded.substring(0, forwarded.indexOf(':'))).getParent());
  }

  @Test
  void aSocketOfAnotherMachine_isReached_andNothingIsLeft() throws Exception {
    Path socket = directory.resolve("qmp");
    var address = new QmpAddress.Ssh("root@host", socket.toString());
    try (var server =
        ScriptedServer.unix(
            socket,
            client -> {
              client.greet();
              client.answer(client.command("query-name"), "{\"name\": \"far\"}");
              client.awaitEnd();
            })) {
      try (Qmp qmp = connect(address, forwarding(), LIMIT)) {
        assertThat(new QemuMonitor(qmp).name()).contains("far");
        assertThat(qmp.address()).isEqualTo(address);
        assertThat(isRunning()).isTrue();
        assertThat(Files.getPosixFilePermissions(made()))
            .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(arguments())
            .contains("BatchMode=yes", "ExitOnForwardFailure=yes")
            .endsWith("--", "root@host");
      }
      server.awaitEnd();
    }
    awaitNothingLeft();
  }

  @Test
  void whatSshSaidLast_isInTheMessage() throws Exception {
    var address = new QmpAddress.Ssh("host", "/run/qmp");
    Path program = program("echo hello; echo 'Permission \033[1mdenied.' >&2; echo; exit 255");
    assertThatThrownBy(() -> connect(address, program, LIMIT))
        .isInstanceOf(QmpException.class)
        .hasMessage(
            "No QMP greeting from ssh:host:/run/qmp: ssh ended with status 255"
                + " (Permission \\x1b[1mdenied.).");
  }

  @Test
  void anSshThatNeverForwards_isEndedInTime() throws Exception {
    var address = new QmpAddress.Ssh("host", "/run/qmp");
    Path program =
        program(
            "printf '%%s\\n' \"$@\" >%1$s/arguments; echo $$ >%1$s/pid; exec sleep 1000"
                .formatted(directory));
    assertThatThrownBy(() -> connect(address, program, Duration.ofSeconds(2)))
        .hasMessage("No QMP greeting from ssh:host:/run/qmp within 2.0 s.");
    awaitNothingLeft();
  }

  @Test
  void anSshThatIgnoresItsEnd_isKilled() throws Exception {
    var address = new QmpAddress.Ssh("host", "/run/qmp");
    Path program =
        program(
            "trap '' TERM; printf '%%s\\n' \"$@\" >%1$s/arguments; echo $$ >%1$s/pid; while :; do sleep 1; done"
                .formatted(directory));
    assertThatThrownBy(() -> connect(address, program, Duration.ofSeconds(2)))
        .isInstanceOf(QmpException.class);
    awaitNothingLeft();
  }

  @Test
  void whenThisProgramIsKilled_sshEnds_andNothingIsLeft() throws Exception {
    Path socket = directory.resolve("qmp");
    try (var server =
        ScriptedServer.unix(
            socket,
            client -> {
              client.greet();
              client.awaitEnd();
            })) {
      List<String> command = ChildJvm.command(Connected.class);
      command.addAll(List.of(socket.toString(), forwarding().toString()));
      Process program =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (BufferedReader said = program.inputReader()) {
        assertThat(said.readLine()).isEqualTo("connected");
        assertThat(isRunning()).isTrue();
      } finally {
        program.destroyForcibly().waitFor();
      }
      server.awaitEnd();
    }
    awaitNothingLeft();
  }

  /** A program that stays connected. */
  static final class Connected {
    private Connected() {}

    public static void main(String[] arguments) throws Exception {
      var address = new QmpAddress.Ssh("host", arguments[0]);
      Qmp _ = Qmp.over(address, new SshTransport(address, arguments[1]), LIMIT);
      System.out.println("connected");
      new CountDownLatch(1).await();
    }
  }

  @Test
  void theRealSsh_takesTheOptions() {
    assumeThat(Path.of("/usr/bin/ssh")).exists();
    // Nobody has this key, so a server that runs here refuses, too.
    var address = new QmpAddress.Ssh("nobody@127.0.0.1", "/nonexistent/qmp");
    assertThatThrownBy(() -> Qmp.connect(address, LIMIT))
        .isInstanceOf(QmpException.class)
        .hasMessageContaining("ssh ended with status 255 (")
        .satisfies(e ->
            assertThat(Arrays.asList("usage", "unknown option", "Bad ", "keyword"))
                .noneMatch(String.valueOf(e.getMessage())::contains));
  }
}
