// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;

/** The real ssh with a real sshd, in the words that users then read. */
@Slow("ssh and sshd are processes of their own")
@Timeout(120)
final class RealSshTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private Sshd sshd;

  @BeforeEach
  void makeSshd() throws Exception {
    sshd = new Sshd(Files.createDirectory(directory.resolve("sshd")));
  }

  private QmpAddress.Ssh address() {
    return new QmpAddress.Ssh(Sshd.HOST, directory.resolve("qmp").toString());
  }

  private Qmp connect() throws IOException, InterruptedException {
    return Qmp.over(address(), new SshTransport(address(), sshd.client().toString()), LIMIT);
  }

  @Test
  void aSocketOfTheHost_isReached_andFreeAtTheEnd() throws Exception {
    try (var server =
        ScriptedServer.unix(
            directory.resolve("qmp"),
            client -> {
              client.greet();
              client.answer(client.command("query-name"), "{\"name\": \"far\"}");
              client.awaitEnd();
            })) {
      try (Qmp qmp = connect()) {
        assertThat(new QemuMonitor(qmp).name()).contains("far");
      }
      server.awaitEnd();
    }
  }

  @Test
  void aSocketThatIsNotThere_isTold() {
    assertThatThrownBy(this::connect)
        .isInstanceOf(QmpException.class)
        .hasMessageContaining("No QMP greeting from " + address())
        .hasMessageContaining("open failed");
  }

  @Test
  void aUserWhoIsNotLetIn_isTold() throws Exception {
    sshd.revokeKey();
    assertThatThrownBy(this::connect)
        .isInstanceOf(QmpException.class)
        .hasMessageContaining("ssh ended with status 255 (")
        .hasMessageContaining("Permission denied (publickey).");
  }

  @Test
  void aHostWithAnotherKey_isRefused() throws Exception {
    sshd.changeHostKey();
    assertThatThrownBy(this::connect)
        .isInstanceOf(QmpException.class)
        .hasMessageContaining("Host key verification failed.");
  }
}
