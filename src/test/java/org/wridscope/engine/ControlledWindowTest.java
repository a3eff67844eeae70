// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.cli.CommandInThread;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.RunState;
import org.wridscope.qmp.Sshd;
import org.wridscope.ui.window.WindowOnTheConsole;

/** A window in a process of its own: others control it, and it looks at others through ssh. */
@Slow("windows and programs are processes of their own")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ControlledWindowTest {
  @TempDir private Path directory;

  /** A program in the place of ssh, which the window finds first. */
  private Map<String, String> insteadOfSsh() throws IOException {
    Path program = directory.resolve("ssh");
    Files.writeString(
        program,
        """
        #!/bin/sh
        printf '%%s\\n' "$@" >%1$s/arguments
        while [ "$1" != -L ]; do shift; done
        forward=$2
        while [ "$1" != -- ]; do shift; done
        case $2 in
          unknown) echo 'ssh: Could not resolve hostname unknown: Name or service not known' >&2; exit 255 ;;
          refused) echo 'refused: Permission denied (publickey).' >&2; exit 255 ;;
        esac
        echo $$ >%1$s/pid
        ln -s "${forward#*:}" "${forward%%%%:*}"
        exec sleep 1000
        """
            .formatted(directory));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return Map.of("PATH", directory + ":" + System.getenv("PATH"));
  }

  @Test
  void aMigrationBehindARealSshd_isShown_andClosingTheWindowEndsSsh_notTheMigration()
      throws Exception {
    Path socket = directory.resolve("w.qmp");
    Path folder = Files.createDirectory(directory.resolve("sshd"));
    var sshd = new Sshd(folder);
    assertThat(sshd.client()).hasParent(folder).hasFileName("ssh");
    try (var lab =
            new CommandInThread(
                "lab", "--ram=64MiB", "--bandwidth=1MiB/s", "--timeout=0", "--qmp=unix:" + socket);
        var window =
            new Wridscope(
                Map.of("PATH", folder + ":" + System.getenv("PATH")), WindowOnTheConsole.class)) {
      assertThat(lab.output().readLine()).isEqualTo("QMP at unix:" + socket);
      window.awaitLine("list: ");
      window.say("attach ssh:%s:%s.wrong".formatted(Sshd.HOST, socket));
      window.awaitLine("No QMP greeting from ssh:" + Sshd.HOST);
      window.say("attach ssh:%s:%s".formatted(Sshd.HOST, socket));
      window.awaitLine("migrating");
      List<ProcessHandle> ssh = window.children();
      assertThat(ssh).isNotEmpty();
      window.say("close");
      window.awaitEnd(0);
      for (ProcessHandle each : ssh) {
        each.onExit().get(60, TimeUnit.SECONDS);
      }
      try (Qmp qmp = Qmp.connect(new QmpAddress.Unix(socket), Duration.ofSeconds(20))) {
        var monitor = new QemuMonitor(qmp);
        assertThat(monitor.migration().isInProgress()).isTrue();
        monitor.quit();
      }
    }
  }

  /**
   * A session that is begun through the socket appears in the list, also while the RAM of its guest
   * is still prepared. {@code quit} is answered and asks nobody, as in QEMU.
   */
  @Test
  void aMigrationBehindSsh_isShown_andQuitThroughTheSocketEndsSsh_notTheMigration()
      throws Exception {
    Path socket = directory.resolve("w.qmp");
    Path own = directory.resolve("own.qmp");
    try (var lab =
            new CommandInThread(
                "lab", "--ram=64MiB", "--bandwidth=1MiB/s", "--timeout=0", "--qmp=unix:" + socket);
        var window = new Wridscope(insteadOfSsh(), WindowOnTheConsole.class, "--qmp=unix:" + own)) {
      assertThat(lab.output().readLine()).isEqualTo("QMP at unix:" + socket);
      window.awaitLine("QMP at unix:" + own);
      window.awaitLine("list: ");
      window.say("attach ssh:unknown:" + socket);
      window.awaitLine(
          "No QMP greeting from ssh:unknown:%s: ssh ended with status 255 (ssh: Could not resolve"
                  .formatted(socket)
              + " hostname unknown: Name or service not known).");
      window.say("attach ssh:refused:" + socket);
      window.awaitLine("255 (refused: Permission denied (publickey).).");
      window.say("attach ssh:me@server:" + socket);
      window.awaitLine("migrating");
      assertThat(Files.readAllLines(directory.resolve("arguments")))
          .containsSubsequence("-N", "-T", "BatchMode=yes", "-L")
          .endsWith("--", "me@server");
      long ssh = Long.parseLong(Files.readString(directory.resolve("pid")).strip());
      assertThat(ProcessHandle.of(ssh)).isPresent();
      try (Qmp qmp = Qmp.connect(new QmpAddress.Unix(own), Duration.ofSeconds(60))) {
        var monitor = new QemuMonitor(qmp);
        assertThat(monitor.status()).isEqualTo(new RunState("prelaunch", false));
        assertThatThrownBy(() -> monitor.migrateIncoming("nonsense"))
            .hasMessageContaining("nonsense");
        monitor.migrateIncoming("rdma:127.0.0.1:0");
        window.awaitLine("listening");
        assertThat(monitor.status().status()).isEqualTo("inmigrate");
        monitor.quit();
      }
      window.awaitEnd(0);
      assertThat(own).doesNotExist();
      assertThat(ProcessHandle.of(ssh).filter(ProcessHandle::isAlive)).isEmpty();
      try (Qmp qmp = Qmp.connect(new QmpAddress.Unix(socket), Duration.ofSeconds(20))) {
        var monitor = new QemuMonitor(qmp);
        assertThat(monitor.migration().isInProgress()).isTrue();
        monitor.quit();
      }
    }
  }
}
