// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** A QMP server that serves one client with a script. */
final class ScriptedServer implements AutoCloseable {
  static final String GREETING =
      """
      {"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": ""}, "capabilities": ["oob"]}}
      """;

  private final ServerSocketChannel listening;
  private final CompletableFuture<Void> served = new CompletableFuture<>();

  /** What the server does with its client. */
  @FunctionalInterface
  interface Script {
    void serve(Client client) throws Exception;
  }

  private ScriptedServer(ServerSocketChannel listening, SocketAddress at, Script script)
      throws IOException {
    this.listening = listening;
    listening.bind(at);
    Thread.ofPlatform().daemon().name("scripted QMP server").start(() -> serve(script));
  }

  static ScriptedServer unix(Path path, Script script) throws IOException {
    return new ScriptedServer(
        ServerSocketChannel.open(StandardProtocolFamily.UNIX),
        UnixDomainSocketAddress.of(path),
        script);
  }

  static ScriptedServer tcp(Script script) throws IOException {
    return new ScriptedServer(
        ServerSocketChannel.open(),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        script);
  }

  QmpAddress address() throws IOException {
    return switch (listening.getLocalAddress()) {
      case UnixDomainSocketAddress unix -> new QmpAddress.Unix(unix.getPath());
      case InetSocketAddress tcp ->
          new QmpAddress.Tcp(tcp.getAddress().getHostAddress(), tcp.getPort());
      default -> throw new IllegalStateException();
    };
  }

  private void serve(Script script) {
    try (SocketChannel channel = listening.accept()) {
      script.serve(new Client(channel));
      served.complete(null);
    } catch (Throwable e) {
      served.completeExceptionally(e);
    }
  }

  /** Waits for the end of the script, and fails if the script did. */
  void awaitEnd() throws Exception {
    served.get(20, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    try {
      served.getNow(null);
    } catch (CompletionException e) {
      // Whoever wants to know calls awaitEnd.
    }
  }

  /** The client of the server. */
  static final class Client {
    private final SocketChannel channel;
    private final BufferedReader commands;

    private Client(SocketChannel channel) {
      this.channel = channel;
      commands = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    void send(String text) throws IOException {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    /** Greets and answers the negotiation. */
    void greet() throws IOException {
      send(GREETING);
      answer(command("qmp_capabilities"), "{}");
    }

    /** Waits for a command. */
    JsonObject command() throws IOException {
      String line = commands.readLine();
      if (line == null) {
        throw new EOFException("the client has closed the connection");
      }
      return JsonParser.parseString(line).getAsJsonObject();
    }

    /** Waits for a command of this name. */
    JsonObject command(String name) throws IOException {
      JsonObject command = command();
      if (!command.get("execute").getAsString().equals(name)) {
        throw new IOException("expected " + name + ", not " + command);
      }
      return command;
    }

    void answer(JsonObject command, String result) throws IOException {
      send("{\"return\": %s, \"id\": %s}\r\n".formatted(result, command.get("id")));
    }

    void refuse(JsonObject command, String errorClass, String desc) throws IOException {
      var error = new JsonObject();
      error.addProperty("class", errorClass);
      error.addProperty("desc", desc);
      send("{\"id\": %s, \"error\": %s}\r\n".formatted(command.get("id"), error));
    }

    /** Waits until the client has closed the connection. */
    void awaitEnd() throws IOException {
      if (commands.readLine() != null) {
        throw new IOException("the client sent one more command");
      }
    }
  }
}
