// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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
    try (Qmp qmp = Qmp.overStdio(new Said(input), LIMIT)) {
      var monitor = new QemuMonitor(qmp);
      monitor.migration();
      monitor.setCapabilities(Map.of("rdma-pin-all", true));
      monitor.memoryBackends();
    }
  }

  /**
   * A process that writes this and ends: the first line at once, and more after each command, up to
   * a line that may be its answer. When no command comes, everything follows.
   */
  private static final class Said extends Process {
    private static final long PATIENCE_MS = 20;

    private final byte[] said;
    private final Semaphore commands = new Semaphore(0);
    private int at;

    Said(byte[] said) {
      this.said = said;
    }

    @Override
    public OutputStream getOutputStream() {
      return new OutputStream() {
        @Override
        public void write(int b) {
          if (b == '\n') {
            commands.release();
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
          int count = Math.min(length, next() - at);
          System.arraycopy(said, at, into, offset, count);
          at += count;
          return count == 0 ? -1 : count;
        }
      };
    }

    /** Where what is written next ends. */
    private int next() {
      try {
        if (at > 0 && !commands.tryAcquire(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
          return said.length;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return said.length;
      }
      int end = at;
      boolean mayAnswer = false;
      while (end < said.length && !mayAnswer) {
        int from = end;
        while (end < said.length && said[end++] != '\n') {
          // Goes to the end of the line.
        }
        String line = new String(said, from, end - from, StandardCharsets.UTF_8);
        mayAnswer = line.startsWith("{") && !line.contains("\"event\"");
      }
      return end;
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

    @Override
    public void destroy() {}
  }
}
