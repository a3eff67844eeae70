// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.HostileText;

/** A client against servers that do what no QEMU does, and what a QEMU may do. */
@Timeout(60)
final class QmpTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir private Path directory;

  private ScriptedServer server(ScriptedServer.Script script) throws IOException {
    return ScriptedServer.unix(directory.resolve("qmp"), script);
  }

  private static Qmp connect(ScriptedServer server) throws IOException, InterruptedException {
    return Qmp.connect(server.address(), LONG);
  }

  private static void end(Qmp qmp) {
    qmp.close();
  }

  @Test
  void aCommand_isAnswered_overAUnixSocket() throws Exception {
    try (var server =
            server(client -> {
              client.greet();
              JsonObject command = client.command("query-status");
              client.answer(command, "{\"status\": \"running\", \"running\": true}");
              client.awaitEnd();
            });
        Qmp qmp = connect(server)) {
      assertThat(qmp.address()).isEqualTo(server.address());
      assertThat(new QemuMonitor(qmp).status()).isEqualTo(new RunState("running", true));
      assertThat(qmp.isOpen()).isTrue();
      end(qmp);
      assertThat(qmp.isOpen()).isFalse();
      server.awaitEnd();
    }
  }

  @Test
  void aCommand_isAnswered_overTcp() throws Exception {
    try (var server =
            ScriptedServer.tcp(client -> {
              client.greet();
              client.answer(client.command("query-name"), "{\"name\": \"vm1\"}");
            });
        Qmp qmp = connect(server)) {
      assertThat(new QemuMonitor(qmp).name()).contains("vm1");
    }
  }

  @Test
  void arguments_areSent() throws Exception {
    try (var server =
            server(client -> {
              client.greet();
              JsonObject command = client.command("migrate");
              client.answer(command, command.get("arguments").toString());
            });
        Qmp qmp = connect(server)) {
      var arguments = new JsonObject();
      arguments.addProperty("uri", "unix:/x \"quoted\"");
      assertThat(qmp.execute("migrate", arguments)).isEqualTo(arguments);
    }
  }

  @Test
  void messagesInHalves_onSeveralLines_andSeveralInOne_areWhole() throws Exception {
    try (var server =
            server(client -> {
              for (String letter : ScriptedServer.GREETING.split("")) {
                client.send(letter);
              }
              client.answer(client.command("qmp_capabilities"), "{}");
              String id = client.command("a").get("id").toString();
              client.send("{\"event\": \"X\"}{\n    \"return\": {\n  \"brace\": \"}\\\"}\"");
              client.send("\n    },\r\n \"id\": " + id);
              client.send("\n}  \n\n{\"event\": \"Y\"} ");
              client.answer(client.command("b"), "[]");
            });
        Qmp qmp = connect(server)) {
      assertThat(qmp.execute("a").getAsJsonObject().get("brace").getAsString()).isEqualTo("}\"}");
      assertThat(qmp.execute("b").getAsJsonArray()).isEmpty();
    }
  }

  @Test
  void eventsInBetween_areTold_untilTheSubscriptionEnds() throws Exception {
    BlockingQueue<QmpEvent> events = new LinkedBlockingQueue<>();
    try (var server =
            server(client -> {
              client.greet();
              JsonObject command = client.command("stop");
              client.send(
                  """
                  {"timestamp": {"seconds": 12, "microseconds": 34}, "event": "STOP"}
                  {"event": "MIGRATION", "data": {"status": "active"}}
                  {"event": 5}
                  """);
              client.answer(command, "{}");
              command = client.command("cont");
              client.send("{\"event\": \"RESUME\"}\n");
              client.answer(command, "{}");
            });
        Qmp qmp = connect(server)) {
      qmp.onEvent(event -> {
        throw new IllegalStateException("a defect in a listener");
      });
      Qmp.Subscription subscription = qmp.onEvent(events::add);
      qmp.execute("stop");
      var data = new JsonObject();
      data.addProperty("status", "active");
      assertThat(events)
          .containsExactly(
              new QmpEvent("STOP", new JsonObject(), 12, 34),
              new QmpEvent("MIGRATION", data, -1, -1));
      subscription.close();
      qmp.execute("cont");
      assertThat(events).hasSize(2);
    }
  }

  @Test
  void aListener_mustNotWaitForAnAnswer() throws Exception {
    var thrown = new CompletableFuture<Throwable>();
    try (var server =
            server(client -> {
              client.greet();
              client.command("stop");
              client.send("{\"event\": \"STOP\"}\n");
              client.awaitEnd();
            });
        Qmp qmp = connect(server)) {
      qmp.onEvent(event -> {
        try {
          qmp.execute("cont");
        } catch (Exception e) {
          thrown.complete(e);
        }
      });
      assertThatThrownBy(() -> qmp.execute("stop", new JsonObject(), SHORT))
          .hasMessageContaining("No answer to stop");
      assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void answersOfOthers_andLateOnes_areDropped() throws Exception {
    var given = new CountDownLatch(1);
    try (var server =
            server(client -> {
              client.greet();
              JsonObject late = client.command("late");
              given.await();
              client.send("{\"return\": {\"wrong\": 1}, \"id\": \"of nobody\"}\n");
              client.send("{\"return\": {\"wrong\": 2}, \"id\": 17}\n");
              client.send("{\"return\": {\"wrong\": 3}, \"id\": null}\n");
              client.send("{\"return\": {\"wrong\": 4}, \"id\": {\"x\": []}}\n");
              client.send("{\"return\": {\"wrong\": 5}}\n");
              client.answer(late, "{\"wrong\": 6}");
              JsonObject next = client.command("next");
              client.answer(late, "{\"wrong\": 7}");
              client.answer(next, "{\"right\": 8}");
            });
        Qmp qmp = connect(server)) {
      assertThatThrownBy(() -> qmp.execute("late", new JsonObject(), SHORT))
          .isInstanceOf(QmpException.class)
          .hasMessageMatching("No answer to late from unix:/.* within 50.* ms.");
      given.countDown();
      assertThat(qmp.execute("next")).hasToString("{\"right\":8}");
    }
  }

  @Test
  void answersInAnotherOrder_reachWhoWaitsForThem() throws Exception {
    int count = 20;
    try (var server =
            server(client -> {
              client.greet();
              var commands = new ArrayList<JsonObject>();
              for (int i = 0; i < count; i++) {
                commands.add(client.command());
              }
              for (JsonObject command : commands.reversed()) {
                client.answer(command, command.get("execute").toString());
              }
            });
        Qmp qmp = connect(server)) {
      var answers = new ArrayList<CompletableFuture<String>>();
      for (int i = 0; i < count; i++) {
        String name = "command-" + i;
        var answer = new CompletableFuture<String>();
        answers.add(answer);
        Thread.ofPlatform()
            .start(() -> {
              try {
                answer.complete(qmp.execute(name).getAsString());
              } catch (Throwable e) {
                answer.completeExceptionally(e);
              }
            });
      }
      for (int i = 0; i < count; i++) {
        assertThat(answers.get(i).get(20, TimeUnit.SECONDS)).isEqualTo("command-" + i);
      }
    }
  }

  @Test
  void aRefusal_hasClassAndReason_safeToShow() throws Exception {
    try (var server =
            server(client -> {
              client.greet();
              client.refuse(client.command("migrate"), "GenericError", HostileText.ALL);
              client.refuse(client.command("no-such"), "CommandNotFound", "not found");
              client.command("broken");
              client.send("{\"error\": {\"class\": \"GenericError\", \"desc\": \"JSON\"}}\n");
              client.answer(client.command("next"), "{}");
            });
        Qmp qmp = connect(server)) {
      QmpException refused = catchThrowableOfType(QmpException.class, () -> qmp.execute("migrate"));
      assertThat(refused.kind()).isEqualTo(QmpException.Kind.REFUSED);
      assertThat(refused.errorClass()).isEqualTo("GenericError");
      assertThat(refused.desc()).startsWith("hostile");
      assertThat(HostileText.unsafe(refused.desc() + refused.getMessage(), false)).isEmpty();
      assertThatThrownBy(() -> qmp.execute("no-such"))
          .hasMessage("QEMU refused no-such: not found")
          .extracting(e -> ((QmpException) e).errorClass())
          .isEqualTo("CommandNotFound");
      assertThatThrownBy(() -> qmp.execute("broken")).hasMessage("QEMU refused broken: JSON");
      assertThat(qmp.execute("next")).isEqualTo(new JsonObject());
    }
  }

  @Test
  void anAnswerWithoutResult_isNotValid() throws Exception {
    try (var server =
            server(client -> {
              client.greet();
              JsonObject command = client.command();
              client.send("{\"id\": %s}\n".formatted(command.get("id")));
              client.awaitEnd();
            });
        Qmp qmp = connect(server)) {
      assertThatThrownBy(() -> qmp.execute("stop"))
          .hasMessage(
              "QEMU's answer to stop is not valid QMP: it has neither a result nor an error.")
          .extracting(e -> ((QmpException) e).kind())
          .isEqualTo(QmpException.Kind.INVALID);
    }
  }

  @Test
  void aHugeAnswer_isReadInPieces() throws Exception {
    String huge = "x".repeat(MessageReader.MAX_BYTES - 1000);
    try (var server =
            server(client -> {
              client.greet();
              client.answer(client.command(), '"' + huge + '"');
            });
        Qmp qmp = connect(server)) {
      assertThat(qmp.execute("query-qmp-schema").getAsString()).isEqualTo(huge);
    }
  }

  @Test
  void anAnswerOverTheLimit_endsTheConnection_withASentence() throws Exception {
    String piece = "x".repeat(1 << 20);
    try (var server =
            server(client -> {
              client.greet();
              client.command();
              client.send("{\"return\": \"");
              while (true) {
                client.send(piece);
              }
            });
        Qmp qmp = connect(server)) {
      assertThatThrownBy(() -> qmp.execute("query-qmp-schema"))
          .isInstanceOf(QmpException.class)
          .hasMessageMatching(
              "No answer to query-qmp-schema from .*: it sent a message of more than"
                  + " 4.00 MiB.");
      assertThat(qmp.isOpen()).isFalse();
      // The server notices that the client has gone.
      assertThatThrownBy(server::awaitEnd).hasCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void aServerThatSaysNothing_isLeftInTime() throws Exception {
    try (var server = server(ScriptedServer.Client::awaitEnd)) {
      assertThatThrownBy(() -> Qmp.connect(server.address(), SHORT))
          .isInstanceOf(QmpException.class)
          .hasMessageContaining("No QMP greeting from unix:/")
          .hasMessageContaining("serves one client of a QMP socket at a time")
          .extracting(e -> ((QmpException) e).kind())
          .isEqualTo(QmpException.Kind.SILENT);
      server.awaitEnd();
    }
  }

  @Test
  void aServerThatDoesNotNegotiate_isLeftInTime() throws Exception {
    try (var server =
        server(client -> {
          client.send(ScriptedServer.GREETING);
          client.command("qmp_capabilities");
          client.awaitEnd();
        })) {
      assertThatThrownBy(() -> Qmp.connect(server.address(), Duration.ofSeconds(2)))
          .hasMessageContaining("No answer to qmp_capabilities");
      server.awaitEnd();
    }
  }

  @Test
  void aServerThatNeitherReadsNorAnswers_blocksNobody() throws Exception {
    var over = new CountDownLatch(1);
    try (var server =
            server(client -> {
              client.greet();
              over.await();
            });
        Qmp qmp = connect(server)) {
      var large = new JsonObject();
      large.addProperty("text", "x".repeat(4 << 20));
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> qmp.execute("large", large, SHORT))
            .hasMessageContaining("No answer to large");
      }
      assertThat(qmp.isOpen()).isTrue();
      end(qmp);
      assertThatThrownBy(() -> qmp.execute("more"))
          .hasMessageEndingWith("the connection was closed here.");
    } finally {
      over.countDown();
    }
  }

  static List<String> endings() {
    return List.of("", "{", "{\"return\": {}, \"id\": \"wridscope-2\"");
  }

  @ParameterizedTest
  @MethodSource("endings")
  void aServerThatEndsDuringACommand_isNoticed(String last) throws Exception {
    try (var server =
            server(client -> {
              client.greet();
              client.command();
              client.send(last);
            });
        Qmp qmp = connect(server)) {
      String how =
          last.isEmpty()
              ? "it closed the connection."
              : "it closed the connection in the middle of a message.";
      assertThatThrownBy(() -> qmp.execute("cont"))
          .isInstanceOf(QmpException.class)
          .hasMessageStartingWith("No answer to cont from unix:/")
          .hasMessageEndingWith(how);
      assertThat(qmp.isOpen()).isFalse();
      assertThatThrownBy(() -> qmp.execute("stop")).hasMessageEndingWith(how);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "QEMU 7.2.22 monitor - type 'help' for more information\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "[1]",
        "}",
        "\u001b[2J",
        "{\"a\": 01}",
        "{} x",
        "{\"a\" \"b\"}"
      })
  void garbage_endsTheConnection_withASentence(String garbage) throws Exception {
    try (var server = server(client -> client.send(garbage))) {
      QmpException refused =
          catchThrowableOfType(QmpException.class, () -> Qmp.connect(server.address(), LONG));
      assertThat(refused.kind()).isEqualTo(QmpException.Kind.INVALID);
      assertThat(refused).hasMessageContaining("it sent what is not ");
      assertThat(HostileText.unsafe(String.valueOf(refused.getMessage()), false)).isEmpty();
    }
  }

  @Test
  void closingHere_endsTheWaitOfAnother() throws Exception {
    var asked = new CountDownLatch(1);
    try (var server =
            server(client -> {
              client.greet();
              client.command();
              asked.countDown();
              client.awaitEnd();
            });
        Qmp qmp = connect(server)) {
      Thread.ofPlatform()
          .start(() -> {
            try {
              asked.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            end(qmp);
          });
      assertThatThrownBy(() -> qmp.execute("cont"))
          .hasMessageEndingWith("the connection was closed here.");
      server.awaitEnd();
    }
  }

  @Test
  void anInterrupt_endsTheWait() throws Exception {
    try (var server =
            server(client -> {
              client.greet();
              client.command("cont");
              client.awaitEnd();
            });
        Qmp qmp = connect(server)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> qmp.execute("cont")).isInstanceOf(InterruptedException.class);
      assertThat(qmp.isOpen()).isTrue();
    } finally {
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  static Stream<QmpAddress> addressesWithoutServer() {
    return Stream.of(
        QmpAddress.parse("/nonexistent/qmp"),
        QmpAddress.parse("/proc/version"),
        new QmpAddress.Tcp("127.0.0.1", 1),
        new QmpAddress.Tcp("no-such-host.invalid", 4444));
  }

  @ParameterizedTest
  @MethodSource("addressesWithoutServer")
  void whereNobodyListens_isSaid(QmpAddress address) {
    assertThatThrownBy(() -> Qmp.connect(address, LONG))
        .isInstanceOf(QmpException.class)
        .hasMessageStartingWith("No QMP greeting from " + address + ": ")
        .extracting(e -> ((QmpException) e).kind())
        .isEqualTo(QmpException.Kind.CLOSED);
  }
}
