// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.Parallel;
import org.wridscope.memory.RamBlock;

/** What the RAM of a synthetic guest holds: when it boots, and for each later device state. */
final class SyntheticContent {
  /** More threads than this are limited by the memory's bandwidth. */
  private static final int MAX_THREADS = 8;

  private final AnonymousRam ram;

  SyntheticContent(AnonymousRam ram) {
    this.ram = ram;
  }

  private static int threads() {
    return Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
  }

  /**
   * Backs all RAM with physical memory.
   *
   * @param ready receives the bytes that were backed, piece by piece, from several threads
   * @throws IOException when there is not enough memory, or the thread was interrupted
   */
  void populate(LongConsumer ready) throws IOException {
    for (int i = 0; i < ram.blocks().size(); i++) {
      NativeMemory memory = ram.memory(i);
      forEachRegion(memory, ready, region -> populate(memory, region * BootContent.REGION_BYTES));
    }
  }

  /**
   * Fills the RAM, all zero so far, as the guest has it when it boots.
   *
   * @param ready receives the bytes that were filled, piece by piece, from several threads
   * @throws IOException when there is not enough memory, or the thread was interrupted
   */
  void fill(SyntheticGuestConfig config, LongConsumer ready) throws IOException {
    for (int i = 0; i < ram.blocks().size(); i++) {
      NativeMemory memory = ram.memory(i);
      BootContent content = bootContent(config, i);
      forEachRegion(
          memory,
          ready,
          region -> {
            if (config.prefault()) {
              // Immediately before it is filled, while the kernel's zeros are still in the cache.
              populate(memory, region * BootContent.REGION_BYTES);
            }
            content.fill(memory.segment(), (int) region);
          });
    }
  }

  private static void forEachRegion(NativeMemory memory, LongConsumer ready, LongConsumer work)
      throws IOException {
    long bytes = memory.segment().byteSize();
    try {
      Parallel.forEach(
          threads(),
          Math.ceilDiv(bytes, BootContent.REGION_BYTES),
          Parallel.interruptible(region -> {
            work.accept(region);
            ready.accept(
                Math.min(BootContent.REGION_BYTES, bytes - region * BootContent.REGION_BYTES));
          }));
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
    long pages = ram.blocks().get(block).pages();
    return new BootContent(config.seed(), block, pages, config.zeroShare());
  }

  /**
   * Compares the RAM with what a device state implies.
   *
   * @param pages of {@code pc.ram}, from its beginning, to be compared; the others belong to virtio
   *     devices
   * @return a sentence about one byte that differs, or empty
   */
  Optional<String> check(SyntheticState state, long pages) {
    Workload workload = new Workload(state.config());
    Balloon balloon = new Balloon(state.config());
    for (int i = 0; i < ram.blocks().size(); i++) {
      RamBlock block = ram.blocks().get(i);
      BootContent content = bootContent(state.config(), i);
      boolean written = i == SyntheticGuest.PC_RAM;
      long compared = written ? pages : block.pages();
      AtomicReference<@Nullable String> difference = new AtomicReference<>();
      Parallel.forEach(
          threads(),
          content.regions(),
          region -> {
            long[] expected = new long[BootContent.WORDS];
            long page = region * BootContent.REGION;
            long end = Math.min(page + BootContent.REGION, compared);
            for (; page < end && difference.get() == null; page++) {
              content.page(page, expected);
              if (written) {
                workload.replay(page, state.steps(), expected);
                balloon.replay(page, state.balloonSteps(), expected);
              }
              compare(block, page, expected, difference);
            }
          });
      if (difference.get() != null) {
        return Optional.ofNullable(difference.get());
      }
    }
    return Optional.empty();
  }

  private static void compare(
      RamBlock block, long page, long[] expected, AtomicReference<@Nullable String> difference) {
    MemorySegment should = MemorySegment.ofArray(expected);
    long offset = page << RamBlock.PAGE_SHIFT;
    MemorySegment is = block.memory().asSlice(offset, RamBlock.PAGE_SIZE);
    long at = is.mismatch(should);
    if (at >= 0) {
      difference.compareAndSet(
          null,
          "block %s page %d: the byte at offset 0x%x is 0x%02x, not the 0x%02x that the device state implies"
              .formatted(
                  block.name(),
                  page,
                  offset + at,
                  is.get(ValueLayout.JAVA_BYTE, at),
                  should.get(ValueLayout.JAVA_BYTE, at)));
    }
  }
}
