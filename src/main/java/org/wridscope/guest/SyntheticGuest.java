// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioKind;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.Parallel;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * A guest with the RAM blocks of a PC, and threads that write to its RAM at a set rate. What its
 * RAM holds at any moment follows from its device state, so that {@link #checkConsistency()} can
 * tell on either side of a migration whether both belong together. With 1 MiB of RAM or more it has
 * virtio devices, too.
 */
public final class SyntheticGuest implements MachineGuest {
  /** Index of the block that the workload writes to. */
  private static final int PC_RAM = 0;

  /** Threads that fill or check RAM: with more, memory is what limits. */
  private static final int MAX_HELPERS = 8;

  private final long ramBytes;
  private final List<NativeMemory> memories = new ArrayList<>();
  private final List<RamBlock> blocks = new ArrayList<>();
  private final List<RamBlock> ramBlocks = Collections.unmodifiableList(blocks);
  private final WriteLog log = new WriteLog(blocks, PC_RAM, this::settle);
  private final WriteLog balloonLog = new WriteLog(blocks, PC_RAM, this::settle);
  private final List<GuestDevice> devices = new ArrayList<>();
  private final List<GuestDevice> guestDevices = Collections.unmodifiableList(devices);

  /** Null in a guest that has no room for them. */
  private @Nullable VirtioDevices virtio;

  /** As of the moment of boot or load; null in a guest that has got none yet. */
  private @Nullable SyntheticState origin;

  private List<Writer> writers = List.of();
  private @Nullable BalloonDriver balloon;

  /** The writers, and the balloon's. */
  private List<RamWriter> threads = List.of();

  private volatile MemoryHints hints = MemoryHints.NONE;
  private @Nullable RamDigester digester;
  private volatile boolean running;
  private boolean ran;
  private boolean closed;

  private SyntheticGuest(long ramBytes) {
    this.ramBytes = ramBytes;
    devices.add(
        new GuestDevice("wridscope-workload", this::saveDeviceState, this::loadDeviceState));
  }

  /**
   * A guest that has booted: its RAM is filled, and its workload runs.
   *
   * @throws GuestException when there is not enough memory, or the thread was interrupted
   */
  public static SyntheticGuest boot(SyntheticGuestConfig config) throws GuestException {
    return make(
        config,
        guest -> {
          guest.fill(config);
          if (guest.virtio != null) {
            guest.virtio.boot(config.virtioLoad());
          }
          guest.install(new SyntheticState(config, Collections.nCopies(config.writers(), 0L), 0));
          guest.resume();
        });
  }

  /**
   * A guest that stands still, its RAM all zero, for a migration to fill. Of the configuration only
   * the size of the RAM and how it is backed matter; the rest comes with the device state.
   *
   * @throws GuestException when there is not enough memory
   */
  public static SyntheticGuest incoming(SyntheticGuestConfig config) throws GuestException {
    return make(
        config,
        guest -> {
          if (config.prefault()) {
            for (NativeMemory memory : guest.memories) {
              memory.populate(helpers());
            }
          }
        });
  }

  private record Layout(String name, long length) {}

  /**
   * In the order in which QEMU migrates those of its machine {@code pc}; a small guest has less
   * video memory than that machine.
   */
  private static List<Layout> layout(long ramBytes) {
    return List.of(
        new Layout("pc.ram", ramBytes),
        new Layout("0000:00:02.0/vga.vram", Math.min(16 << 20, ramBytes)),
        new Layout("/rom@etc/acpi/tables", 128 << 10),
        new Layout("pc.bios", 256 << 10),
        new Layout("pc.rom", 128 << 10),
        new Layout("/rom@etc/table-loader", 4 << 10));
  }

  private interface Preparation {
    void prepare(SyntheticGuest guest) throws IOException;
  }

  private static SyntheticGuest make(SyntheticGuestConfig config, Preparation preparation)
      throws GuestException {
    requireMemory(config);
    SyntheticGuest guest = new SyntheticGuest(config.ramBytes());
    try {
      for (Layout layout : layout(config.ramBytes())) {
        NativeMemory memory = NativeMemory.allocate(layout.length());
        guest.memories.add(memory);
        guest.blocks.add(new RamBlock(layout.name(), memory.segment()));
      }
      if (config.virtioBytes() > 0) {
        guest.add(new VirtioDevices(guest.blocks, PC_RAM, config.virtioFault()));
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

  private void add(VirtioDevices virtio) {
    this.virtio = virtio;
    for (VirtioKind kind : VirtioKind.values()) {
      devices.add(
          new GuestDevice(
              kind.deviceName(),
              () -> {
                requireStandingStill();
                return virtio.save(kind);
              },
              state -> {
                requireLoadable();
                virtio.load(kind, state);
              }));
    }
  }

  /** The kernel promises more than it has, and ends a process when it cannot keep it. */
  private static void requireMemory(SyntheticGuestConfig config) throws GuestException {
    long total = layout(config.ramBytes()).stream().mapToLong(Layout::length).sum();
    long dirty = (config.dirtyRate() > 0 ? config.workingSet() : 0) + config.balloonBytes();
    long needed =
        config.prefault()
            ? total
            : Math.min(total, (long) (total * (1 - config.zeroShare())) + dirty);
    long available = AvailableMemory.bytes();
    if (needed > available) {
      throw new GuestException(
          String.format(
              Locale.ROOT,
              "the guest needs %.2f GiB of memory, but only %.2f GiB are available; give it less"
                  + " RAM or close other programs",
              needed / 0x1p30,
              available / 0x1p30));
    }
  }

  private static int helpers() {
    return Math.min(MAX_HELPERS, Runtime.getRuntime().availableProcessors());
  }

  private void fill(SyntheticGuestConfig config) throws IOException {
    try {
      for (int i = 0; i < blocks.size(); i++) {
        NativeMemory memory = memories.get(i);
        BootContent content = bootContent(config, i);
        Parallel.forEach(
            helpers(),
            content.regions(),
            Parallel.interruptible(region -> {
              if (config.prefault()) {
                // Just before it is filled, so that the kernel's zeros are still in the cache.
                populate(memory, region * BootContent.REGION_BYTES);
              }
              content.fill(memory.segment(), (int) region);
            }));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void populate(NativeMemory memory, long offset) {
    try {
      long left = memory.segment().byteSize() - offset;
      memory.populate(offset, Math.min(BootContent.REGION_BYTES, left));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private BootContent bootContent(SyntheticGuestConfig config, int block) {
    return new BootContent(config.seed(), block, blocks.get(block).pages(), config.zeroShare());
  }

  private void install(SyntheticState state) {
    SyntheticGuestConfig config = state.config();
    Workload workload = new Workload(config);
    log.cover(workload.firstPage(), workload.pages());
    origin = state;
    MemorySegment ram = blocks.get(PC_RAM).memory();
    List<Writer> made = new ArrayList<>();
    for (int i = 0; i < config.writers() && config.dirtyRate() > 0; i++) {
      double rate = config.dirtyRate() * workload.share(i);
      if (rate > 0) {
        made.add(new Writer(workload, PC_RAM, ram, log, i, state.steps().get(i), rate));
      }
    }
    writers = List.copyOf(made);
    var all = new ArrayList<RamWriter>(made);
    if (config.balloonBytes() > 0) {
      var model = new Balloon(config);
      balloonLog.cover(0, model.pages());
      balloon =
          new BalloonDriver(
              model,
              PC_RAM,
              ram,
              balloonLog,
              state.balloonSteps(),
              (block, offset, length) -> hints.notNeeded(block, offset, length));
      all.add(balloon);
    }
    threads = List.copyOf(all);
    threads.forEach(GuestThread::begin);
  }

  @Override
  public String machineType() {
    return "wridscope-synthetic";
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return ramBlocks;
  }

  @Override
  public DirtyLog dirtyLog() {
    return new DirtyLogs(
        virtio == null ? List.of(log, balloonLog) : List.of(log, balloonLog, virtio.log()));
  }

  @Override
  public void setMemoryHints(MemoryHints hints) {
    this.hints = hints;
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
  public void pause() {
    if (running) {
      threads.forEach(GuestThread::pause);
      if (virtio != null) {
        virtio.pause();
      }
      settle();
      if (virtio != null) {
        virtio.stop();
      }
      running = false;
    }
  }

  private void settle() {
    threads.forEach(GuestThread::settle);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when it has not got its device state yet, or is closed
   */
  @Override
  public void resume() {
    requireOpen();
    if (origin == null || (virtio != null && !virtio.isReady())) {
      throw new IllegalStateException("the guest cannot run: it has got no device state yet");
    }
    if (!running) {
      running = true;
      ran = true;
      if (virtio != null) {
        virtio.resume(digester);
      }
      threads.forEach(thread -> thread.resume(digester));
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  byte[] saveDeviceState() {
    return state().toBytes();
  }

  /** The state as it is now. */
  private SyntheticState state() {
    requireStandingStill();
    if (origin == null) {
      throw new IllegalStateException("the guest has got no device state yet");
    }
    List<Long> steps = new ArrayList<>(origin.steps());
    writers.forEach(writer -> steps.set(writer.index(), writer.stepsTaken()));
    long balloonSteps = balloon == null ? origin.balloonSteps() : balloon.stepsTaken();
    return new SyntheticState(origin.config(), List.copyOf(steps), balloonSteps);
  }

  void loadDeviceState(byte[] state) {
    requireLoadable();
    SyntheticState loaded = SyntheticState.of(state, ramBytes);
    endThreads();
    install(loaded);
  }

  @Override
  public RamDigester beginDigest() {
    requireStandingStill();
    if (digester != null) {
      digester.abandon();
    }
    digester = new RamDigester(blocks);
    return digester;
  }

  /**
   * Whether every byte of RAM is what the device state implies, and each request of the virtio
   * devices was completed once or will be. The guest must stand still.
   *
   * @return empty when it is so; otherwise a sentence about one byte or request of which it is not
   */
  public Optional<String> checkConsistency() {
    SyntheticState state = state();
    List<RequestFailure> failures = virtio == null ? List.of() : virtio.check();
    if (!failures.isEmpty()) {
      return Optional.of(failures.getFirst().sentence());
    }
    Workload workload = new Workload(state.config());
    Balloon ballooned = new Balloon(state.config());
    for (int i = 0; i < blocks.size(); i++) {
      RamBlock block = blocks.get(i);
      BootContent content = bootContent(state.config(), i);
      boolean written = i == PC_RAM;
      long pages = written && virtio != null ? virtio.firstPage() : block.pages();
      AtomicReference<@Nullable String> wrong = new AtomicReference<>();
      Parallel.forEach(
          helpers(),
          content.regions(),
          region -> {
            long[] expected = new long[BootContent.WORDS];
            long page = region * BootContent.REGION;
            long end = Math.min(page + BootContent.REGION, pages);
            for (; page < end && wrong.get() == null; page++) {
              content.page(page, expected);
              if (written) {
                workload.replay(page, state.steps(), expected);
                ballooned.replay(page, state.balloonSteps(), expected);
              }
              compare(block, page, expected, wrong);
            }
          });
      if (wrong.get() != null) {
        return Optional.ofNullable(wrong.get());
      }
    }
    return Optional.empty();
  }

  private static void compare(
      RamBlock block, long page, long[] expected, AtomicReference<@Nullable String> wrong) {
    MemorySegment should = MemorySegment.ofArray(expected);
    long offset = page << RamBlock.PAGE_SHIFT;
    MemorySegment is = block.memory().asSlice(offset, RamBlock.PAGE_SIZE);
    long at = is.mismatch(should);
    if (at >= 0) {
      wrong.compareAndSet(
          null,
          "block %s page %d: the byte at offset 0x%x is %s, not the %s that the device state implies"
              .formatted(
                  block.name(),
                  page,
                  offset + at,
                  hex(is.get(ValueLayout.JAVA_BYTE, at)),
                  hex(should.get(ValueLayout.JAVA_BYTE, at))));
    }
  }

  private static String hex(byte value) {
    return "0x%02x".formatted(value);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the guest is closed");
    }
  }

  private void requireStandingStill() {
    requireOpen();
    if (running) {
      throw new IllegalStateException("the guest must stand still for this");
    }
  }

  private void requireLoadable() {
    requireStandingStill();
    if (ran) {
      throw new IllegalStateException("the guest has run already: it cannot take over a state");
    }
  }

  private void endThreads() {
    threads.forEach(GuestThread::end);
    threads.forEach(GuestThread::join);
    threads = List.of();
    writers = List.of();
    balloon = null;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    running = false;
    if (digester != null) {
      digester.abandon();
    }
    try {
      endThreads();
      if (virtio != null) {
        virtio.end();
      }
    } finally {
      memories.reversed().forEach(NativeMemory::close);
    }
  }
}
