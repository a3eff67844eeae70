// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.stream.StreamEnvelope;

/**
 * A guest whose RAM is a file, for example a RAM dump or the memory file of a virtual machine. It
 * has no threads and never writes to its RAM; that it runs is only a flag.
 */
public final class ImageGuest implements MachineGuest {
  private static final int STATE_VERSION = 1;
  private static final int STATE_LENGTH = Integer.BYTES + Long.BYTES;

  private final NativeMemory memory;
  private final @Nullable OutputFile output;
  private final List<RamBlock> blocks;
  private final List<GuestDevice> devices =
      List.of(new GuestDevice("wridscope-image", this::saveDeviceState, this::loadDeviceState));
  private final DirtyLog log = new EmptyLog();
  private final RunState state = new RunState();
  private final RunControl runControl = new RunControl(this);

  /** Null if there is room for all RAM, or the guest is here already. */
  private @Nullable ScarceRoom scarce;

  private ImageGuest(NativeMemory memory, @Nullable OutputFile output) {
    this.memory = memory;
    this.output = output;
    blocks = List.of(new RamBlock("pc.ram", memory));
  }

  /**
   * A running guest whose RAM has the content of a file. The file is never changed, even if the RAM
   * is.
   *
   * @throws GuestException when the file cannot be the RAM of a guest
   */
  public static ImageGuest open(Path file) throws GuestException {
    if (!Files.exists(file)) {
      throw new GuestException("image %s: there is no such file".formatted(file));
    }
    if (!Files.isRegularFile(file)) {
      throw new GuestException(
          "image %s: it is %s; name a regular file"
              .formatted(file, Files.isDirectory(file) ? "a directory" : "not a regular file"));
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long length = channel.size();
      requireWholePages(file, length);
      ImageGuest guest = new ImageGuest(NativeMemory.mapPrivate(file, length), null);
      guest.resume();
      return guest;
    } catch (GuestException e) {
      throw e;
    } catch (IOException e) {
      throw new GuestException(
          "image %s: it cannot be read: %s".formatted(file, Target.reason(e)), e);
    }
  }

  /**
   * A paused guest, its RAM all zero, for a migration to fill. Until {@link #commit} the RAM is a
   * file with a temporary name in the directory of {@code out}; when the guest is closed before, it
   * is deleted. It uses disk space only where something is written.
   *
   * @param out the final name of the file
   * @param length in bytes
   * @throws OutputException when there cannot be such a file, or one has the name already
   * @throws GuestException when it cannot be written
   */
  public static ImageGuest incoming(Output out, long length) throws IOException {
    requireWholePages(out.path(), length);
    Path target = Target.resolve(out.field(), out.path());
    try {
      FileStore store = Files.getFileStore(target.resolveSibling("."));
      long free = usable(store);
      if (free < length && !ScarceRoom.mayDo(length, free)) {
        throw new GuestException(
            "image %s: it needs %d bytes, but only %d are free there; make room or name another place"
                .formatted(out.path(), length, free));
      }
      OutputFile output = OutputFile.create(out, length);
      var guest = new ImageGuest(output.memory(), output);
      if (free < length) {
        guest.scarce =
            new ScarceRoom(
                () -> usable(store),
                "image %s: the guest has touched more of its RAM than there is room for, of which %%s are left; make room or name another place"
                    .formatted(String.valueOf(out.path()).replace("%", "%%")));
      }
      return guest;
    } catch (GuestException | OutputException e) {
      throw e;
    } catch (IOException e) {
      throw new GuestException(
          "image %s: it cannot be written: %s".formatted(out.path(), Target.reason(e)), e);
    }
  }

  /** Bytes that a file system has free; of one in memory at most those that are available. */
  private static long usable(FileStore store) {
    try {
      long free = store.getUsableSpace();
      return store.type().equals("tmpfs") ? Math.min(free, ScarceRoom.memory.getAsLong()) : free;
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public void take(long bytes) throws GuestException {
    ScarceRoom room = scarce;
    if (room != null) {
      room.take(bytes);
    }
  }

  /** As {@link #incoming(Output, long)}, without replacing a file. */
  public static ImageGuest incoming(Path out, long length) throws IOException {
    return incoming(Output.of("image", out, FileKind.RAM), length);
  }

  private static void requireWholePages(Path file, long length) throws GuestException {
    if (length == 0) {
      throw new GuestException(
          "image %s: it is empty; at least one page of %d bytes is needed"
              .formatted(file, RamBlock.PAGE_SIZE));
    }
    if (length < 0 || length % RamBlock.PAGE_SIZE != 0) {
      throw new GuestException(
          "image %s: its length of %d bytes is not a multiple of the page size, %d"
              .formatted(file, length, RamBlock.PAGE_SIZE));
    }
  }

  /**
   * Writes the file of an {@link #incoming} guest to the storage device, and then renames it to its
   * final name. Does nothing when that was done.
   *
   * @throws GuestException when that fails
   * @throws IllegalStateException when the guest was opened from an image, or is closed
   */
  @Override
  public void commit() throws GuestException {
    state.requireOpen();
    if (output == null) {
      throw new IllegalStateException("the guest has no file to commit");
    }
    try {
      output.commit();
    } catch (IOException e) {
      throw new GuestException(
          "image %s: it could not be completed: %s".formatted(output.target(), Target.reason(e)),
          e);
    }
  }

  @Override
  public @Nullable String displaced() {
    return output == null ? null : output.displaced();
  }

  @Override
  public String machineType() {
    return StreamEnvelope.OWN_MACHINE_TYPE + "image";
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return blocks;
  }

  @Override
  public DirtyLog dirtyLog() {
    return log;
  }

  @Override
  public List<GuestDevice> devices() {
    return devices;
  }

  @Override
  public RunControl runControl() {
    return runControl;
  }

  @Override
  public void pause() {
    state.pause();
  }

  @Override
  public void resume() {
    state.resume();
  }

  @Override
  public boolean isRunning() {
    return state.isRunning();
  }

  /** All big-endian: u32 version 1; u64 length in bytes. */
  byte[] saveDeviceState() {
    state.requirePaused();
    return ByteBuffer.allocate(STATE_LENGTH)
        .putInt(STATE_VERSION)
        .putLong(blocks.getFirst().length())
        .array();
  }

  void loadDeviceState(byte[] saved) {
    state.requireLoadable();
    check(
        saved.length == STATE_LENGTH,
        "length of %d bytes, %d are needed".formatted(saved.length, STATE_LENGTH));
    ByteBuffer bytes = ByteBuffer.wrap(saved);
    int version = bytes.getInt();
    check(
        version == STATE_VERSION,
        "version %d, only %d is known".formatted(Integer.toUnsignedLong(version), STATE_VERSION));
    long length = bytes.getLong();
    long own = blocks.getFirst().length();
    check(
        length == own,
        "image of %s bytes, this guest has %d".formatted(Long.toUnsignedString(length), own));
  }

  private static void check(boolean fine, String message) {
    if (!fine) {
      throw new IllegalArgumentException("device state: " + message);
    }
  }

  @Override
  public RamDigester beginDigest() {
    state.requirePaused();
    return new RamDigester(blocks);
  }

  @Override
  public void close() {
    if (state.close()) {
      if (output == null) {
        memory.close();
      } else {
        output.close();
      }
    }
  }

  /** The dirty log of a guest that never writes. */
  private static final class EmptyLog implements DirtyLog {

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public void fetchAndClear(int block, DirtyBitmap into) {}
  }
}
