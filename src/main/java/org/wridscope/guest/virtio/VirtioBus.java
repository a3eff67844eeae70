// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The virtio devices of a guest and their drivers. Rings, buffers and all that the drivers know lie
 * in {@link #LENGTH} bytes of RAM; what the devices know does not.
 *
 * <p>While it runs there are device objects, made for the memory map of the time. To stop is to
 * suspend them, read what they know, reset and destroy them; to start is to make new ones that go
 * on there. One thread at a time may call its methods, but any {@link #snapshot}.
 */
public final class VirtioBus {
  /** Of the RAM that it needs, in bytes; a multiple of the page size. */
  public static final long LENGTH = VirtioLayout.at(0).length();

  private static final List<String> QUEUES =
      Stream.of(VirtioKind.values()).flatMap(kind -> kind.queues().stream()).toList();

  private final VirtioLayout layout;
  private final long offset;
  private final WriteObserver observer;
  private final VirtioFault fault;
  private final SplittableRandom random;

  private MemorySegment memory;
  private GuestMemory mapped;
  private BlockDriver block;
  private NetDriver net;
  private Ledger ledger;

  private final Map<VirtioKind, DeviceState> states = new EnumMap<>(VirtioKind.class);
  private final Map<VirtioKind, VirtioDevice> devices = new EnumMap<>(VirtioKind.class);
  private VirtioLoad load = VirtioLoad.IDLE;
  private List<QueueSnapshot> begun = List.of();
  private volatile VirtioSnapshot snapshot = VirtioSnapshot.NOTHING;

  /**
   * Devices that are not set up yet.
   *
   * @param memory {@link #LENGTH} bytes of RAM
   * @param offset of its first byte in the RAM block, for the observer
   * @param address of its first byte in guest memory, a multiple of the page size
   * @param fault that each device has
   */
  public VirtioBus(
      MemorySegment memory, long offset, long address, WriteObserver observer, VirtioFault fault) {
    this(VirtioLayout.at(address), memory, offset, observer, fault, 1);
  }

  VirtioBus(
      VirtioLayout layout,
      MemorySegment memory,
      long offset,
      WriteObserver observer,
      VirtioFault fault,
      long seed) {
    if (memory.byteSize() != layout.length()) {
      throw new IllegalArgumentException(
          "%d bytes of memory: %d are needed".formatted(memory.byteSize(), layout.length()));
    }
    this.layout = layout;
    this.offset = offset;
    this.observer = observer;
    this.fault = fault;
    random = new SplittableRandom(seed);
    this.memory = memory;
    mapped = new GuestMemory(randomMap(), observer);
    block = new BlockDriver(mapped, layout);
    net = new NetDriver(mapped, layout);
    ledger = new Ledger(mapped, layout.ledger(), QUEUES);
  }

  // ------------------------------------------------------------------------ the memory map

  /** All of the memory in a few pieces, cut at pages, as memory listeners report it. */
  private MemoryMap randomMap() {
    List<MemoryMap.Mapping> pieces = new ArrayList<>();
    long length = memory.byteSize();
    long at = 0;
    while (at < length) {
      long pages = (length - at) / VirtioLayout.PAGE;
      long piece = (1 + random.nextLong(pages)) * VirtioLayout.PAGE;
      pieces.add(new MemoryMap.Mapping(layout.base() + at, memory.asSlice(at, piece), offset + at));
      at += piece;
    }
    return new MemoryMap(pieces);
  }

  private void remap(MemorySegment memory) {
    this.memory = memory;
    mapped = new GuestMemory(randomMap(), observer);
    block = new BlockDriver(mapped, layout);
    net = new NetDriver(mapped, layout);
    ledger = new Ledger(mapped, layout.ledger(), QUEUES);
  }

  /** Changes the memory map: running devices are stopped, destroyed, made anew and started. */
  public void changeMap() {
    changeMap(memory);
  }

  /** As {@link #changeMap()}, with RAM that has moved. */
  void changeMap(MemorySegment moved) {
    boolean running = isRunning();
    stop();
    remap(moved);
    if (running) {
      start();
    }
    drive(() -> ledger.countMapChange());
  }

  // ------------------------------------------------------------------------ start and stop

  /** Sets devices and drivers up in the guest that boots, and leaves them stopped. */
  public void boot(VirtioLoad load) {
    this.load = load;
    memory.fill((byte) 0);
    for (VirtioKind kind : VirtioKind.values()) {
      devices.put(kind, kind.make(mapped, fault));
    }
    drive(() -> {
      ledger.begin(load);
      block.begin(device(VirtioKind.BLOCK));
      net.begin(device(VirtioKind.NET));
    });
    stop();
  }

  /** Whether the devices have a state to start from, or run. */
  public boolean isReady() {
    return isRunning() || states.size() == VirtioKind.values().length;
  }

  boolean isRunning() {
    return !devices.isEmpty();
  }

  /** Makes devices that go on where the last ones stood. Harmless when they run. */
  public void start() {
    if (isRunning()) {
      return;
    }
    if (!isReady()) {
      throw new IllegalStateException("the virtio devices have no state to start from");
    }
    states.forEach((kind, state) -> {
      VirtioDevice device = kind.make(mapped, fault);
      device.restore(state);
      devices.put(kind, device);
    });
    states.clear();
    recordFirst(check());
    if (begun.isEmpty()) {
      begun = queueSnapshots();
    }
    publish();
  }

  /** Suspends the devices, keeps what they know, and destroys them. Harmless when stopped. */
  public void stop() {
    devices.forEach((kind, device) -> states.put(kind, device.stop()));
    devices.clear();
    publish();
  }

  /** What a device knows, for {@link #load}; the devices must be stopped. */
  public byte[] save(VirtioKind kind) {
    DeviceState state = states.get(kind);
    if (state == null) {
      throw new IllegalStateException("%s is not stopped".formatted(kind.deviceName()));
    }
    return state.toBytes();
  }

  /**
   * Takes over what a device knew elsewhere. The RAM must be here already, as its queues lie in it.
   *
   * @throws IllegalArgumentException when the bytes or the RAM are not those of such a device; says
   *     which field is wrong
   */
  public void load(VirtioKind kind, byte[] state) {
    if (isRunning()) {
      throw new IllegalStateException("%s is not stopped".formatted(kind.deviceName()));
    }
    DeviceState loaded = DeviceState.of(state, mapped, kind.features(), kind.queues());
    VirtioLoad found;
    try {
      found = ledger.load();
    } catch (RingException e) {
      throw unmapped(e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("device state: " + e.getMessage(), e);
    }
    load = found;
    states.put(kind, loaded);
    if (isReady()) {
      publish();
    }
  }

  // -------------------------------------------------------------------------------- driving

  /** What the drivers do; known after boot or load. */
  public VirtioLoad load() {
    return load;
  }

  /**
   * Does about one request's worth of work, as it comes: a driver submits, devices take and
   * complete, drivers look at what came back, and now and then the memory map changes or a driver
   * resets its device. Nothing happens after a failure. {@link #publish} shows what came of it.
   */
  public void step() {
    if (hasFailure()) {
      return;
    }
    if (random.nextBoolean()) {
      submitRequest();
    } else {
      sendPacket();
    }
    process(VirtioKind.BLOCK);
    process(VirtioKind.NET);
    if (random.nextBoolean()) {
      reap();
    }
    if (isDue(load.mapChangeEvery())) {
      changeMap();
    }
    if (isDue(load.resetEvery())) {
      reset(random.nextBoolean() ? VirtioKind.BLOCK : VirtioKind.NET);
    }
  }

  private boolean isDue(int every) {
    return every > 0 && random.nextInt(every) == 0;
  }

  void submitRequest() {
    drive(() -> {
      var _ = block.submit(random);
    });
  }

  void sendPacket() {
    drive(() -> {
      var _ = net.send();
    });
  }

  void process(VirtioKind kind) {
    VirtioDevice device = device(kind);
    device.process(random);
    if (device.trouble() != null) {
      recordTrouble(kind);
    }
  }

  void reap() {
    drive(() -> {
      block.reap();
      net.reap();
    });
  }

  void reset(VirtioKind kind) {
    drive(() -> {
      ledger.countReset();
      switch (kind) {
        case BLOCK -> block.reset(device(kind));
        case NET -> net.reset(device(kind));
      }
    });
    recordFirst(check());
  }

  VirtioDevice device(VirtioKind kind) {
    VirtioDevice device = devices.get(kind);
    if (device == null) {
      throw new IllegalStateException("%s does not run".formatted(kind.deviceName()));
    }
    return device;
  }

  private interface Driving {
    void run() throws RingException, RequestFailureException;
  }

  /** Has the drivers do something, unless a failure has stopped them. */
  private void drive(Driving action) {
    try {
      if (ledger.failure() == null) {
        action.run();
      }
    } catch (RequestFailureException e) {
      recordFirst(List.of(e.failure()));
    } catch (RingException e) {
      throw unmapped(e);
    }
  }

  private static IllegalStateException unmapped(RingException e) {
    return new IllegalStateException("all memory of the drivers is mapped", e);
  }

  // ------------------------------------------------------------------------------- the check

  /**
   * Holds what the drivers have submitted against what rings and devices know of it.
   *
   * @return the requests that were, or will be, lost or completed twice or out of order; those that
   *     a driver noticed come first
   */
  public List<RequestFailure> check() {
    List<RequestFailure> failures = new ArrayList<>();
    try {
      RequestFailure first = ledger.failure();
      if (first != null) {
        failures.add(first);
      }
      for (Sides sides : sides()) {
        for (RequestFailure failure : VirtioCheck.check(sides.driver, sides.device)) {
          if (!failure.equals(first)) {
            failures.add(failure);
          }
        }
      }
    } catch (RingException e) {
      throw unmapped(e);
    }
    return failures;
  }

  private record Sides(DriverQueue driver, QueueState device) {}

  /** Both sides of each queue that was set up. */
  private List<Sides> sides() {
    List<DriverQueue> drivers = List.of(block.queue(), net.receive(), net.transmit());
    List<Sides> sides = new ArrayList<>();
    int first = 0;
    for (VirtioKind kind : VirtioKind.values()) {
      List<QueueState> known = known(kind);
      for (int i = 0; i < known.size(); i++) {
        sides.add(new Sides(drivers.get(first + i), known.get(i)));
      }
      first += kind.queues().size();
    }
    return sides;
  }

  private List<QueueState> known(VirtioKind kind) {
    VirtioDevice device = devices.get(kind);
    if (device != null) {
      return device.queueStates();
    }
    DeviceState state = states.get(kind);
    return state == null ? List.of() : state.queues();
  }

  private boolean hasFailure() {
    return failure() != null;
  }

  private @Nullable RequestFailure failure() {
    try {
      return ledger.failure();
    } catch (RingException e) {
      throw unmapped(e);
    }
  }

  private void recordFirst(List<RequestFailure> failures) {
    if (!failures.isEmpty()) {
      try {
        ledger.record(failures.getFirst());
      } catch (RingException e) {
        throw unmapped(e);
      }
    }
  }

  /** A device that needs a reset completes nothing more, whatever the rings say. */
  private void recordTrouble(VirtioKind kind) {
    recordFirst(check());
    try {
      DriverQueue first = kind == VirtioKind.BLOCK ? block.queue() : net.transmit();
      ledger.record(new RequestFailure(RequestFailure.Kind.BROKEN, first.name(), first.oldest()));
    } catch (RingException e) {
      throw unmapped(e);
    }
  }

  // ---------------------------------------------------------------------------- the snapshot

  /** As of the last start, stop or {@link #publish}; for any thread. */
  public VirtioSnapshot snapshot() {
    return snapshot;
  }

  /** Has {@link #snapshot} show things as they are now. */
  public void publish() {
    try {
      snapshot =
          new VirtioSnapshot(
              isRunning(),
              queueSnapshots(),
              begun,
              ledger.mapChanges(),
              ledger.resets(),
              Optional.ofNullable(ledger.failure()));
    } catch (RingException e) {
      throw unmapped(e);
    }
  }

  private List<QueueSnapshot> queueSnapshots() {
    List<QueueSnapshot> queues = new ArrayList<>();
    try {
      for (Sides sides : sides()) {
        queues.add(QueueSnapshot.of(sides.driver, sides.device));
      }
    } catch (RingException e) {
      throw unmapped(e);
    }
    return queues;
  }
}
