// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.memory.RamBlock;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.SavedStreamWriter;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.stream.VmDescription;

/**
 * An incoming guest that is written to a file as a migration stream, which QEMU can load and a
 * {@link SavedGuest} can send.
 *
 * <p>Its RAM is anonymous memory until all of it has arrived, and is then written to the file. It
 * must be in physical memory anyway: until the end a source may write to any chunk that was once
 * registered, and this side does not notice. And it cannot be a mapping of the file: Linux refuses
 * to pin pages of a shared file mapping for a device to write to (since 6.5, {@code
 * writable_file_mapping_allowed} in mm/gup.c).
 */
public final class CapturedGuest implements Guest {
  /** Our own limit for what a source sends after its RAM, usually about a megabyte. */
  private static final long MAX_REST = 4L << 30;

  private final PartFile file;
  private final SavedStreamWriter writer;
  private AnonymousRam ram = new AnonymousRam();

  /** Null if all RAM fits into the available memory. */
  private @Nullable ScarceRoom scarce;

  private @Nullable StreamEnvelope envelope;
  private @Nullable DeviceStates states;
  private long restFrom;
  private long rest;
  private boolean closed;

  private CapturedGuest(PartFile file) {
    this.file = file;
    writer = new SavedStreamWriter(file.channel());
  }

  /** As {@link #create(Output)}, without replacing a file. */
  public static CapturedGuest create(Path out) throws IOException {
    return create(Output.of("capture", out, FileKind.STREAM));
  }

  /**
   * A guest of any QEMU or Wridscope. Until {@link #commit} its file is a {@link Leftover} in the
   * directory of {@code out}; when this is closed before, it is deleted unless it is {@linkplain
   * #keep kept}.
   *
   * @param out the final name of the file
   * @throws OutputException when there cannot be such a file, or one has the name already
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

  /** The final name of the file. */
  public Path target() {
    return file.target();
  }

  /**
   * Allocates the RAM, all zero. To be called once, and again after {@link #release}.
   *
   * @param whole whether all of it will have memory, rather than what the guest has touched
   * @throws GuestException when there is not enough memory
   */
  public void prepare(List<BlockListing> listings, boolean whole) throws GuestException {
    long needed = listings.stream().mapToLong(BlockListing::length).sum();
    LongSupplier memory = ScarceRoom.memory;
    long available = memory.getAsLong();
    scarce =
        whole || needed <= available || !ScarceRoom.mayDo(needed, available)
            ? null
            : new ScarceRoom(
                memory,
                "the guest has touched more of its RAM than there is memory for here, of which %s"
                    + " are left; close other programs or use another host");
    if (scarce == null) {
      AnonymousRam.requireAvailable(
          needed,
          "the guest has %s of RAM, and only %s of memory are available to capture it;"
              + " close other programs or use another host");
    }
    try {
      for (BlockListing listing : listings) {
        if (scarce == null) {
          ram.add(listing.name(), listing.length());
        } else {
          ram.addSparse(listing.name(), listing.length());
        }
      }
    } catch (IOException e) {
      throw new GuestException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * To be called before RAM is registered, which may give it memory.
   *
   * @throws GuestException when the guest has touched more than fits into this machine
   */
  public void take(long bytes) throws GuestException {
    if (scarce != null) {
      scarce.take(bytes);
    }
  }

  /** Frees the RAM, of which nothing was written to the file. */
  public void release() {
    ram.close();
    ram = new AnonymousRam();
  }

  /** Empty until {@link #prepare}. */
  @Override
  public List<RamBlock> ramBlocks() {
    return ram.blocks();
  }

  /**
   * Writes the RAM to the file, once it is complete. To be called once.
   *
   * @throws GuestException when it cannot be written
   */
  public void writeRam(StreamEnvelope surrounding, Checkpoint checkpoint) throws IOException {
    envelope = surrounding;
    var stoppable = new StoppableCheckpoint(checkpoint);
    try {
      writer.ram(surrounding, ram.blocks(), stoppable);
      restFrom = file.channel().position();
      states = new DeviceStates(file, restFrom);
    } catch (IOException e) {
      throw stoppable.hasThrown() ? e : unwritable(target(), e);
    }
  }

  /**
   * Adds bytes that follow the RAM; {@link #write} writes them.
   *
   * @throws GuestException when they exceed 4 GiB
   */
  public void append(byte[] bytes, int offset, int length) throws GuestException {
    rest += length;
    if (rest > MAX_REST) {
      throw new GuestException(
          "The source sent more than %d bytes of device state; it seems endless"
              .formatted(MAX_REST));
    }
    afterRam().add(bytes, offset, length);
  }

  /**
   * Writes what was {@linkplain #append added} to the file. After an error nothing is lost, and it
   * can be tried again.
   *
   * @throws GuestException when it cannot be written
   */
  public void write() throws GuestException {
    try {
      afterRam().write();
    } catch (IOException e) {
      throw unwritable(target(), e);
    }
  }

  private DeviceStates afterRam() {
    if (states == null) {
      throw new IllegalStateException("the RAM must be written first");
    }
    return states;
  }

  /** Whether the description of the machine, which ends a stream, has arrived. */
  public boolean isDescribed() throws IOException {
    return VmDescription.isAtEnd(file.channel(), restFrom);
  }

  /**
   * Whether the stream may have ended: one of an old machine type has no description and ends in a
   * zero byte, but such a byte may also occur before the end.
   */
  public boolean mayBeComplete() throws IOException {
    StreamEnvelope known = envelope;
    return known != null
        && !known.needsDescription()
        && VmDescription.endsInEof(file.channel(), restFrom);
  }

  /**
   * Writes what has arrived to the storage device, which may take long. May be called by any
   * thread, one at a time. After an error nothing is lost, and it can be tried again.
   *
   * @throws GuestException when it cannot be written
   */
  public void force() throws GuestException {
    try {
      afterRam().force();
    } catch (IOException e) {
      throw unwritable(target(), e);
    }
  }

  /** Never deletes the file from now on, since the source may have given the guest up. */
  public void keep() {
    file.keep();
  }

  public boolean isKept() {
    return file.isKept();
  }

  /**
   * Renames the file so that its name tells that it is complete; it must be on the storage device.
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

  /** The current path of the file. */
  public Path path() {
    return file.path();
  }

  @Override
  public boolean isRunning() {
    return false;
  }

  /**
   * Writes the file to the storage device and renames it to its final name. Does nothing when that
   * was done.
   *
   * @throws GuestException when that fails
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
      try (file) {
        ram.close();
      }
    }
  }
}
