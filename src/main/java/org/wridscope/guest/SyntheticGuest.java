// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioKind;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.stream.StreamEnvelope;

/**
 * A guest with the RAM blocks of a PC, and threads that write to its RAM at a set rate. Its device
 * state determines every byte of its RAM, so that {@link #checkConsistency()} can verify at either
 * end of a migration that both belong together. With 1 MiB of RAM or more it also has virtio
 * devices.
 */
public final class SyntheticGuest implements MachineGuest {
  /** Index of the block that the workload writes to. */
  static final int PC_RAM = 0;

  private final long ramBytes;
  private final boolean prefault;
  private final AnonymousRam ram = new AnonymousRam();
  private final SyntheticContent content = new SyntheticContent(ram);
  private final WorkloadThreads workload = new WorkloadThreads(ram.blocks());
  private final RunState state = new RunState();
  private final RunControl runControl = new RunControl(this);
  private final List<GuestDevice> devices = new ArrayList<>();
  private final List<GuestDevice> guestDevices = Collections.unmodifiableList(devices);

  /** Null in a guest that has no room for them. */
  private @Nullable VirtioDevices virtio;

  private @Nullable RamDigester digester;

  private SyntheticGuest(long ramBytes, boolean prefault) {
    this.ramBytes = ramBytes;
    this.prefault = prefault;
    devices.add(
        new GuestDevice("wridscope-workload", this::saveDeviceState, this::loadDeviceState));
  }

  /**
   * A guest that has booted: its RAM is filled, and its workload runs.
   *
   * @throws GuestException when there is not enough memory, or the thread was interrupted
   */
  public static SyntheticGuest boot(SyntheticGuestConfig config) throws GuestException {
    return boot(config, _ -> {});
  }

  /**
   * The same, and reports how far it is.
   *
   * @param ready receives the bytes of RAM that were filled, piece by piece, from several threads
   * @throws GuestException when there is not enough memory, or the thread was interrupted
   */
  public static SyntheticGuest boot(SyntheticGuestConfig config, LongConsumer ready)
      throws GuestException {
    return make(
        config,
        guest -> {
          guest.content.fill(config, ready);
          if (guest.virtio != null) {
            guest.virtio.boot(config.virtioLoad());
          }
          guest.workload.install(
              new SyntheticState(config, Collections.nCopies(config.writers(), 0L), 0));
          guest.resume();
        });
  }

  /**
   * A paused guest, its RAM all zero, for a migration to fill. It uses only the size of the RAM,
   * prefault and the virtio fault of the configuration; the rest comes with the device state.
   *
   * @throws GuestException when there is not enough memory
   */
  public static SyntheticGuest incoming(SyntheticGuestConfig config) throws GuestException {
    return make(config, _ -> {});
  }

  private record Layout(String name, long length) {}

  /**
   * In the order in which QEMU migrates the blocks of its machine {@code pc}; in a small guest no
   * block is larger than its RAM.
   */
  private static List<Layout> layout(long ramBytes) {
    return List.of(
        new Layout("pc.ram", ramBytes),
        new Layout("0000:00:02.0/vga.vram", Math.min(16 << 20, ramBytes)),
        new Layout("/rom@etc/acpi/tables", Math.min(128 << 10, ramBytes)),
        new Layout("pc.bios", Math.min(256 << 10, ramBytes)),
        new Layout("pc.rom", Math.min(128 << 10, ramBytes)),
        new Layout("/rom@etc/table-loader", 4 << 10));
  }

  private interface Preparation {
    void prepare(SyntheticGuest guest) throws IOException;
  }

  private static SyntheticGuest make(SyntheticGuestConfig config, Preparation preparation)
      throws GuestException {
    requireMemory(config);
    SyntheticGuest guest = new SyntheticGuest(config.ramBytes(), config.prefault());
    try {
      for (Layout layout : layout(config.ramBytes())) {
        guest.ram.add(layout.name(), layout.length());
      }
      if (config.virtioBytes() > 0) {
        guest.add(new VirtioDevices(guest.ramBlocks(), PC_RAM, config.virtioVariant()));
      }
      preparation.prepare(guest);
      return guest;
    } catch (IOException e) {
      guest.close();
      throw new GuestException(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException | Error e) {
      guest.close();
      throw e;
    }
  }

  private static void requireMemory(SyntheticGuestConfig config) throws GuestException {
    long total = layout(config.ramBytes()).stream().mapToLong(Layout::length).sum();
    long dirty = (config.dirtyRate() > 0 ? config.workingSet() : 0) + config.balloonBytes();
    AnonymousRam.requireAvailable(
        config.prefault()
            ? total
            : Math.min(total, (long) (total * (1 - config.zeroShare())) + dirty),
        "the guest needs %s of memory, but only %s are available; give it less RAM or"
            + " close other programs");
  }

  private void add(VirtioDevices virtio) {
    this.virtio = virtio;
    for (VirtioKind kind : VirtioKind.values()) {
      devices.add(
          new GuestDevice(
              kind.deviceName(),
              () -> {
                state.requirePaused();
                return virtio.save(kind);
              },
              bytes -> {
                state.requireLoadable();
                virtio.load(kind, bytes);
              }));
    }
  }

  @Override
  public String machineType() {
    return StreamEnvelope.OWN_MACHINE_TYPE + "synthetic";
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return ram.blocks();
  }

  @Override
  public void prepare(LongConsumer ready) throws GuestException {
    if (prefault) {
      try {
        content.populate(ready);
      } catch (IOException e) {
        throw new GuestException(String.valueOf(e.getMessage()), e);
      }
    }
  }

  @Override
  public DirtyLog dirtyLog() {
    var logs = new ArrayList<>(workload.logs());
    if (virtio != null) {
      logs.add(virtio.log());
    }
    return new DirtyLogs(logs);
  }

  @Override
  public void setMemoryHints(MemoryHints hints) {
    workload.setMemoryHints(hints);
  }

  @Override
  public List<GuestDevice> devices() {
    return guestDevices;
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return Optional.ofNullable(virtio).map(VirtioDevices::snapshot);
  }

  @Override
  public RunControl runControl() {
    return runControl;
  }

  @Override
  public void pause() {
    if (state.isRunning()) {
      workload.pause();
      if (virtio != null) {
        virtio.pause();
      }
      workload.settle();
      if (virtio != null) {
        virtio.stop();
      }
      state.pause();
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when it has no device state yet, or is closed
   */
  @Override
  public void resume() {
    state.requireOpen();
    if (!workload.isInstalled() || (virtio != null && !virtio.isReady())) {
      throw new IllegalStateException("the guest cannot run: it has no device state yet");
    }
    if (!state.isRunning()) {
      state.resume();
      if (virtio != null) {
        virtio.resume(digester);
      }
      workload.resume(digester);
    }
  }

  @Override
  public boolean isRunning() {
    return state.isRunning();
  }

  byte[] saveDeviceState() {
    state.requirePaused();
    return workload.state().toBytes();
  }

  void loadDeviceState(byte[] bytes) {
    state.requireLoadable();
    workload.install(SyntheticState.of(bytes, ramBytes));
  }

  @Override
  public RamDigester beginDigest() {
    state.requirePaused();
    if (digester != null) {
      digester.abandon();
    }
    digester = new RamDigester(ramBlocks());
    return digester;
  }

  /**
   * Checks that every byte of RAM is what the device state implies, and that each request of the
   * virtio devices was completed once or will be. The guest must be paused.
   *
   * @return a sentence about one byte or request that is wrong, or empty
   */
  public Optional<String> checkConsistency() {
    state.requirePaused();
    SyntheticState now = workload.state();
    List<RequestFailure> failures = virtio == null ? List.of() : virtio.check();
    if (!failures.isEmpty()) {
      return RequestFailure.firstOf(failures).map(RequestFailure::prediction);
    }
    return content.check(
        now, virtio == null ? ramBlocks().get(PC_RAM).pages() : virtio.firstPage());
  }

  @Override
  public void close() {
    if (!state.close()) {
      return;
    }
    if (digester != null) {
      digester.abandon();
    }
    try (ram) {
      workload.end();
      if (virtio != null) {
        virtio.end();
      }
    }
  }
}
