// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.SavedStreamWriter;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.stream.VmDescription;

/**
 * A guest that comes in and is kept in a file as a migration stream, for QEMU to load or for a
 * {@link SavedGuest}.
 *
 * <p>Its RAM is anonymous memory until all of it has arrived, and is written to the file then. It
 * has to be in physical memory anyway, since a source may write to any chunk that was once
 * registered up to the end, without this side hearing of it; a chunk is final only then. And it
 * cannot be a mapping of the file: Linux refuses to pin pages of a shared file mapping for a device
 * to write to (since 6.5, {@code writable_file_mapping_allowed} in mm/gup.c).
 */
public final class CapturedGuest implements Guest {
  /** Our own limit: what a source sends behind its RAM, which is on the order of a megabyte. */
  private static final long MAX_REST = 4L << 30;

  private final PartFile file;
  private final SavedStreamWriter writer;
  private final List<NativeMemory> memories = new ArrayList<>();
  private final List<RamBlock> blocks = new ArrayList<>();
  private @Nullable StreamEnvelope envelope;
  private @Nullable DeviceStates states;
  private long restFrom;
  private long rest;
  private boolean closed;

  private CapturedGuest(PartFile file) {
    this.file = file;
    writer = new SavedStreamWriter(file.channel());
  }

  /** As {@link #create(Output)}, where nothing is replaced. */
  public static CapturedGuest create(Path out) throws IOException {
    return create(Output.of("capture", out, FileKind.STREAM));
  }

  /**
   * A guest that may be anyone's. Its file is a {@link Leftover} beside {@code out} until {@link
   * #commit}; when this is closed before, it is deleted unless it is to be {@linkplain #keep kept}.
   *
   * @param out what the file is called in the end
   * @throws OutputException when there cannot be such a file, or one is in the way
   * @throws GuestException when it cannot be written
   */
  public static CapturedGuest create(Output out) throws IOException {
    try {
      return new CapturedGuest(PartFile.create(out));
    } catch (OutputException e) {
      throw e;
    } catch (IOException e) {
      throw unwritable(out.path(), e);
    }
  }

  private static GuestException unwritable(Path target, IOException e) {
    return new GuestException(
        "capture %s: it cannot be written: %s".formatted(target, Target.reason(e)), e);
  }

  /** What the file is called once it was committed, and what it is to be called before. */
  public Path target() {
    return file.target();
  }

  /**
   * Makes the RAM, all zero. Once.
   *
   * @throws GuestException when there is not enough memory
   */
  public void prepare(List<BlockListing> listings) throws GuestException {
    long needed = listings.stream().mapToLong(BlockListing::length).sum();
    long available = AvailableMemory.bytes();
    if (needed > available) {
      throw new GuestException(
          String.format(
              Locale.ROOT,
              "the guest has %.2f GiB of RAM, and only %.2f GiB of memory are available to capture"
                  + " it; close other programs or take another host",
              needed / 0x1p30,
              available / 0x1p30));
    }
    try {
      for (BlockListing listing : listings) {
        NativeMemory memory = NativeMemory.allocate(listing.length());
        memories.add(memory);
        blocks.add(new RamBlock(listing.name(), memory.segment()));
      }
    } catch (IOException e) {
      throw new GuestException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Empty until {@link #prepare}. */
  @Override
  public List<RamBlock> ramBlocks() {
    return Collections.unmodifiableList(blocks);
  }

  /**
   * Writes the RAM, which is complete now, to the file. Once.
   *
   * @throws GuestException when it cannot be written
   */
  public void writeRam(StreamEnvelope surrounding, Checkpoint checkpoint) throws IOException {
    envelope = surrounding;
    var stopped = new ArrayList<IOException>(1);
    try {
      writer.ram(
          surrounding,
          blocks,
          () -> {
            try {
              checkpoint.pass();
            } catch (IOException e) {
              stopped.add(e);
              throw e;
            }
          });
      restFrom = file.channel().position();
      states = new DeviceStates(file, restFrom);
    } catch (IOException e) {
      throw stopped.isEmpty() ? unwritable(target(), e) : e;
    }
  }

  /**
   * Takes what follows the RAM; {@link #write} writes it.
   *
   * @throws GuestException when it has no end
   */
  public void append(byte[] bytes, int offset, int length) throws GuestException {
    rest += length;
    if (rest > MAX_REST) {
      throw new GuestException(
          "The source sent more than %d bytes of device state; it seems to have no end"
              .formatted(MAX_REST));
    }
    behindRam().add(bytes, offset, length);
  }

  /**
   * Writes what was {@linkplain #append taken} to the file. After an error nothing is lost, and it
   * can be tried again.
   *
   * @throws GuestException when it cannot be written
   */
  public void write() throws GuestException {
    try {
      behindRam().write();
    } catch (IOException e) {
      throw unwritable(target(), e);
    }
  }

  private DeviceStates behindRam() {
    if (states == null) {
      throw new IllegalStateException("the RAM comes first");
    }
    return states;
  }

  /** Whether a description of the machine says that all has come. */
  public boolean isDescribed() throws IOException {
    return VmDescription.isAtEnd(file.channel(), restFrom);
  }

  /**
   * Whether all has come as far as that can be told: a stream without a description, of an old
   * machine type, ends in a zero byte, which may also be one of many.
   */
  public boolean mayBeComplete() throws IOException {
    StreamEnvelope known = envelope;
    return known != null
        && !known.needsDescription()
        && VmDescription.endsInEof(file.channel(), restFrom);
  }

  /**
   * Makes what came so far durable; may take long. From any thread, one at a time. After an error
   * nothing is lost, and it can be tried again.
   *
   * @throws GuestException when it cannot be written
   */
  public void force() throws GuestException {
    try {
      behindRam().force();
    } catch (IOException e) {
      throw unwritable(target(), e);
    }
  }

  /** The source has given the guest up, or may have: from now on the file is never deleted. */
  public void keep() {
    file.keep();
  }

  public boolean isKept() {
    return file.isKept();
  }

  /**
   * Has the file's name say that it is complete; all of it must be durable.
   *
   * @throws GuestException when it cannot be renamed
   */
  public void markComplete() throws GuestException {
    try {
      file.markComplete();
    } catch (IOException e) {
      throw unwritable(target(), e);
    }
  }

  /** Where the file is now. */
  public Path path() {
    return file.path();
  }

  @Override
  public boolean isRunning() {
    return false;
  }

  @Override
  public RamDigester beginDigest() {
    return new RamDigester(blocks);
  }

  /**
   * Gives the file its name, once all of it is on the storage device. Harmless when that was done.
   *
   * @throws GuestException when it cannot be done
   */
  @Override
  public void commit() throws GuestException {
    try {
      file.commit();
    } catch (IOException e) {
      throw new GuestException(
          "capture %s: it could not be completed: %s".formatted(target(), Target.reason(e)), e);
    }
  }

  @Override
  public @Nullable String displaced() {
    return file.displaced();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      memories.forEach(NativeMemory::close);
      file.close();
    }
  }
}
