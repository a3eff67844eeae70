// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.wridscope.files.Target;
import org.wridscope.memory.Holes;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.memory.Residency;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.SavedStream;

/**
 * A stopped guest in the file of a migration stream, for a source to send.
 *
 * <p>Pages are not aligned in the file, where records stand between them, so a device cannot send
 * them from there: each stretch of RAM is {@linkplain #fetch fetched} into anonymous memory before
 * it is read, and {@linkplain #discard discarded} after it was sent. So the memory that a restore
 * needs does not depend on the size of the guest, except for eight bytes for each page of the file.
 */
public final class SavedGuest implements Guest, Residency {
  /** A file of at least one in so many bytes of RAM is fetched into huge pages. */
  private static final int DENSE = 8;

  private final Path file;
  private final SavedStream stream;
  private final AnonymousRam ram = new AnonymousRam();
  private boolean closed;

  private SavedGuest(Path file, SavedStream stream) {
    this.file = file;
    this.stream = stream;
  }

  /**
   * Opens a file and reads its beginning.
   *
   * @throws GuestException when it does not begin like the stream of a guest
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

  /** Reserves addresses; physical memory is used only by what is fetched. */
  private void map() throws IOException {
    long all = stream.blocks().stream().mapToLong(BlockListing::length).sum();
    // Where what is fetched lies apart, huge pages would be mostly zeros.
    boolean sparse = Files.size(file) < all / DENSE;
    for (BlockListing listing : stream.blocks()) {
      int block = ram.blocks().size();
      ram.add(listing.name(), listing.length(), new PagesOfFile(stream, block), sparse);
    }
  }

  /** What RAM has that is in a file, whichever part of it is in memory. */
  private record PagesOfFile(SavedStream stream, int block) implements Holes {
    @Override
    public long nextData(long from, long end) {
      return stream.nextData(block, from, end);
    }

    @Override
    public OptionalLong existing(long length) {
      return OptionalLong.of(stream.existing(block));
    }
  }

  /**
   * Reads through the whole file, and so checks whether it can be used. To be called once, before
   * RAM is fetched.
   *
   * @throws GuestException when it cannot be used
   */
  public void index(Checkpoint checkpoint) throws IOException {
    var stoppable = new StoppableCheckpoint(checkpoint);
    try {
      stream.index(stoppable);
    } catch (IOException e) {
      throw stoppable.hasThrown() ? e : unusable(file, e);
    }
  }

  /** The stream that surrounds the RAM. */
  public SavedStream stream() {
    return stream;
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return ram.blocks();
  }

  @Override
  public void fetch(int block, long offset, long length) throws IOException {
    try {
      stream.fetch(block, offset, ram.memory(block).segment().asSlice(offset, length));
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  @Override
  public void discard(int block, long offset, long length) {
    ram.memory(block).discard(offset, length);
  }

  @Override
  public boolean isRunning() {
    return false;
  }

  @Override
  public RamDigester beginDigest() {
    return new RamDigester(ram.blocks(), this);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ram.close();
      try {
        stream.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
