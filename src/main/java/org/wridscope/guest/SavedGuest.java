// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.files.Target;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.memory.Residency;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.SavedStream;

/**
 * A guest that stands still in the file of a migration stream, for a source to send.
 *
 * <p>Pages lie at odd places in the file, between their records, so a device cannot send them from
 * there: each stretch of RAM is {@linkplain #fetch fetched} into anonymous memory before it is
 * looked at, and {@linkplain #discard discarded} once it has been sent. So the memory that a
 * restore takes does not depend on the size of the guest, but for eight bytes a page of the file.
 */
public final class SavedGuest implements Guest, Residency {
  private final Path file;
  private final SavedStream stream;
  private final List<NativeMemory> memories = new ArrayList<>();
  private final List<RamBlock> blocks = new ArrayList<>();
  private boolean closed;

  private SavedGuest(Path file, SavedStream stream) {
    this.file = file;
    this.stream = stream;
  }

  /**
   * Opens a file and looks at its beginning.
   *
   * @throws GuestException when it does not begin as the stream of a guest does
   */
  public static SavedGuest open(Path file) throws GuestException {
    if (!Files.exists(file)) {
      throw new GuestException("restore %s: there is no such file".formatted(file));
    }
    if (!Files.isRegularFile(file)) {
      throw new GuestException("restore %s: it is not a regular file".formatted(file));
    }
    try {
      SavedGuest guest = new SavedGuest(file, SavedStream.open(file));
      try {
        guest.map();
      } catch (Throwable e) {
        guest.close();
        throw e;
      }
      return guest;
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  private static GuestException unusable(Path file, IOException e) {
    return new GuestException(
        "restore %s: it cannot be used: %s".formatted(file, Target.reason(e)), e);
  }

  /** Addresses only: memory is taken by what is fetched. */
  private void map() throws IOException {
    for (BlockListing listing : stream.blocks()) {
      NativeMemory memory = NativeMemory.allocate(listing.length());
      memories.add(memory);
      blocks.add(new RamBlock(listing.name(), memory.segment()));
    }
  }

  /**
   * Goes through the whole file, which finds out whether it can be used; once, before any of its
   * RAM is fetched.
   *
   * @throws GuestException when it cannot be used
   */
  public void index(Checkpoint checkpoint) throws IOException {
    var stopped = new ArrayList<IOException>(1);
    try {
      stream.index(() -> {
        try {
          checkpoint.pass();
        } catch (IOException e) {
          stopped.add(e);
          throw e;
        }
      });
    } catch (IOException e) {
      throw stopped.isEmpty() ? unusable(file, e) : e;
    }
  }

  public Path file() {
    return file;
  }

  /** The stream that surrounds the RAM. */
  public SavedStream stream() {
    return stream;
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return blocks;
  }

  @Override
  public void fetch(int block, long offset, long length) throws IOException {
    try {
      stream.fetch(block, offset, blocks.get(block).memory().asSlice(offset, length));
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  @Override
  public void discard(int block, long offset, long length) {
    memories.get(block).discard(offset, length);
  }

  @Override
  public boolean isRunning() {
    return false;
  }

  @Override
  public RamDigester beginDigest() {
    return new RamDigester(blocks, this);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      memories.forEach(NativeMemory::close);
      try {
        stream.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
