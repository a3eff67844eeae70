// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.virtio.Bench.Action;

/** Device states and RAM from a hostile peer. */
final class DeviceStateTest {
  private static final int QUEUE = 11;
  private static final int INDICES = QUEUE + 2 + 3 * 8;

  private final Bench bench = new Bench(16, 8, VirtioFault.NONE, new SplittableRandom(3));

  /** The state of the block device, with 5 requests made available, 4 taken, 1 completed. */
  private byte[] state() {
    while (bench.watcher.side(RingWatcher.REQUESTS).madeAvailable < 5) {
      bench.act(Action.SUBMIT);
    }
    bench.bus.stop();
    byte[] state = Bench.save(bench.bus, VirtioKind.BLOCK);
    ByteBuffer bytes = ByteBuffer.allocate(INDICES + 6 + 2 * 3);
    bytes.put(state, 0, INDICES);
    bytes.putShort((short) 4).putShort((short) 1).putShort((short) 3);
    bytes.putShort((short) 0).putShort((short) 3).putShort((short) 6);
    return bytes.array();
  }

  private static byte[] with(byte[] state, int at, int... bytes) {
    byte[] changed = state.clone();
    for (int i = 0; i < bytes.length; i++) {
      changed[at + i] = (byte) bytes[i];
    }
    return changed;
  }

  private void assertRefused(byte[] state, String message) {
    assertThatThrownBy(() -> bench.bus.load(VirtioKind.BLOCK, state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("device state: ")
        .hasMessageContaining(message);
  }

  @Test
  void load_namesTheFieldThatIsWrong() {
    byte[] good = state();
    bench.bus.load(VirtioKind.BLOCK, good);
    assertThat(Bench.save(bench.bus, VirtioKind.BLOCK)).isEqualTo(good);

    assertRefused(new byte[0], "length of 0 bytes");
    assertRefused(with(good, 0, 0x0d), "status 0x0d");
    assertRefused(with(good, 0, 0x4b), "status 0x4b");
    assertRefused(with(good, 0, 0x03), "status 0x03 with 0x00 for the queues that are not ready");
    assertRefused(with(good, 9, 2), "status 0x0f with 0x02 for the queues that are not ready");
    assertRefused(with(good, 9, 1), "3 requests in flight: a queue that is not enabled has none");
    assertRefused(with(good, 0, 0x8f), "status 0x8f");
    assertRefused(with(good, 8, 1), "features 0x300000001");
    assertRefused(with(good, 9, 0, 2), "2 queues, the device here has 1");
    assertRefused(Arrays.copyOf(good, QUEUE + 5), "virtio-blk requestq: 5 bytes are left");
    assertRefused(with(good, QUEUE, 0, 0), "size 0");
    assertRefused(with(good, QUEUE, 0, 15), "size 15: it must be a power of two");
    assertRefused(with(good, QUEUE, 0xff, 0xff), "size 65535");
    assertRefused(with(good, QUEUE, 0x80, 0), "descriptor table of 524288 bytes");
    assertRefused(with(good, QUEUE + 9, 8), "descriptor table at 0x");
    assertRefused(with(good, QUEUE + 17, 1), "available ring at 0x");
    assertRefused(with(good, QUEUE + 25, 2), "used ring at 0x");
    assertRefused(with(good, QUEUE + 2, 0x80), "descriptor table of 256 bytes at 0x8000");
    assertRefused(with(good, QUEUE + 2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0), "mapped");
    assertRefused(with(good, QUEUE + 10, 0xff), "available ring of 38 bytes");
    assertRefused(with(good, QUEUE + 18, 1), "used ring of 134 bytes");
    assertRefused(with(good, INDICES, 0, 6), "last available index 6: the driver's is 5");
    assertRefused(with(good, INDICES, 0xff, 0xf4), "last available index 65524");
    assertRefused(with(good, INDICES + 2, 0, 5), "used index 5: the last available index is 4");
    assertRefused(with(good, INDICES + 2, 0xff, 0xf3), "used index 65523");
    assertRefused(with(good, INDICES + 4, 0, 17), "17 requests in flight");
    assertRefused(
        with(good, INDICES + 2, 0, 2),
        "3 requests in flight: from used index 2 to last available index 4 there are 2");
    assertRefused(with(good, INDICES + 4, 0, 4), "6 bytes of heads, 4 requests in flight have 8");
    assertRefused(with(good, INDICES + 4, 0, 2), "2 bytes too many");
    assertRefused(with(good, INDICES + 6, 0, 16), "head 16 of a request in flight");
    assertRefused(with(good, INDICES + 8, 0, 0), "head 0: two requests in flight have it");

    assertThat(Bench.save(bench.bus, VirtioKind.BLOCK))
        .as("refused states leave no trace")
        .isEqualTo(good);
    assertThatThrownBy(
            () -> {
              bench.bus.start();
              bench.bus.load(VirtioKind.BLOCK, good);
            })
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void load_beforeTheRamIsThere_isRefused() {
    byte[] good = state();
    bench.memory.fill((byte) 0);
    assertRefused(good, "the driver's is 0");
    byte[] untouched = Arrays.copyOf(with(good, INDICES, 0, 0, 0, 0, 0, 0), INDICES + 6);
    assertRefused(untouched, "magic 0x0 of the drivers' ledger");
  }

  /** A guest is migrated while its network driver sets the device up; the driver then goes on. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void aDeviceInTheMiddleOfItsSetUp_isLoaded_andItsDriverGoesOn(int steps) throws Exception {
    List<Vring> vrings = List.of(bench.layout.vring(1), bench.layout.vring(2));
    VirtioDevice net = bench.bus.device(VirtioKind.NET);
    net.writeStatus(0);
    for (int step = 0; step < steps; step++) {
      setUp(net, vrings, step);
    }
    bench.bus.process(VirtioKind.NET);
    bench.bus.stop();
    byte[] block = Bench.save(bench.bus, VirtioKind.BLOCK);
    byte[] state = Bench.save(bench.bus, VirtioKind.NET);
    VirtioBus there = bench.bus();
    there.load(VirtioKind.BLOCK, block);
    there.load(VirtioKind.NET, state);
    assertThat(Bench.save(there, VirtioKind.NET)).isEqualTo(state);
    there.start();
    assertThat(there.snapshot().queues()).hasSize(steps < 6 ? 1 : steps < 7 ? 2 : 3);
    VirtioDevice arrived = there.device(VirtioKind.NET);
    for (int step = steps; step < STEPS; step++) {
      setUp(arrived, vrings, step);
    }
    for (int i = 0; i < 200; i++) {
      there.sendPacket();
      there.process(VirtioKind.NET);
      there.reap();
    }
    there.publish();
    assertThat(there.check()).isEmpty();
    assertThat(there.snapshot().queues().getLast().completed()).isGreaterThan(100);
  }

  private static final int STEPS = 8;

  /** A step of a driver that sets up a network device. */
  private static void setUp(VirtioDevice net, List<Vring> vrings, int step) {
    switch (step) {
      case 0 -> net.writeStatus(Status.ACKNOWLEDGE);
      case 1 -> net.writeStatus(Status.ACKNOWLEDGE | Status.DRIVER);
      case 2 -> net.writeFeatures(net.offeredFeatures());
      case 3 -> net.writeStatus(net.status() | Status.FEATURES_OK);
      case 4 -> net.addressQueue(1, vrings.get(1));
      case 5 -> net.enableQueue(0, vrings.get(0));
      case 6 -> net.enableQueue(1, vrings.get(1));
      default -> net.writeStatus(net.status() | Status.DRIVER_OK);
    }
  }

  @Test
  void anyState_isRefusedOrHarmless() {
    int taken = 0;
    for (long seed = 1; seed <= 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench victim = stoppedBench(random);
      for (VirtioKind kind : VirtioKind.values()) {
        byte[] state = Bench.save(victim.bus, kind);
        for (int flips = random.nextInt(3); flips > 0; flips--) {
          // Mostly in the indices, where a change has most effect.
          int from = random.nextInt(4) == 0 ? 0 : Math.min(INDICES, state.length - 1);
          state[from + random.nextInt(state.length - from)] ^= (byte) (1 << random.nextInt(8));
        }
        if (random.nextInt(20) == 0) {
          state = Arrays.copyOf(state, random.nextInt(state.length + 3));
        }
        try {
          victim.bus.load(kind, state);
          taken++;
        } catch (IllegalArgumentException e) {
          assertThat(e).as("seed %d", seed).hasMessageStartingWith("device state: ");
        }
      }
      runOn(victim.bus);
    }
    assertThat(taken).isBetween(200, 790);
  }

  @Test
  void anyRam_isRefusedOrHarmless() {
    int taken = 0;
    for (long seed = 1; seed <= 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench victim = stoppedBench(random);
      byte[] block = Bench.save(victim.bus, VirtioKind.BLOCK);
      byte[] net = Bench.save(victim.bus, VirtioKind.NET);
      corrupt(victim, random);
      VirtioBus there = victim.bus();
      try {
        there.load(VirtioKind.BLOCK, block);
        there.load(VirtioKind.NET, net);
      } catch (IllegalArgumentException e) {
        assertThat(e).as("seed %d", seed).hasMessageStartingWith("device state: ");
        continue;
      }
      taken++;
      runOn(there);
    }
    assertThat(taken).isBetween(100, 398);
  }

  private static Bench stoppedBench(SplittableRandom random) {
    Bench bench = new Bench(8, 4, VirtioFault.NONE, random);
    for (int i = 0; i < 20; i++) {
      bench.act(Action.ALL[random.nextInt(5)]);
    }
    bench.bus.stop();
    return bench;
  }

  private static void corrupt(Bench victim, SplittableRandom random) {
    long ledgers = victim.layout.requests() - victim.layout.base();
    for (int i = random.nextInt(40); i > 0; i--) {
      long at = random.nextLong(random.nextInt(4) > 0 ? ledgers : victim.layout.length());
      victim.memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
    }
  }

  /** The bench's observer and the bounds of its memory segment detect any write elsewhere. */
  private static void runOn(VirtioBus bus) {
    bus.start();
    var _ = bus.check();
    for (int i = 0; i < 50; i++) {
      bus.step();
      // Devices work on even when the drivers have stopped.
      bus.process(VirtioKind.BLOCK);
      bus.process(VirtioKind.NET);
    }
    bus.publish();
    bus.changeMap();
    bus.stop();
    var _ = bus.check();
  }
}
