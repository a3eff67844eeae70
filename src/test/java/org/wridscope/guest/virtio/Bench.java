// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

/** A bus in its own memory, with its dirty pages and a watcher of its rings. */
final class Bench implements WriteObserver {
  static final long BASE = 0x1_0000_0000L;
  private static final long OFFSET = 5L * VirtioLayout.PAGE;

  /** The steps of a schedule. */
  enum Action {
    SUBMIT,
    SEND,
    PROCESS_BLOCK,
    PROCESS_NET,
    REAP,
    SUSPEND_AND_RESUME,
    STOP_AND_START,
    CHANGE_MAP,
    DRIVER_RESET,
    MIGRATE;

    static final Action[] ALL = values();

    /** Mostly an action of a busy guest. */
    static Action random(SplittableRandom random) {
      return ALL[random.nextInt(8) > 0 ? random.nextInt(5) : random.nextInt(ALL.length)];
    }
  }

  final VirtioLayout layout;
  private final VirtioBus.DeviceMaker maker;
  private final VirtioPolicy policy;
  private final SplittableRandom random;
  final BitSet dirty = new BitSet();
  MemorySegment memory;
  VirtioBus bus;
  final RingWatcher watcher;

  Bench(int blockSize, int netSize, VirtioFault fault, SplittableRandom random) {
    this(
        blockSize,
        netSize,
        (kind, memory) -> kind.make(memory, fault),
        VirtioPolicy.WHOLE_STATE,
        random);
  }

  Bench(
      int blockSize,
      int netSize,
      VirtioBus.DeviceMaker maker,
      VirtioPolicy policy,
      SplittableRandom random) {
    layout = new VirtioLayout(BASE, blockSize, netSize);
    this.maker = maker;
    this.policy = policy;
    this.random = random;
    memory = memory(layout);
    bus = bus();
    bus.boot(VirtioLoad.IDLE);
    watcher = new RingWatcher(layout);
    bus.start();
    observe();
  }

  private static MemorySegment memory(VirtioLayout layout) {
    return MemorySegment.ofArray(new byte[Math.toIntExact(layout.length())]);
  }

  VirtioBus bus() {
    return new VirtioBus(layout, memory, OFFSET, this, maker, policy, random.nextLong());
  }

  @Override
  public void beforeWrite(long offset, long length) {
    assertThat(length).isPositive();
    assertThat(offset).isBetween(OFFSET, OFFSET + layout.length() - length);
  }

  @Override
  public void written(long offset, long length) {
    int first = (int) ((offset - OFFSET) / VirtioLayout.PAGE);
    dirty.set(first, (int) ((offset + length - 1 - OFFSET) / VirtioLayout.PAGE) + 1);
  }

  void observe() {
    watcher.observe(memory);
  }

  void act(Action action) {
    switch (action) {
      case SUBMIT -> bus.submitRequest();
      case SEND -> bus.sendPacket();
      case PROCESS_BLOCK -> bus.process(VirtioKind.BLOCK);
      case PROCESS_NET -> bus.process(VirtioKind.NET);
      case REAP -> bus.reap();
      case SUSPEND_AND_RESUME -> suspendAndResume(kind());
      case STOP_AND_START -> {
        stopped();
        bus.start();
      }
      case CHANGE_MAP -> {
        MemorySegment moved = memory(layout).copyFrom(memory);
        MemorySegment left = memory;
        memory = moved;
        bus.changeMap(moved);
        // Any access to the old memory is noticed.
        left.fill((byte) 0x5a);
      }
      case DRIVER_RESET -> {
        VirtioKind kind = kind();
        bus.reset(kind);
        watcher.expectReset(kind);
      }
      case MIGRATE -> migrate();
    }
    observe();
  }

  /**
   * Advances all indices of all queues as after so many requests.
   *
   * @param by a multiple of each queue's size
   */
  void advanceIndices(int by) {
    bus.stop();
    byte[] block = save(bus, VirtioKind.BLOCK);
    byte[] net = save(bus, VirtioKind.NET);
    for (int queue = 0; queue < 3; queue++) {
      Vring vring = layout.vring(queue);
      advance(vring.avail() + 2, by);
      advance(vring.used() + 2, by);
      advance(layout.queueLedger(queue), by);
      watcher.advance(queue, by);
    }
    bus = bus();
    load(VirtioKind.BLOCK, block, by);
    load(VirtioKind.NET, net, by);
    bus.start();
    observe();
  }

  private void advance(long address, int by) {
    long at = address - BASE;
    memory.set(RingWatcher.LE16, at, (short) (memory.get(RingWatcher.LE16, at) + by));
  }

  private void load(VirtioKind kind, byte[] state, int by) {
    ByteBuffer bytes = ByteBuffer.wrap(state);
    int at = 11;
    for (int i = 0; i < kind.queues().size(); i++) {
      int indices = at + 2 + 3 * Long.BYTES;
      bytes.putShort(indices, (short) (bytes.getShort(indices) + by));
      bytes.putShort(indices + 2, (short) (bytes.getShort(indices + 2) + by));
      at = indices + 6 + Short.BYTES * bytes.getShort(indices + 4);
    }
    bus.load(kind, state);
  }

  private VirtioKind kind() {
    return VirtioKind.values()[random.nextInt(2)];
  }

  /** The state of a device whose firmware refuses nothing. */
  static byte[] save(VirtioBus bus, VirtioKind kind) {
    try {
      return bus.save(kind);
    } catch (DeviceStateException e) {
      throw new AssertionError(e);
    }
  }

  private void suspendAndResume(VirtioKind kind) {
    VirtioDevice device = bus.device(kind);
    try {
      device.suspend();
    } catch (DeviceStateException e) {
      throw new AssertionError(e);
    }
    List<QueueState> known = device.queueStates();
    byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);
    for (int i = 0; i < 5; i++) {
      device.process(random);
    }
    assertThat(device.queueStates()).isEqualTo(known);
    assertThat(memory.mismatch(MemorySegment.ofArray(before))).isEqualTo(-1);
    device.resume();
  }

  private void stopped() {
    byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);
    bus.stop();
    assertThat(memory.mismatch(MemorySegment.ofArray(before))).isEqualTo(-1);
  }

  /** Continues in another bus, whose memory was copied in two rounds. */
  private void migrate() {
    MemorySegment there = memory(layout).copyFrom(memory);
    dirty.clear();
    for (int i = random.nextInt(30); i > 0; i--) {
      act(Action.ALL[random.nextInt(5)]);
    }
    stopped();
    dirty.stream().forEach(page -> copyPage(memory, there, page));
    assertThat(there.mismatch(memory)).as("the dirty log misses a page").isEqualTo(-1);
    byte[] block = save(bus, VirtioKind.BLOCK);
    byte[] net = save(bus, VirtioKind.NET);
    memory.fill((byte) 0x5a);
    memory = there;
    bus = bus();
    bus.load(VirtioKind.BLOCK, block);
    bus.load(VirtioKind.NET, net);
    assertThat(save(bus, VirtioKind.BLOCK)).isEqualTo(block);
    assertThat(save(bus, VirtioKind.NET)).isEqualTo(net);
    bus.start();
  }

  private static void copyPage(MemorySegment from, MemorySegment to, int page) {
    long at = (long) page * VirtioLayout.PAGE;
    MemorySegment.copy(from, at, to, at, VirtioLayout.PAGE);
  }

  /** Lets devices and drivers finish what was submitted. */
  void drain() {
    for (int i = 0; i < 400; i++) {
      act(Action.PROCESS_BLOCK);
      act(Action.PROCESS_NET);
      act(Action.REAP);
    }
  }
}
