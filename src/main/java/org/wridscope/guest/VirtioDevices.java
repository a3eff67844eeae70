// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.DeviceStateException;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioBus;
import org.wridscope.guest.virtio.VirtioKind;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.guest.virtio.WriteObserver;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * The virtio devices of a guest, at the end of a RAM block, and the thread that drives them. It is
 * paused and resumed with the guest, and a separate dirty log records its writes.
 */
final class VirtioDevices {
  /** Smallest block that has room for them. */
  static final long MIN_RAM = 1 << 20;

  /** With more RAM than this, the machine {@code pc} maps RAM above {@link #LOW_RAM} at 4 GiB. */
  private static final long MAX_LOW_RAM = 0xe000_0000L;

  private static final long LOW_RAM = 0xc000_0000L;
  private static final long HIGH_RAM_ADDRESS = 1L << 32;

  private final WriteLog log;
  private final VirtioBus bus;
  private final long offset;
  private final Observer observer;
  private @Nullable Driving thread;

  /**
   * Devices that are not set up yet.
   *
   * @param blocks of the guest
   * @param block index of the one that contains them, at least {@link #MIN_RAM} long
   */
  VirtioDevices(List<RamBlock> blocks, int block, VirtioVariant variant) {
    RamBlock ram = blocks.get(block);
    offset = ram.length() - VirtioBus.LENGTH;
    log = new WriteLog(blocks, block, this::settle);
    log.cover(offset >> RamBlock.PAGE_SHIFT, VirtioBus.LENGTH >> RamBlock.PAGE_SHIFT);
    observer = new Observer(block, log);
    bus =
        new VirtioBus(
            ram.memory().asSlice(offset, VirtioBus.LENGTH),
            offset,
            address(ram.length(), offset),
            observer,
            variant);
  }

  /** The guest physical address of a byte of {@code pc.ram}. */
  static long address(long ramBytes, long offset) {
    return ramBytes <= MAX_LOW_RAM || offset < LOW_RAM
        ? offset
        : offset - LOW_RAM + HIGH_RAM_ADDRESS;
  }

  /** The first page of the block that belongs to the devices, as do all following ones. */
  long firstPage() {
    return offset >> RamBlock.PAGE_SHIFT;
  }

  /** The pages that were written. */
  WriteLog log() {
    return log;
  }

  /**
   * The state of a device; the devices must be stopped.
   *
   * @throws GuestException when its firmware refused to be suspended, or to tell its state
   */
  byte[] save(VirtioKind kind) throws GuestException {
    try {
      return bus.save(kind);
    } catch (DeviceStateException e) {
      throw new GuestException(
          "The guest's device cannot be migrated: %s.".formatted(e.getMessage()), e);
    }
  }

  /**
   * Loads the state of a device, once the RAM is complete.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  void load(VirtioKind kind, byte[] state) {
    bus.load(kind, state);
  }

  /** Sets up the devices in a guest that boots. */
  void boot(VirtioLoad load) {
    bus.boot(load);
  }

  /** Whether the devices were set up, or have loaded their state. */
  boolean isReady() {
    return bus.isReady();
  }

  /** Asks the thread to pause; {@link #stop} waits until it has. */
  void pause() {
    if (thread != null) {
      thread.pause();
    }
  }

  /** Waits until the current step of the thread, if any, is complete. */
  void settle() {
    locked(() -> {});
  }

  /** Stops the devices, once the thread is paused, so that their state can be saved. */
  void stop() {
    locked(bus::stop);
  }

  void resume(@Nullable RamDigester digester) {
    locked(() -> {
      observer.digester = digester;
      bus.start();
    });
    double rate = bus.load().requestsPerSecond();
    if (thread == null && rate > 0) {
      thread = new Driving(bus, rate);
      thread.begin();
    }
    if (thread != null) {
      thread.resume();
    }
  }

  private void locked(Runnable action) {
    if (thread == null) {
      action.run();
    } else {
      thread.locked(action);
    }
  }

  /** Requests that were not or will not be completed exactly once and in order. */
  List<RequestFailure> check() {
    List<RequestFailure> failures = new ArrayList<>();
    locked(() -> failures.addAll(bus.check()));
    return failures;
  }

  VirtioSnapshot snapshot() {
    return bus.snapshot();
  }

  /** Ends the thread. */
  void end() {
    if (thread != null) {
      thread.end();
      thread.join();
    }
  }

  /** Updates digest and dirty log with each write. */
  private static final class Observer implements WriteObserver {
    private final int block;
    private final WriteLog log;
    private @Nullable RamDigester digester;

    Observer(int block, WriteLog log) {
      this.block = block;
      this.log = log;
    }

    @Override
    public void beforeWrite(long offset, long length) {
      if (digester != null) {
        digester.beforeWrite(block, offset, length);
      }
    }

    @Override
    public void written(long offset, long length) {
      long last = (offset + length - 1) >> RamBlock.PAGE_SHIFT;
      for (long page = offset >> RamBlock.PAGE_SHIFT; page <= last; page++) {
        log.mark(page);
      }
    }
  }

  /** Runs drivers and devices. */
  private static final class Driving extends GuestThread {
    private final VirtioBus bus;

    Driving(VirtioBus bus, double rate) {
      super("guest-virtio", rate);
      this.bus = bus;
    }

    @Override
    boolean step() {
      bus.step();
      return true;
    }

    @Override
    void stepsDone() {
      bus.publish();
    }
  }
}
