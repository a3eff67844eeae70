// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.guest.virtio.Bench.Action;

/** Status, features, suspend and reset, as in the specification and in vDPA. */
final class VirtioDeviceTest {
  private final Bench bench = new Bench(16, 8, VirtioFault.NONE, new SplittableRandom(8));
  private final GuestMemory memory = VirtioBusTest.memoryOf(bench);
  private final SplittableRandom random = new SplittableRandom(4);

  private static void assertForbidden(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }

  @Test
  void setUp_hasItsOrder() throws Exception {
    VirtioDevice device = new BlockDevice(memory, VirtioFault.NONE);
    Vring vring = bench.layout.vring(0);
    assertForbidden(() -> device.enableQueue(0, vring), "after FEATURES_OK");
    device.writeStatus(Status.ACKNOWLEDGE);
    device.writeStatus(Status.ACKNOWLEDGE | Status.DRIVER);
    assertForbidden(() -> device.writeStatus(Status.DRIVER), "a bit of the status was cleared");
    assertForbidden(() -> device.writeStatus(Status.RUNNING), "VERSION_1 must be negotiated");
    assertForbidden(() -> device.writeFeatures(1L << 50), "not offered");
    device.writeFeatures(device.offeredFeatures());
    assertForbidden(
        () -> device.writeStatus(device.status() | Status.DRIVER_OK), "after FEATURES_OK");
    device.writeStatus(device.status() | Status.FEATURES_OK);
    assertForbidden(() -> device.writeFeatures(0), "settled");
    assertThat(device.state().queues()).containsExactly(QueueState.UNTOUCHED);
    device.addressQueue(0, vring);
    assertThat(device.state().queues().getFirst().ready()).isFalse();
    device.enableQueue(0, vring);
    assertThat(device.state().queues().getFirst().ready()).isTrue();
    assertForbidden(device::suspend, "only a device that was set up");
    device.writeStatus(Status.RUNNING);
    assertForbidden(() -> device.enableQueue(0, vring), "before DRIVER_OK");
    assertForbidden(device::state, "must be suspended");
    assertForbidden(device::resume, "was not suspended");
    device.suspend();
    assertThat(device.state().status()).isEqualTo(Status.RUNNING);
    device.writeStatus(0);
    assertThat(device.status()).isZero();
    assertThat(device.state().queues()).containsExactly(QueueState.UNTOUCHED);
  }

  @Test
  void aQueueThatIsNotReady_isLeftAlone() throws Exception {
    VirtioDevice device = new BlockDevice(memory, VirtioFault.NONE);
    Vring vring = bench.layout.vring(0);
    DeviceSetup.begin(device);
    device.addressQueue(0, vring);
    device.writeStatus(Status.RUNNING);
    vring.clear(memory);
    vring.makeAvailable(memory, 3);
    work(device);
    assertThat(device.queueStates().getFirst().lastAvail()).isZero();
    assertThat(device.trouble()).isNull();
    device.suspend();
    VirtioDevice again = new BlockDevice(memory, VirtioFault.NONE);
    again.restore(device.state());
    assertThat(again.queueStates()).isEqualTo(device.queueStates());
    assertThat(again.status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void aDeviceThatWasStopped_isGone() {
    VirtioDevice device = bench.bus.device(VirtioKind.BLOCK);
    bench.bus.stop();
    assertForbidden(() -> device.process(random), "it was destroyed");
    assertForbidden(device::suspend, "it was destroyed");
    assertForbidden(() -> device.writeStatus(0), "it was destroyed");
    assertForbidden(() -> bench.bus.device(VirtioKind.BLOCK), "does not run");
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtioFault.class,
      names = {"NONE", "INDEX_KEPT_AT_RESET"})
  void reset_clearsTheIndices_exceptInAWrongDevice(VirtioFault fault) {
    Bench busy = new Bench(16, 8, fault, new SplittableRandom(1));
    for (int i = 0; i < 20; i++) {
      busy.act(Action.SUBMIT);
      busy.act(Action.PROCESS_BLOCK);
    }
    VirtioDevice device = busy.bus.device(VirtioKind.BLOCK);
    int before = device.queueStates().getFirst().lastAvail();
    assertThat(before).isPositive();
    device.writeStatus(0);
    assertThat(device.queueStates()).isEmpty();
    DeviceSetup.begin(device);
    device.enableQueue(0, busy.layout.vring(0));
    QueueState after = device.queueStates().getFirst();
    assertThat(after.lastAvail()).isEqualTo(fault == VirtioFault.NONE ? 0 : before);
    assertThat(after.inFlight()).isEmpty();
  }

  @Test
  void restore_goesOnAtTheIndicesRead() throws Exception {
    VirtioDevice device = bench.bus.device(VirtioKind.BLOCK);
    while (device.queueStates().getFirst().used() < 3
        || device.queueStates().getFirst().inFlight().isEmpty()) {
      bench.act(Action.SUBMIT);
      bench.act(Action.PROCESS_BLOCK);
      bench.act(Action.REAP);
    }
    DeviceState state = bench.bus.device(VirtioKind.BLOCK).stop();
    assertThat(state.queues().getFirst().inFlight()).isNotEmpty();
    VirtioDevice again = new BlockDevice(memory, VirtioFault.NONE);
    again.restore(state);
    assertThat(again.queueStates()).isEqualTo(state.queues());
    again.suspend();
    assertThat(again.state()).isEqualTo(state);
  }

  @Test
  void aRingThatMakesNoSense_hasTheDeviceNeedAReset() throws Exception {
    Vring vring = bench.layout.vring(0);
    for (int head : new int[] {16, 65535}) {
      VirtioDevice device = fresh(vring);
      vring.clear(memory);
      vring.makeAvailable(memory, head);
      work(device);
      assertThat(device.status() & Status.NEEDS_RESET).isNotZero();
      assertThat(device.trouble()).contains("head " + head);
    }
    VirtioDevice far = fresh(vring);
    vring.clear(memory);
    memory.putU16(vring.avail() + 2, 17);
    work(far);
    assertThat(far.trouble()).contains("available index is 17, the device's 0");
    far.suspend();
    VirtioDevice again = new BlockDevice(memory, VirtioFault.NONE);
    again.restore(far.state());
    assertThat(again.status() & Status.NEEDS_RESET).isNotZero();
    again.writeStatus(0);
    assertThat(again.trouble()).isNull();
  }

  private VirtioDevice fresh(Vring vring) {
    VirtioDevice device = new BlockDevice(memory, VirtioFault.NONE);
    DeviceSetup.begin(device);
    DeviceSetup.finish(device, List.of(vring));
    return device;
  }

  private void work(VirtioDevice device) {
    for (int i = 0; i < 100; i++) {
      device.process(random);
    }
  }

  @Test
  void requests_areExecutedHoweverTheyAreFramed() throws RingException {
    Vring vring = bench.layout.vring(0);
    long buffer = bench.layout.requests();
    VirtioDevice device = fresh(vring);
    vring.clear(memory);
    memory.fill(buffer, 1024, 0);
    memory.putU64(buffer + 8, 77);
    int next = Vring.F_NEXT;
    int write = Vring.F_WRITE;
    vring.putDescriptor(memory, 5, new Vring.Descriptor(buffer, 3, next, 2));
    vring.putDescriptor(memory, 2, new Vring.Descriptor(buffer + 3, 13, next, 9));
    vring.putDescriptor(memory, 9, new Vring.Descriptor(buffer + 16, 100, next | write, 1));
    vring.putDescriptor(memory, 1, new Vring.Descriptor(buffer + 116, 413, write, 0));
    memory.putU8(buffer + 528, 0xff);
    vring.makeAvailable(memory, 5);
    work(device);
    assertThat(device.trouble()).isNull();
    assertThat(vring.usedIndex(memory)).isEqualTo(1);
    assertThat(vring.usedEntry(memory, 0)).isEqualTo(new Vring.Used(5, 513));
    assertThat(memory.read(buffer + 16, 512)).isEqualTo(Disk.read(77));
    assertThat(memory.u8(buffer + 528)).isZero();
  }

  @Test
  void requestsThatCannotBeServed_getAStatusThatSaysSo() throws RingException {
    assertThat(status(BlockDevice.T_IN, Disk.SECTORS - 1)).isZero();
    assertThat(status(BlockDevice.T_IN, Disk.SECTORS)).isEqualTo(1);
    assertThat(status(BlockDevice.T_IN, -1)).isEqualTo(1);
    assertThat(status(1, 0)).as("the disk is read-only").isEqualTo(2);
  }

  private int status(int type, long sector) throws RingException {
    Vring vring = bench.layout.vring(0);
    long buffer = bench.layout.requests();
    VirtioDevice device = fresh(vring);
    vring.clear(memory);
    memory.putU32(buffer, type);
    memory.putU64(buffer + 8, sector);
    vring.putDescriptor(memory, 0, new Vring.Descriptor(buffer, 16, Vring.F_NEXT, 1));
    vring.putDescriptor(memory, 1, new Vring.Descriptor(buffer + 16, 513, Vring.F_WRITE, 0));
    vring.makeAvailable(memory, 0);
    work(device);
    assertThat(vring.usedIndex(memory)).isEqualTo(1);
    return memory.u8(buffer + 528);
  }

  @Test
  void chains_thatAreNone_areRefused() throws RingException {
    Vring vring = bench.layout.vring(0);
    long buffer = bench.layout.requests();
    var loop = new Vring.Descriptor(buffer, 1, Vring.F_NEXT, 1);
    assertChainRefused(vring, loop, "is a loop");
    assertChainRefused(vring, new Vring.Descriptor(buffer, 1, Vring.F_NEXT, 16), "table has 16");
    assertChainRefused(vring, new Vring.Descriptor(buffer, 16, 4, 0), "indirect");
    assertChainRefused(vring, new Vring.Descriptor(buffer, 1L << 31, 0, 0), "at most 1048576");
    assertChainRefused(vring, new Vring.Descriptor(Bench.BASE - 1, 1, 0, 0), "are not mapped");
    assertChainRefused(vring, new Vring.Descriptor(-1, 2, 0, 0), "are not mapped");
    assertChainRefused(
        vring, new Vring.Descriptor(Bench.BASE + bench.layout.length(), 1, 0, 0), "not mapped");
    vring.putDescriptor(memory, 2, new Vring.Descriptor(buffer, 1, 0, 0));
    assertChainRefused(
        vring,
        new Vring.Descriptor(buffer, 1, Vring.F_NEXT | Vring.F_WRITE, 2),
        "follows one to be written");
  }

  private void assertChainRefused(Vring vring, Vring.Descriptor first, String message)
      throws RingException {
    vring.putDescriptor(memory, 1, first);
    assertThatThrownBy(() -> Chain.read(memory, vring, 1))
        .isInstanceOf(RingException.class)
        .hasMessageContaining(message);
  }

  @Test
  void vrings_areLaidOutAsSpecified() throws RingException {
    assertThat(Vring.at(0x1000, 256)).isEqualTo(new Vring(256, 0x1000, 0x2000, 0x2208));
    assertThat(Vring.bytes(256)).isEqualTo(4096 + 518 + 2 + 2054);
    Vring vring = Vring.at(bench.layout.vring(0).desc(), 4);
    vring.clear(memory);
    vring.putDescriptor(memory, 1, new Vring.Descriptor(0x1122334455667788L, 0x99aabbccL, 3, 2));
    assertThat(memory.read(vring.desc() + 16, 16))
        .containsExactly(
            0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xcc, 0xbb, 0xaa, 0x99, 3, 0, 2, 0);
    memory.putU16(vring.avail() + 2, 0xffff);
    vring.makeAvailable(memory, 2);
    assertThat(memory.read(vring.avail(), 12)).containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0);
    vring.putUsed(memory, 0xffff, new Vring.Used(3, 513));
    assertThat(memory.read(vring.used() + 2, 2)).containsExactly(0, 0);
    assertThat(memory.read(vring.used() + 28, 8)).containsExactly(3, 0, 0, 0, 1, 2, 0, 0);
  }
}
