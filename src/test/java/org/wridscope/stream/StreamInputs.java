// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;

/** Passes any bytes to the readers of streams. */
public final class StreamInputs {
  private StreamInputs() {}

  /** Streams of QEMU and of Wridscope. */
  public static List<byte[]> seeds() throws IOException {
    byte[] ours =
        Messages.written(
                writer -> {
                  writer.header("pc-q35-7.2");
                  writer.ramStart(List.of(new BlockListing("ram", 1 << 20)));
                  writer.ramEos();
                  writer.ramPart();
                  writer.ramEos();
                  writer.ramEnd();
                  writer.ramEos();
                  writer.device("cpu", 0, 1, new byte[40]);
                  writer.end(writer.vmDescription());
                })
            .input()
            .readAllBytes();
    return List.of(ours, StreamCommandTest.told(), recorded("qemu-7.2-pc.stream"));
  }

  private static byte[] recorded(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(StreamInputs.class.getResourceAsStream(name), name)) {
      return in.readAllBytes();
    }
  }

  public static List<byte[]> savedSeeds() throws IOException {
    return List.of(SavedStreamTest.saved(), recorded("qemu-7.2-pc-whole.stream"));
  }

  /** Reads the bytes as messages that end where the reader stops. */
  private static InputStream input(byte[] bytes) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int available() {
        return 0;
      }
    };
  }

  public static void read(byte[] input) throws IOException {
    new MigrationStreamReader(input(input))
        .read(
            new StreamHandler() {
              @Override
              public void machine(String machineType) {}

              @Override
              public void ramBlocks(List<BlockListing> blocks) {}

              @Override
              public void hook(RamPhase phase) {}

              @Override
              public void device(String idstr, int instance, int version, byte[] body) {}
            });
  }

  public static void readOpaque(byte[] input) throws IOException {
    new OpaqueStreamReader(input(input))
        .read(
            new OpaqueStreamHandler() {
              @Override
              public void ramBlocks(@Nullable String machineType, List<BlockListing> blocks) {}

              @Override
              public void hook(RamPhase phase) {}

              @Override
              public void ramComplete(StreamEnvelope envelope) {}

              @Override
              public void tail(InputStream rest) throws IOException {
                rest.transferTo(OutputStream.nullOutputStream());
              }
            });
  }

  /** Reads the bytes as a saved stream, like a source: the whole index, and some RAM. */
  public static void readSaved(Path file) throws IOException {
    try (SavedStream stream = SavedStream.open(file);
        Arena arena = Arena.ofConfined()) {
      stream.index(() -> {});
      for (int i = 0; i < stream.blocks().size(); i++) {
        long length = Math.min(4 * RamBlock.PAGE_SIZE, stream.blocks().get(i).length());
        stream.fetch(i, 0, arena.allocate(length));
      }
      try (InputStream tail = stream.tail()) {
        tail.transferTo(OutputStream.nullOutputStream());
      }
    }
  }
}
