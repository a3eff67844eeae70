// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import org.wridscope.files.Folder;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;

/**
 * Opens arbitrary bytes as a recording or as a trace log of QEMU. Because reading ends at a wrong
 * checksum, an input has blocks without checksums: a byte for the type, one for the session, three
 * bytes for the length, and the content. The file gets correct checksums.
 */
public final class RecordingInputs {
  private static final int HEAD = 5;

  private RecordingInputs() {}

  /** A recorded migration of a small guest, and its first block of each type. */
  public static List<byte[]> seeds() throws Exception {
    Path folder = Files.createTempDirectory("wridscope-seeds");
    try {
      Path file = folder.resolve("lab.wrs");
      RecordedLab.recordSmall(file);
      return seeds(file);
    } finally {
      Folder.delete(folder);
    }
  }

  private static List<byte[]> seeds(Path file) throws IOException {
    List<byte[]> blocks = new ArrayList<>();
    try (var reader = new RecordingReader(FileChannel.open(file, StandardOpenOption.READ))) {
      RecordingReader.Block block;
      for (long at = RecordingFormat.HEAD_BYTES;
          (block = reader.block(at)) != null;
          at = block.end()) {
        blocks.add(unsealed(Objects.requireNonNull(block.type()), block));
      }
    }
    var kinds = new HashSet<Integer>();
    List<byte[]> one = blocks.stream().filter(b -> kinds.add(b[0] << 8 | b[1])).toList();
    return List.of(joined(blocks), joined(one));
  }

  private static byte[] unsealed(BlockType type, RecordingReader.Block block) {
    ByteBuffer payload = block.payload().duplicate();
    int length = payload.remaining();
    ByteBuffer bytes = ByteBuffer.allocate(HEAD + length);
    bytes.put((byte) type.value()).put((byte) block.session());
    bytes.put((byte) (length >> 16)).putShort((short) length).put(payload);
    return bytes.array();
  }

  private static byte[] joined(List<byte[]> parts) {
    var joined = new ByteArrayOutputStream();
    parts.forEach(joined::writeBytes);
    return joined.toByteArray();
  }

  /** The file for an input. */
  public static byte[] sealed(byte[] input) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.write(RecordingFormat.head().array());
    int at = 0;
    while (at + HEAD <= input.length) {
      int length =
          (input[at + 2] & 0xff) << 16 | (input[at + 3] & 0xff) << 8 | (input[at + 4] & 0xff);
      byte[] payload =
          Arrays.copyOfRange(input, at + HEAD, Math.min(at + HEAD + length, input.length));
      ByteBuffer head = ByteBuffer.allocate(RecordingFormat.BLOCK_HEAD_BYTES);
      head.put(input[at]).put(input[at + 1]).putShort((short) 0).putInt(payload.length);
      head.putInt(RecordingFormat.checksum(head.duplicate().position(0), ByteBuffer.wrap(payload)));
      out.write(head.array());
      out.write(payload);
      at += HEAD + length;
    }
    return bytes.toByteArray();
  }

  /** The first lines of logs of QEMU at both ends. */
  public static List<byte[]> logSeeds() throws IOException {
    var seeds = new ArrayList<byte[]>();
    for (String name :
        List.of(
            "qemu-7.2-dyn-idle.source.log",
            "qemu-7.2-dyn-idle.dest.log",
            "qemu-7.2-no-times.source.log",
            "qemu-7.2-mismatch-mem.dest.log",
            "qemu-7.2-dest-killed.source.log")) {
      try (InputStream in =
          Objects.requireNonNull(
              RecordingInputs.class.getResourceAsStream("../qemu/" + name), name)) {
        byte[] all = in.readAllBytes();
        int end = Math.min(all.length, 8 << 10);
        while (all[end - 1] != '\n') {
          end--;
        }
        seeds.add(Arrays.copyOf(all, end));
        seeds.add(Arrays.copyOf(all, Math.min(end, 2 << 10)));
      }
    }
    return seeds;
  }

  /** Opens a file and reads all of it, at its beginning, middle and end. */
  public static void open(Path file) throws IOException {
    try (Recording recording = Recording.open("file", file)) {
      var notes = new ArrayList<String>();
      RecordedMigration.find(List.of(recording), notes);
      for (RecordedSession session : recording.sessions()) {
        long first = session.firstNanos();
        long last = session.lastNanos();
        for (long nanos : new long[] {first, first + (last - first) / 2, last}) {
          session.moveTo(nanos);
          session.telemetry().log().read(0, Integer.MAX_VALUE);
          var _ = session.report();
          var _ = session.virtio();
        }
      }
    }
  }
}
