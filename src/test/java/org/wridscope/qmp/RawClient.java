// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A client of a server that sends anything, and reads lines. */
final class RawClient implements AutoCloseable {
  private final SocketChannel channel;
  private final BufferedReader lines;

  RawClient(Path socket) throws IOException {
    channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
  }

  /** A client that has negotiated. */
  static RawClient negotiated(Path socket) throws IOException {
    var client = new RawClient(socket);
    JsonObject _ = client.message();
    client.send("{\"execute\": \"qmp_capabilities\"}\n");
    JsonObject _ = client.message();
    return client;
  }

  void send(String text) throws IOException {
    for (var left = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)); left.hasRemaining(); ) {
      channel.write(left);
    }
  }

  /** The next line; null at the end of the connection. */
  @Nullable String line() throws IOException {
    return lines.readLine();
  }

  JsonObject message() throws IOException {
    return JsonParser.parseString(String.valueOf(line())).getAsJsonObject();
  }

  /** What the server answers. */
  String answer(String text) throws IOException {
    send(text + "\n");
    return String.valueOf(line());
  }

  /** Whether the server ends the connection. */
  boolean isEnded() {
    try {
      while (line() != null) {
        // the rest
      }
    } catch (IOException e) {
      // reset
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
