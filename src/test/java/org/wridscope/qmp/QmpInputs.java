// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/** Arbitrary bytes as the standard output of a QEMU. */
public final class QmpInputs {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private QmpInputs() {}

  /** Conversations. */
  public static List<byte[]> seeds() {
    return Stream.of(
            """
            {"QMP": {"version": {"qemu": {"micro": 0, "minor": 2, "major": 7}}, "capabilities": []}}
            {"return": {}, "id": "wridscope-1"}
            RDMA: something that is no QMP
            {"timestamp": {"seconds": 1, "microseconds": 2}, "event": "STOP"}
            {"return": {"status": "completed", "total-time": 5, "ram": {"mbps": 1.5}}, "id": "wridscope-2"}
            {"return": {}, "id": "wridscope-3"}
            {"return": [{"type": "child<memory-backend-file>", "name": "m"}], "id": "wridscope-4"}
            {"return": [{"id": "m", "size": 5, "share": true}], "id": "wridscope-5"}
            {"return": "/dev/shm/ram", "id": "wridscope-6"}
            """,
            """
            {"QMP": {}}
            {"return": {}, "id": "wridscope-1"}
            {"error": {"class": "GenericError", "desc": "There's a migration process in progress"}}
            """)
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  /** Reads a text as a command line, whose arguments end with a 0. */
  public static List<Object> commandLine(String text) {
    var line =
        new QemuCommandLine(List.of(text.split("\0", -1)), Path.of("/"), _ -> Optional.empty());
    return List.of(line.isQemu(), line.name(), line.addresses());
  }

  /** Cuts the bytes into messages on this thread, where a defect is noticed, then converses. */
  public static void read(byte[] input) throws IOException, InterruptedException {
    var bytes = new ByteArrayInputStream(input);
    var messages = new MessageReader(bytes::read, true);
    try {
      for (var message = messages.next(); message != null; message = messages.next()) {
        var _ = QmpEvent.of(message);
      }
    } catch (MessageReader.InvalidMessageException e) {
      // Ends the conversation.
    }
    var said = new Said(input);
    try (Qmp qmp = Qmp.overStdio(said, LIMIT)) {
      var monitor = new QemuMonitor(qmp);
      monitor.migration();
      monitor.setCapabilities(Map.of("rdma-pin-all", true));
      monitor.memoryBackends();
    } finally {
      said.destroy();
    }
  }

  /**
   * A process that writes these lines and ends. A line that looks like an answer waits for a
   * command, and is given its id; others follow at once, so that the client never waits in vain.
   */
  private static final class Said extends Process {
    private static final JsonElement NO_MORE = JsonNull.INSTANCE;

    private final Iterator<String> lines;
    private final LinkedBlockingQueue<JsonElement> ids = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream command = new ByteArrayOutputStream();
    private byte[] piece = {};
    private int at;
    private boolean greeted;
    private boolean free;

    Said(byte[] said) {
      // With their ends, of which the last line may have none. Every byte is one character.
      lines =
          List.of(new String(said, StandardCharsets.ISO_8859_1).split("(?<=\n)", -1)).iterator();
    }

    @Override
    public OutputStream getOutputStream() {
      return new OutputStream() {
        @Override
        public void write(int b) {
          if (b == '\n') {
            String text = command.toString(StandardCharsets.UTF_8);
            ids.add(JsonParser.parseString(text).getAsJsonObject().get("id"));
            command.reset();
          } else {
            command.write(b);
          }
        }
      };
    }

    @Override
    public InputStream getInputStream() {
      return new InputStream() {
        @Override
        public int read() {
          throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
          while (at == piece.length) {
            if (!lines.hasNext()) {
              return -1;
            }
            piece = answered(lines.next()).getBytes(StandardCharsets.ISO_8859_1);
            at = 0;
          }
          int count = Math.min(length, piece.length - at);
          System.arraycopy(piece, at, into, offset, count);
          at += count;
          return count;
        }
      };
    }

    private String answered(String line) {
      try {
        if (JsonParser.parseString(line) instanceof JsonObject message) {
          return answered(message) + "\n";
        }
      } catch (JsonParseException e) {
        // May be taken for the begin of a message that swallows all others.
        free |= line.contains("{");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return line;
    }

    private JsonObject answered(JsonObject message) throws InterruptedException {
      if (message.has("event") || message.has("QMP")) {
        greeted |= !message.has("event");
      } else if (greeted && !free && (message.has("id") || message.has("error"))) {
        JsonElement id = ids.take();
        if (id.equals(NO_MORE)) {
          ids.add(NO_MORE);
        } else if (message.has("id")) {
          message.add("id", id);
        }
      }
      return message;
    }

    /** No more commands come. */
    @Override
    public void destroy() {
      ids.add(NO_MORE);
    }

    @Override
    public InputStream getErrorStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public long pid() {
      return 0;
    }

    @Override
    public int waitFor() {
      return 0;
    }

    @Override
    public int exitValue() {
      return 0;
    }
  }
}
