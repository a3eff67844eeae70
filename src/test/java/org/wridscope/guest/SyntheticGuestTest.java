// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.memory.ZeroPages;

final class SyntheticGuestTest {
  private static final long MIB = 1 << 20;

  /** A rate that keeps the writers busy all the time. */
  private static final long FLAT_OUT = 1L << 40;

  private static SyntheticGuestConfig config(long ram, long rate, long workingSet, int writers) {
    return new SyntheticGuestConfig(ram, rate, workingSet, 0.4, 99, writers, false);
  }

  private static SyntheticGuestConfig busy() {
    return config(8 * MIB, FLAT_OUT, 4 * MIB, 2);
  }

  /** Lets the guest run until its workload has written at least so many pages. */
  private static void runFor(SyntheticGuest guest, long pages) {
    boolean wasRunning = guest.isRunning();
    guest.pause();
    long goal = steps(guest) + pages;
    long start = System.nanoTime();
    do {
      guest.resume();
      LockSupport.parkNanos(500_000);
      guest.pause();
      assertThat(System.nanoTime() - start)
          .as("the workload has done %d of %d steps", steps(guest), goal)
          .isLessThan(TimeUnit.SECONDS.toNanos(30));
    } while (steps(guest) < goal);
    if (wasRunning) {
      guest.resume();
    }
  }

  private static long steps(SyntheticGuest guest) {
    return SyntheticState.of(guest.saveDeviceState(), guest.ramBlocks().getFirst().length())
        .steps()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private static void copyRam(SyntheticGuest from, SyntheticGuest to) {
    for (int i = 0; i < from.ramBlocks().size(); i++) {
      to.ramBlocks().get(i).memory().copyFrom(from.ramBlocks().get(i).memory());
    }
  }

  private static byte[] pcRam(SyntheticGuest guest) {
    return guest.ramBlocks().getFirst().memory().toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void boot_givesARunningGuestWithTheBlocksOfAPc() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(5 * MIB, 0, 0, 1))) {
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.ramBlocks())
          .extracting(RamBlock::name)
          .containsExactly(
              "pc.ram",
              "0000:00:02.0/vga.vram",
              "/rom@etc/acpi/tables",
              "pc.bios",
              "pc.rom",
              "/rom@etc/table-loader");
      assertThat(guest.ramBlocks())
          .extracting(RamBlock::length)
          .containsExactly(5 * MIB, 5 * MIB, MIB / 8, MIB / 4, MIB / 8, 4096L);
      assertThat(guest.ramBlocks()).isSameAs(guest.ramBlocks());
      guest.pause();
      assertThat(guest.checkConsistency()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void boot_sameConfiguration_givesTheSameRam(boolean prefault) throws GuestException {
    SyntheticGuestConfig config = new SyntheticGuestConfig(6 * MIB, 0, 0, 0.25, -3, 1, prefault);
    try (SyntheticGuest one = SyntheticGuest.boot(config);
        SyntheticGuest other =
            SyntheticGuest.boot(new SyntheticGuestConfig(6 * MIB, 0, 0, 0.25, -3, 1, false))) {
      one.pause();
      other.pause();
      assertThat(one.beginDigest().digest()).isEqualTo(other.beginDigest().digest());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void incoming_isAllZeroAndStandsStillUntilItHasAState(boolean prefault) throws GuestException {
    SyntheticGuestConfig config = new SyntheticGuestConfig(2 * MIB, 0, 0, 0, 1, 1, prefault);
    try (SyntheticGuest guest = SyntheticGuest.incoming(config)) {
      assertThat(guest.isRunning()).isFalse();
      for (RamBlock block : guest.ramBlocks()) {
        assertThat(ZeroPages.isZero(block.memory(), 0, block.length())).isTrue();
      }
      guest.pause();
      assertThatThrownBy(guest::resume)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no device state");
      assertThatThrownBy(guest::saveDeviceState).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(guest::checkConsistency).isInstanceOf(IllegalStateException.class);
      assertThat(guest.beginDigest().digest()).hasSize(6);
    }
  }

  @Test
  void pause_whateverTheWritersDo_leavesMemoryAndStateAsTheyAre() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(busy())) {
      for (int i = 0; i < 40; i++) {
        guest.pause();
        byte[] state = guest.saveDeviceState();
        byte[] ram = pcRam(guest);
        assertThat(guest.isRunning()).isFalse();
        LockSupport.parkNanos(2_000_000);
        assertThat(pcRam(guest)).as("round %d", i).isEqualTo(ram);
        assertThat(guest.saveDeviceState()).as("round %d", i).isEqualTo(state);
        assertThat(guest.checkConsistency()).as("round %d", i).isEmpty();
        guest.resume();
        assertThat(guest.isRunning()).isTrue();
        LockSupport.parkNanos(300_000);
      }
    }
  }

  @Test
  void pauseAndResume_inQuickSuccession_neverTearAWriteFromItsStep() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(2 * MIB, FLAT_OUT, MIB, 3))) {
      runFor(guest, 1000);
      for (int i = 0; i < 2000; i++) {
        guest.pause();
        if (i % 20 == 0) {
          assertThat(guest.checkConsistency()).as("round %d", i).isEmpty();
        }
        guest.resume();
      }
      guest.resume();
      guest.pause();
      guest.pause();
      assertThat(guest.checkConsistency()).isEmpty();
    }
  }

  @Test
  void aWriteThatTheStateDoesNotKnow_isFound() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(busy())) {
      runFor(guest, 500);
      guest.pause();
      for (int i = 0; i < guest.ramBlocks().size(); i++) {
        RamBlock block = guest.ramBlocks().get(i);
        MemorySegment memory = block.memory();
        long at = block.length() - 1 - (i == 0 ? busy().virtioBytes() : 0);
        byte was = memory.get(ValueLayout.JAVA_BYTE, at);
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ 1));
        assertThat(guest.checkConsistency()).get().asString().contains(block.name());
        memory.set(ValueLayout.JAVA_BYTE, at, was);
      }
      assertThat(guest.checkConsistency()).isEmpty();
    }
  }

  @Test
  void aStalePage_isFound() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(2 * MIB, FLAT_OUT, 64 << 10, 1));
        Arena arena = Arena.ofConfined()) {
      MemorySegment ram = guest.ramBlocks().getFirst().memory();
      runFor(guest, 100);
      guest.pause();
      MemorySegment before = arena.allocate(ram.byteSize(), 4096).copyFrom(ram);
      runFor(guest, 100);
      long stale = ram.mismatch(before) & -RamBlock.PAGE_SIZE;
      MemorySegment.copy(before, stale, ram, stale, RamBlock.PAGE_SIZE);
      assertThat(guest.checkConsistency())
          .get()
          .asString()
          .contains("pc.ram page " + stale / RamBlock.PAGE_SIZE);
    }
  }

  @Test
  void dirtyLog_reportsExactlyThePagesThatChanged() throws GuestException {
    // A virtio device may write bytes that do not change the memory.
    SyntheticGuestConfig config = busy().withVirtio(VirtioLoad.IDLE, VirtioVariant.SOUND);
    try (SyntheticGuest guest = SyntheticGuest.boot(config);
        Arena arena = Arena.ofConfined()) {
      MemorySegment ram = guest.ramBlocks().getFirst().memory();
      MemorySegment before = arena.allocate(ram.byteSize(), RamBlock.PAGE_SIZE);
      guest.dirtyLog().start();
      for (int i = 0; i < 10; i++) {
        guest.pause();
        before.copyFrom(ram);
        guest.dirtyLog().fetchAndClear(0, new DirtyBitmap(ram.byteSize() / 4096));
        runFor(guest, 20 + 100 * i);
        guest.pause();
        DirtyBitmap dirty = new DirtyBitmap(ram.byteSize() / 4096);
        guest.dirtyLog().fetchAndClear(0, dirty);
        for (long page = 0; page < dirty.pages(); page++) {
          long offset = page * RamBlock.PAGE_SIZE;
          boolean changed =
              ram.asSlice(offset, RamBlock.PAGE_SIZE)
                      .mismatch(before.asSlice(offset, RamBlock.PAGE_SIZE))
                  >= 0;
          // A driver or device may write bytes that do not change the page.
          if (offset < ram.byteSize() - busy().virtioBytes() || changed) {
            assertThat(dirty.get(page)).as("round %d, page %d", i, page).isEqualTo(changed);
          }
        }
        guest.resume();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 1", "1099511627776, 4096, 1", "1099511627776, 4194304, 2"})
  void aMigrationInRounds_bringsOverEveryWrite(long rate, long workingSet, int writers)
      throws GuestException {
    SyntheticGuestConfig config = config(8 * MIB, rate, workingSet, writers);
    try (SyntheticGuest source = SyntheticGuest.boot(config);
        SyntheticGuest destination = SyntheticGuest.incoming(config)) {
      source.dirtyLog().start();
      copyRam(source, destination);
      for (int round = 0; round < 30; round++) {
        copyDirtyPages(source, destination);
      }
      source.pause();
      copyDirtyPages(source, destination);
      source.dirtyLog().stop();
      assertThat(destination.beginDigest().digest()).isEqualTo(source.beginDigest().digest());
      copyDevices(source, destination);
      assertThat(destination.checkConsistency()).isEmpty();
      assertThat(destination.saveDeviceState()).isEqualTo(source.saveDeviceState());
      if (rate > 0) {
        runFor(destination, 2000);
        assertThat(destination.checkConsistency()).isEmpty();
        assertThat(steps(destination)).isGreaterThan(steps(source));
      }
    }
  }

  private static void copyDevices(SyntheticGuest from, SyntheticGuest to) throws GuestException {
    for (int i = 0; i < from.devices().size(); i++) {
      to.devices().get(i).load(from.devices().get(i).save());
    }
  }

  private static void copyDirtyPages(SyntheticGuest from, SyntheticGuest to) {
    for (int i = 0; i < from.ramBlocks().size(); i++) {
      RamBlock block = from.ramBlocks().get(i);
      DirtyBitmap dirty = new DirtyBitmap(block.pages());
      from.dirtyLog().fetchAndClear(i, dirty);
      long page = dirty.nextSet(0);
      while (page < dirty.pages()) {
        long offset = page * RamBlock.PAGE_SIZE;
        MemorySegment into = to.ramBlocks().get(i).memory();
        MemorySegment.copy(block.memory(), offset, into, offset, RamBlock.PAGE_SIZE);
        page = dirty.nextSet(page + 1);
      }
    }
  }

  @Test
  void beginDigest_whileTheGuestRunsOn_isOfTheMomentItBegan() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(48 * MIB, FLAT_OUT, 48 * MIB, 2));
        SyntheticGuest copy = SyntheticGuest.incoming(config(48 * MIB, 0, 0, 1))) {
      for (int i = 0; i < 5; i++) {
        guest.pause();
        copyRam(guest, copy);
        RamDigester digester = guest.beginDigest();
        guest.resume();
        List<BlockDigest> digests = digester.digest();
        assertThat(digests).as("round %d", i).isEqualTo(copy.beginDigest().digest());
        runFor(guest, 100);
      }
      guest.pause();
      assertThat(guest.checkConsistency()).isEmpty();
      assertThat(guest.beginDigest().digest()).isNotEqualTo(copy.beginDigest().digest());
    }
  }

  @Test
  void beginDigest_again_givesTheOneBeforeUp() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(MIB, 0, 0, 1))) {
      guest.pause();
      RamDigester first = guest.beginDigest();
      RamDigester second = guest.beginDigest();
      assertThatThrownBy(first::digest).isInstanceOf(IllegalStateException.class);
      assertThat(second.digest()).hasSize(6);
    }
  }

  @Test
  void whatNeedsAGuestThatStandsStill_refusesARunningOne() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(MIB, 0, 0, 1))) {
      assertThatThrownBy(guest::saveDeviceState).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(guest::beginDigest).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(guest::checkConsistency).isInstanceOf(IllegalStateException.class);
      guest.pause();
      byte[] state = guest.saveDeviceState();
      assertThatThrownBy(() -> guest.loadDeviceState(state))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has run already");
    }
  }

  @Test
  void loadDeviceState_namesTheFieldThatIsWrong() throws GuestException {
    SyntheticGuestConfig config = config(2 * MIB, 4096, 0, 2);
    try (SyntheticGuest source = SyntheticGuest.boot(config);
        SyntheticGuest guest = SyntheticGuest.incoming(config)) {
      source.pause();
      byte[] state = source.saveDeviceState();
      assertRefused(guest, new byte[0], "length of 0 bytes");
      assertRefused(guest, Arrays.copyOf(state, state.length - 1), "15 bytes of steps");
      assertRefused(guest, Arrays.copyOf(state, state.length + 1), "17 bytes of steps");
      assertRefused(guest, ByteBuffer.wrap(state.clone()).putInt(0, 3).array(), "version 3");
      assertRefused(
          guest, ByteBuffer.wrap(state.clone()).putLong(4, MIB).array(), "RAM of 1048576");
      assertRefused(
          guest, ByteBuffer.wrap(state.clone()).putLong(12, -1).array(), "dirty rate of -1");
      assertRefused(
          guest, ByteBuffer.wrap(state.clone()).putLong(20, 0).array(), "working set of 0");
      assertRefused(
          guest, ByteBuffer.wrap(state.clone()).putDouble(28, 2).array(), "zero share of 2");
      assertRefused(
          guest, ByteBuffer.wrap(state.clone()).putShort(44, (short) 0).array(), "0 writers");
      assertRefused(
          guest, ByteBuffer.wrap(state.clone()).putShort(44, (short) -1).array(), "65535 writers");
      assertRefused(
          guest,
          ByteBuffer.wrap(state.clone()).putLong(54, -1).array(),
          "18446744073709551615 steps of writer 1");
      guest.loadDeviceState(state);
      assertThat(guest.saveDeviceState()).isEqualTo(state);
    }
  }

  private static void assertRefused(SyntheticGuest guest, byte[] state, String message) {
    assertThatThrownBy(() -> guest.loadDeviceState(state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("device state: ")
        .hasMessageContaining(message);
  }

  @Test
  void loadDeviceState_anyBytes_areTakenWholeOrRefused() throws GuestException {
    long seed = 31;
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    SyntheticGuestConfig config = config(2 * MIB, 4096, 0, 2);
    try (SyntheticGuest source = SyntheticGuest.boot(config);
        SyntheticGuest guest = SyntheticGuest.incoming(config)) {
      source.pause();
      byte[] valid = source.saveDeviceState();
      int taken = 0;
      for (int i = 0; i < 3000; i++) {
        byte[] state =
            Arrays.copyOf(valid, random.nextInt(4) > 0 ? valid.length : random.nextInt(99));
        if (random.nextInt(8) == 0) {
          random.nextBytes(state);
        }
        for (int flips = random.nextInt(4); flips > 0 && state.length > 0; flips--) {
          state[random.nextInt(state.length)] ^= (byte) (1 << random.nextInt(8));
        }
        try {
          guest.loadDeviceState(state);
          taken++;
          assertThat(guest.saveDeviceState()).as("seed %d, round %d", seed, i).isEqualTo(state);
        } catch (IllegalArgumentException e) {
          assertThat(e).as("seed %d, round %d", seed, i).hasMessageStartingWith("device state: ");
        }
      }
      assertThat(taken).isBetween(100, 2900);
    }
  }

  @Test
  void boot_moreRamThanThereIs_saysSoAndLeavesNothing() {
    int threads = guestThreads().size();
    assertThatThrownBy(() -> SyntheticGuest.boot(SyntheticGuestConfig.of(1L << 44, 1, 0, 0, 1)))
        .isInstanceOf(GuestException.class)
        .hasMessageMatching("the guest needs 16\\.0 TiB of memory, but only .* are available; .*");
    assertThat(guestThreads()).hasSize(threads);
  }

  @Test
  void close_leavesNoThreadAndNoMemory() throws GuestException {
    List<Thread> before = guestThreads();
    SyntheticGuest guest = SyntheticGuest.boot(busy());
    List<RamBlock> blocks = List.copyOf(guest.ramBlocks());
    List<Thread> during = guestThreads();
    during.removeAll(before);
    assertThat(during).hasSize(2);
    guest.close();
    guest.close();
    assertThat(during).noneMatch(Thread::isAlive);
    for (RamBlock block : blocks) {
      assertThatThrownBy(() -> block.memory().get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(guest.isRunning()).isFalse();
    assertThatThrownBy(guest::resume)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    guest.pause();
  }

  @Test
  void close_duringADigest_endsIt() throws Exception {
    SyntheticGuest guest = SyntheticGuest.boot(config(64 * MIB, FLAT_OUT, 0, 1));
    guest.pause();
    RamDigester digester = guest.beginDigest();
    guest.resume();
    CompletableFuture<Void> digesting =
        CompletableFuture.runAsync(() -> {
          while (true) {
            digester.digest();
          }
        });
    guest.close();
    assertThatThrownBy(() -> digesting.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  private static List<Thread> guestThreads() {
    return new ArrayList<>(
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("guest-writer"))
            .toList());
  }
}
