// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import com.google.gson.JsonParseException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Arbitrary bytes as the standard output of a QEMU. */
public final class QmpInputs {
  private static final Path NO_LOG = Path.of("/dev/null");

  private QmpInputs() {}

  /** Conversations. */
  public static List<byte[]> seeds() {
    return Stream.of(
            """
            {"QMP": {"version": {"qemu": {"micro": 0, "minor": 2, "major": 7}}, "capabilities": []}}
            {"return": {}}
            RDMA: something that is no QMP
            {"timestamp": {"seconds": 1, "microseconds": 2}, "event": "STOP"}
            {"return": {"status": "completed", "total-time": 5}}
            {"return": {}}
            """,
            """
            {"QMP": {}}
            {"return": {}}
            {"error": {"class": "GenericError", "desc": "There's a migration process in progress"}}
            """)
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  /** Reads the bytes as QMP, and each line on this thread, too, where a defect is noticed. */
  public static void read(byte[] input) throws IOException, InterruptedException {
    for (String line : new String(input, StandardCharsets.UTF_8).lines().toList()) {
      try {
        var _ = Qmp.answer(line);
      } catch (JsonParseException | IllegalStateException e) {
        // Ends the conversation.
      }
    }
    Qmp qmp = Qmp.open(new Said(input), NO_LOG);
    qmp.awaitMigration(Duration.ofMinutes(1));
    qmp.enable("rdma-pin-all");
  }

  /** A process that has written this output and ended. */
  private static final class Said extends Process {
    private final InputStream said;

    Said(byte[] said) {
      this.said = new ByteArrayInputStream(said);
    }

    @Override
    public OutputStream getOutputStream() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return said;
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
