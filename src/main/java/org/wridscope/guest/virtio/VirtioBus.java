// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The virtio devices of a guest and their drivers. Rings, buffers and the state of the drivers are
 * in {@link #LENGTH} bytes of RAM; the state of the devices is not.
 *
 * <p>While the bus runs, device objects exist, made for the current memory map. Stopping suspends
 * them, reads their state, resets and destroys them; starting makes new ones that continue from
 * that state. A device whose firmware refuses to be suspended or to tell its state is kept, and
 * continues at the next start; its state cannot be saved. Methods are called by one thread at a
 * time, but {@link #snapshot} by any.
 */
public final class VirtioBus {
  /** Bytes of RAM that a bus needs, a multiple of the page size. */
  public static final long LENGTH = VirtioLayout.at(0).length();

  private final VirtioLayout layout;
  private final long offset;
  private final WriteObserver observer;
  private final DeviceMaker maker;
  private final VirtioPolicy policy;
  private final SplittableRandom random;

  private MemorySegment memory;
  private GuestMemory mapped;
  private Drivers drivers;

  private final Map<VirtioKind, DeviceState> states = new EnumMap<>(VirtioKind.class);
  private final Map<VirtioKind, VirtioDevice> devices = new EnumMap<>(VirtioKind.class);

  /** Why the state of a device is not known that was to be stopped. */
  private final Map<VirtioKind, DeviceStateException> unknown = new EnumMap<>(VirtioKind.class);

  private boolean running;
  private VirtioLoad load = VirtioLoad.IDLE;
  private List<QueueSnapshot> begun = List.of();
  private volatile VirtioSnapshot snapshot = VirtioSnapshot.NOTHING;

  /**
   * Devices that are not set up yet.
   *
   * @param memory {@link #LENGTH} bytes of RAM
   * @param offset of its first byte in the RAM block, for the observer
   * @param address of its first byte in guest memory, a multiple of the page size
   * @param variant of the devices
   */
  public VirtioBus(
      MemorySegment memory,
      long offset,
      long address,
      WriteObserver observer,
      VirtioVariant variant) {
    this(
        VirtioLayout.at(address),
        memory,
        offset,
        observer,
        (kind, mapped) -> kind.make(mapped, variant.fault()),
        variant.policy(),
        1);
  }

  /** Makes devices for a memory map. */
  interface DeviceMaker {
    VirtioDevice make(VirtioKind kind, GuestMemory memory);
  }

  VirtioBus(
      VirtioLayout layout,
      MemorySegment memory,
      long offset,
      WriteObserver observer,
      DeviceMaker maker,
      VirtioPolicy policy,
      long seed) {
    if (memory.byteSize() != layout.length()) {
      throw new IllegalArgumentException(
          "%d bytes of memory: %d are needed".formatted(memory.byteSize(), layout.length()));
    }
    this.layout = layout;
    this.offset = offset;
    this.observer = observer;
    this.maker = maker;
    this.policy = policy;
    random = new SplittableRandom(seed);
    this.memory = memory;
    mapped = new GuestMemory(randomMap(), observer);
    drivers = new Drivers(mapped, layout);
  }

  // ------------------------------------------------------------------------ the memory map

  /** The memory in a few pieces of whole pages, as a memory listener of QEMU reports it. */
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
    drivers = new Drivers(mapped, layout);
  }

  /**
   * Changes the memory map: running devices are stopped, destroyed, and new ones started. The map
   * stays as it is if the state of a device cannot be read.
   */
  public void changeMap() {
    changeMap(memory);
  }

  /** As {@link #changeMap()}, with RAM that has moved. */
  void changeMap(MemorySegment moved) {
    boolean wasRunning = running;
    stop();
    boolean possible = unknown.isEmpty();
    if (possible) {
      remap(moved);
    }
    if (wasRunning) {
      start();
    }
    if (possible) {
      drivers.countMapChange();
    }
  }

  // ------------------------------------------------------------------------ start and stop

  /** Sets up devices and drivers in a guest that boots, and leaves them stopped. */
  public void boot(VirtioLoad load) {
    this.load = load;
    memory.fill((byte) 0);
    for (VirtioKind kind : VirtioKind.values()) {
      devices.put(kind, maker.make(kind, mapped));
    }
    running = true;
    drivers.begin(load, device(VirtioKind.BLOCK), device(VirtioKind.NET));
    stop();
  }

  /** Whether the devices have a state to start from, or run. */
  public boolean isReady() {
    return devices.size() + states.size() == VirtioKind.values().length;
  }

  boolean isRunning() {
    return running;
  }

  /** Makes devices that continue where the last ones stopped. Does nothing while they run. */
  public void start() {
    if (isRunning()) {
      return;
    }
    if (!isReady()) {
      throw new IllegalStateException("the virtio devices have no state to start from");
    }
    devices.values().stream().filter(VirtioDevice::isSuspended).forEach(VirtioDevice::resume);
    states.forEach((kind, state) -> {
      VirtioDevice device = maker.make(kind, mapped);
      device.restore(state);
      devices.put(kind, device);
    });
    states.clear();
    unknown.clear();
    running = true;
    predictFailure();
    if (begun.isEmpty()) {
      begun = drivers.queues(this::known);
    }
    publish();
  }

  /** Suspends the devices, keeps their state, and destroys them. Does nothing when stopped. */
  public void stop() {
    if (running) {
      running = false;
      for (VirtioKind kind : VirtioKind.values()) {
        stop(kind);
      }
    }
    publish();
  }

  private void stop(VirtioKind kind) {
    VirtioDevice device = devices.get(kind);
    if (device == null) {
      return;
    }
    try {
      states.put(kind, carriedOver(device.stop()));
      devices.remove(kind);
    } catch (DeviceStateException e) {
      unknown.put(kind, e);
    }
  }

  private DeviceState carriedOver(DeviceState known) {
    List<QueueState> queues = new ArrayList<>();
    for (QueueState queue : known.queues()) {
      try {
        queues.add(policy.of(queue, mapped));
      } catch (RingException e) {
        throw new IllegalStateException("a device that was set up has its rings mapped", e);
      }
    }
    return new DeviceState(known.status(), known.features(), queues);
  }

  /**
   * The state of a device, for {@link #load}; the devices must be stopped.
   *
   * @throws DeviceStateException when its firmware refused to be suspended, or to tell its state
   */
  public byte[] save(VirtioKind kind) throws DeviceStateException {
    DeviceStateException why = unknown.get(kind);
    if (why != null) {
      throw why;
    }
    DeviceState state = states.get(kind);
    if (state == null) {
      throw new IllegalStateException("%s is not stopped".formatted(kind.deviceName()));
    }
    return state.toBytes();
  }

  /**
   * Loads the state of a device. The RAM must have been loaded before, since the queues are in it.
   *
   * @throws IllegalArgumentException naming the wrong field, when the bytes or the RAM are not
   *     those of such a device
   */
  public void load(VirtioKind kind, byte[] state) {
    if (isRunning()) {
      throw new IllegalStateException("%s is not stopped".formatted(kind.deviceName()));
    }
    DeviceState loaded = DeviceState.of(state, mapped, kind.features(), kind.queues());
    try {
      load = drivers.load();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("device state: " + e.getMessage(), e);
    }
    states.put(kind, loaded);
    if (isReady()) {
      publish();
    }
  }

  // -------------------------------------------------------------------------------- driving

  /** The load of the drivers; known after boot or load. */
  public VirtioLoad load() {
    return load;
  }

  /**
   * Does the work of about one request, at random: a driver submits, devices take and complete,
   * drivers reap completions, and sometimes the memory map changes or a driver resets its device. A
   * failure that is only predicted changes nothing; once a driver has met one, this does nothing.
   * {@link #publish} then makes the result visible.
   */
  public void step() {
    if (drivers.haveMetFailure()) {
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
    drivers.submitRequest(random);
  }

  void sendPacket() {
    drivers.sendPacket();
  }

  void process(VirtioKind kind) {
    VirtioDevice device = device(kind);
    device.process(random);
    if (device.trouble() != null) {
      predictFailure();
      drivers.observeBroken(kind);
    }
  }

  void reap() {
    drivers.reap();
  }

  void reset(VirtioKind kind) {
    drivers.reset(kind, device(kind));
    predictFailure();
  }

  VirtioDevice device(VirtioKind kind) {
    VirtioDevice device = devices.get(kind);
    if (device == null || !running) {
      throw new IllegalStateException("%s does not run".formatted(kind.deviceName()));
    }
    return device;
  }

  // ---------------------------------------------------------------------- check and snapshot

  /**
   * Compares the requests that the drivers have submitted with the rings and the device state.
   *
   * @return the requests that are or will be lost, completed twice or out of order; one that a
   *     driver met comes first, then the first one that was predicted
   */
  public List<RequestFailure> check() {
    return drivers.check(this::known);
  }

  private void predictFailure() {
    if (!drivers.haveMetFailure()) {
      RequestFailure.firstOf(check()).ifPresent(drivers::predict);
    }
  }

  private List<QueueState> known(VirtioKind kind) {
    VirtioDevice device = devices.get(kind);
    if (device != null) {
      return device.queueStates();
    }
    DeviceState state = states.get(kind);
    return state == null ? List.of() : state.queues();
  }

  /** The devices as of the last start, stop or {@link #publish}; for any thread. */
  public VirtioSnapshot snapshot() {
    return snapshot;
  }

  /** Updates {@link #snapshot}. */
  public void publish() {
    snapshot = drivers.snapshot(isRunning(), drivers.queues(this::known), begun);
  }
}
