// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with commands of its own, against clients of every kind. */
@Timeout(60)
final class QmpServerTest {
  private static final Instant WHEN = Instant.ofEpochSecond(1_000_000_000L, 123_456_000);

  @TempDir private Path directory;

  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch slow = new CountDownLatch(1);
  private Path socket;
  private QmpServer server;

  @BeforeEach
  void open() throws IOException {
    socket = directory.resolve("w.qmp");
    server = server(new QmpAddress.Unix(socket), Access.OWNER);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private QmpServer server(QmpAddress address, Access access) throws IOException {
    return QmpServer.open(
        address,
        access,
        new QemuVersion(7, 2, 0, "test"),
        Map.of(
            "echo",
            arguments -> {
              var answer = new JsonPrimitive(arguments.requiredText("text"));
              arguments.requireNoMore();
              return answer;
            },
            "refuse",
            _ -> {
              throw new CommandException("It is refused.");
            },
            "fail",
            _ -> {
              throw new IllegalStateException("a defect");
            },
            "wait",
            _ -> {
              started.countDown();
              slow.await();
              return new JsonObject();
            }));
  }

  @Test
  void ourClient_connectsAndExecutes() throws Exception {
    try (Qmp qmp = Qmp.connect(server.address(), Duration.ofSeconds(20))) {
      assertThat(new QemuMonitor(qmp).version()).isEqualTo(new QemuVersion(7, 2, 0, "test"));
      var arguments = new JsonObject();
      arguments.addProperty("text", "ä \u2028 \"");
      assertThat(qmp.execute("echo", arguments)).isEqualTo(new JsonPrimitive("ä \u2028 \""));
      assertThatThrownBy(() -> qmp.execute("refuse"))
          .isInstanceOf(QmpException.class)
          .hasMessage("QEMU refused refuse: It is refused.");
    }
  }

  @Test
  void aGreetingComesFirst_andNothingWorksBeforeTheNegotiation() throws IOException {
    try (var client = new RawClient(socket)) {
      assertThat(client.line())
          .isEqualTo(
              "{\"QMP\":{\"version\":{\"qemu\":{\"micro\":0,\"minor\":2,\"major\":7},"
                  + "\"package\":\"test\"},\"capabilities\":[]}}");
      assertThat(client.answer("{\"execute\": \"echo\", \"id\": [1, {\"a\": null}]}"))
          .isEqualTo(
              "{\"error\":{\"class\":\"CommandNotFound\",\"desc\":\"Expecting capabilities"
                  + " negotiation with 'qmp_capabilities'\"},\"id\":[1,{\"a\":null}]}");
      assertThat(
              client.answer(
                  "{\"execute\": \"qmp_capabilities\", \"arguments\": {\"enable\": [\"oob\"]}}"))
          .contains("GenericError", "Capability oob not available");
      assertThat(client.answer("{\"execute\": \"qmp_capabilities\", \"id\": \"x\"}"))
          .isEqualTo("{\"return\":{},\"id\":\"x\"}");
      assertThat(client.answer("{\"execute\": \"qmp_capabilities\"}"))
          .contains(
              "CommandNotFound", "Capabilities negotiation is already complete, command ignored");
      assertThat(client.answer("{\"execute\": \"query-commands\"}"))
          .isEqualTo(
              "{\"return\":[{\"name\":\"echo\"},{\"name\":\"fail\"},{\"name\":\"qmp_capabilities\"},"
                  + "{\"name\":\"query-commands\"},{\"name\":\"query-version\"},"
                  + "{\"name\":\"refuse\"},{\"name\":\"wait\"}]}");
    }
  }

  /** The words are QEMU's. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|QMP input lacks member 'execute'",
        "{\"execute\": 1}|QMP input member 'execute' must be a string",
        "{\"execute\": \"echo\", \"arguments\": []}|QMP input member 'arguments' must be an object",
        "{\"execute\": \"echo\", \"extra\": 1}|QMP input member 'extra' is unexpected",
        "{\"execute\": \"absent\"}|The command absent has not been found",
        "{\"execute\": \"echo\"}|Parameter 'text' is missing",
        "{\"execute\": \"echo\", \"arguments\": {\"text\": 1}}|Invalid parameter type for 'text',"
            + " expected: string",
        "{\"execute\": \"echo\", \"arguments\": {\"text\": \"\", \"t\": 1}}|Parameter 't' is"
            + " unexpected",
        "{\"execute\": \"fail\"}|An internal error occurred",
        "{\"execute\": nonsense}|Invalid JSON syntax",
        "GET / HTTP/1.1|Invalid JSON syntax",
        "]|Invalid JSON syntax"
      })
  void whatCannotBeExecuted_isAnswered_andTheNextCommandWorks(String sent, String description)
      throws IOException {
    try (var client = RawClient.negotiated(socket)) {
      assertThat(client.answer(sent)).startsWith("{\"error\":").contains(description);
      assertThat(client.answer("{\"execute\": \"echo\", \"arguments\": {\"text\": \"on\"}}"))
          .isEqualTo("{\"return\":\"on\"}");
    }
  }

  /** A browser can be made to send anything to a port of its own machine. */
  @ParameterizedTest
  @ValueSource(
      strings = {"POST / HTTP/1.1\nHost: localhost\n\n{\"execute\": \"qmp_capabilities\"}\n", "\0"})
  void garbageBeforeTheNegotiation_endsTheConnection(String sent) throws IOException {
    try (var client = new RawClient(socket)) {
      client.send(sent);
      assertThat(client.message().has("QMP")).isTrue();
      assertThat(client.line()).contains("Invalid JSON syntax");
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void aMessageThatIsTooLong_endsTheConnection() throws IOException {
    try (var client = RawClient.negotiated(socket)) {
      client.send("{\"execute\": \"" + "x".repeat(ServerConnection.MAX_MESSAGE - 20));
      try {
        client.send("x".repeat(8 << 10));
      } catch (IOException e) {
        // it is closed already
      }
      assertThat(client.isEnded()).isTrue();
    }
    requireWorks();
  }

  @Test
  void halfALine_andASlowCommand_delayNobodyElse() throws IOException {
    try (var half = RawClient.negotiated(socket);
        var waiting = RawClient.negotiated(socket)) {
      half.send("{\"execute\": \"ec");
      waiting.send("{\"execute\": \"wait\"}\n");
      requireWorks();
      half.send("ho\", \"arguments\":\n {\"text\": \"}\"}}");
      assertThat(half.line()).isEqualTo("{\"return\":\"}\"}");
      slow.countDown();
      assertThat(waiting.line()).isEqualTo("{\"return\":{}}");
    }
  }

  private void requireWorks() throws IOException {
    try (var client = RawClient.negotiated(socket)) {
      assertThat(client.answer("{\"execute\": \"echo\", \"arguments\": {\"text\": \"yes\"}}"))
          .isEqualTo("{\"return\":\"yes\"}");
    }
  }

  @Test
  void events_reachClientsThatHaveNegotiated_inOrder() throws IOException {
    try (var fresh = new RawClient(socket);
        var client = RawClient.negotiated(socket)) {
      assertThat(server.hasClients()).isTrue();
      var data = new JsonObject();
      data.addProperty("status", "active");
      server.event("MIGRATION", data, WHEN);
      server.event("STOP", null, WHEN);
      assertThat(client.line())
          .isEqualTo(
              "{\"event\":\"MIGRATION\",\"data\":{\"status\":\"active\"},"
                  + "\"timestamp\":{\"seconds\":1000000000,\"microseconds\":123456}}");
      assertThat(client.message().get("event").getAsString()).isEqualTo("STOP");
      assertThat(fresh.message().has("QMP")).isTrue();
      fresh.send("{\"execute\": \"qmp_capabilities\"}\n");
      assertThat(fresh.line()).isEqualTo("{\"return\":{}}");
    }
  }

  @Test
  void aClientThatDoesNotRead_isDisconnected_andTheOthersGetEveryEvent() throws IOException {
    var data = new JsonObject();
    data.addProperty("text", "x".repeat(100_000));
    try (var deaf = RawClient.negotiated(socket);
        var client = RawClient.negotiated(socket)) {
      for (int i = 0; i < 200; i++) {
        data.addProperty("number", i);
        server.event("LARGE", data, WHEN);
        assertThat(client.message().getAsJsonObject("data").get("number").getAsInt()).isEqualTo(i);
      }
      assertThat(deaf.isEnded()).isTrue();
    }
  }

  @Test
  void aClientThatReadsNoAnswers_isAskedForNoFurtherCommand() throws IOException {
    String text = "x".repeat(100_000);
    String command = "{\"execute\": \"echo\", \"arguments\": {\"text\": \"%s\"}}\n".formatted(text);
    try (var client = RawClient.negotiated(socket)) {
      Thread sender =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int i = 0; i < 200; i++) {
                    client.send(command);
                  }
                } catch (IOException e) {
                  // the test fails, because answers are missing
                }
              });
      requireWorks();
      for (int i = 0; i < 200; i++) {
        assertThat(client.message().get("return").getAsString()).hasSize(text.length());
      }
      assertThat(sender.isAlive()).isFalse();
    }
  }

  @Test
  void aThousandConnections_doNotKeepAClientOut() throws IOException {
    var idle = new ArrayDeque<RawClient>();
    try (var early = RawClient.negotiated(socket)) {
      for (int i = 0; i < 1000; i++) {
        idle.add(new RawClient(socket));
        if (idle.size() > 2 * QmpServer.MAX_CLIENTS) {
          idle.remove().close();
        }
      }
      requireWorks();
      assertThat(early.answer("{\"execute\": \"query-version\"}")).contains("\"major\":7");
    } finally {
      for (RawClient each : idle) {
        each.close();
      }
    }
  }

  @Test
  void moreClientsThanPlaces_areToldSo() throws IOException {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < QmpServer.MAX_CLIENTS; i++) {
        clients.add(RawClient.negotiated(socket));
      }
      try (var further = new RawClient(socket)) {
        assertThat(further.line()).contains("64 clients are connected; end one of them.");
        assertThat(further.isEnded()).isTrue();
      }
      assertThat(clients.getFirst().answer("{\"execute\": \"query-version\"}")).contains("7");
    } finally {
      for (RawClient each : clients) {
        each.close();
      }
    }
  }

  @Test
  void theEnd_sendsTheLastEvents_endsConnections_andRemovesTheSocket() throws IOException {
    try (var client = RawClient.negotiated(socket);
        var idle = new RawClient(socket)) {
      server.event("SHUTDOWN", null, WHEN);
      server.close();
      assertThat(client.line()).contains("SHUTDOWN");
      assertThat(client.isEnded()).isTrue();
      assertThat(idle.isEnded()).isTrue();
      assertThat(Files.exists(socket)).isFalse();
    }
  }

  /** {@code quit}, for one: it is answered, however soon the process ends after it. */
  @Test
  void aCommandThatIsExecutedWhenTheServerEnds_isAnswered() throws Exception {
    try (var asking = RawClient.negotiated(socket);
        var idle = RawClient.negotiated(socket)) {
      asking.send("{\"execute\": \"wait\"}\n");
      started.await();
      Thread end = Thread.ofVirtual().start(server::close);
      // The connections are ended in the order of their beginnings.
      assertThat(idle.isEnded()).isTrue();
      slow.countDown();
      assertThat(asking.line()).isEqualTo("{\"return\":{}}");
      assertThat(asking.isEnded()).isTrue();
      end.join();
    }
  }

  @Test
  void tcp_isForTheLoopbackInterface_andHasToBeAllowed() throws Exception {
    int port = freePort();
    assertThatThrownBy(() -> server(new QmpAddress.Tcp("127.0.0.1", port), Access.OWNER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Every user of this machine could connect to tcp:127.0.0.1:" + port)
        .hasMessageContaining("--qmp-allow users");
    assertThatThrownBy(() -> server(new QmpAddress.Tcp("0.0.0.0", port), Access.USERS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not an address of the loopback interface");
    assertThatThrownBy(() -> server(new QmpAddress.Ssh("host", "/run/s"), Access.USERS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen at ssh:host:/run/s");
    try (QmpServer tcp = server(new QmpAddress.Tcp("127.0.0.1", port), Access.USERS);
        Qmp qmp = Qmp.connect(tcp.address(), Duration.ofSeconds(20))) {
      assertThat(new QemuMonitor(qmp).version().major()).isEqualTo(7);
      assertThatThrownBy(() -> server(new QmpAddress.Tcp("127.0.0.1", port), Access.USERS))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("choose another port");
    }
  }

  private static int freePort() throws IOException {
    try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    }
  }
}
