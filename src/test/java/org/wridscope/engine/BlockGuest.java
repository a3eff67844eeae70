// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.DirtyLog;
import org.wridscope.guest.GuestDevice;
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.RunControl;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.memory.Residency;
import org.wridscope.time.Time;

/**
 * A guest with blocks of any size, whose workload is what the test writes with {@link #write}.
 * Pages with a known pattern between its blocks show writes outside of them.
 */
final class BlockGuest implements MachineGuest {
  static final String MACHINE = "test";
  static final String DEVICE = "block-guest";

  /** Calls of a guest that can fail. */
  enum Call {
    PAUSE,
    RESUME,
    SAVE,
    LOAD,
    DIGEST,
    COMMIT
  }

  private static final byte GUARD = (byte) 0xa5;

  private final NativeMemory memory;
  private final List<RamBlock> blocks = new ArrayList<>();
  private final List<DirtyBitmap> dirty = new ArrayList<>();
  private final String machineType;
  private final List<GuestDevice> devices;
  private final RunControl runControl = new RunControl(this);
  private byte[] state = new byte[0];
  private volatile @Nullable List<RamBlock> changedBlocks;
  private volatile boolean running;
  private volatile int resumes;
  private @Nullable Call failing;
  private boolean logging;
  private int syncs;
  private IntConsumer onSync = sync -> {};
  private Runnable onPause = () -> {};
  private @Nullable CountDownLatch digestsHeld;

  BlockGuest(String machineType, String deviceName, List<String> names, long... lengths) {
    this.machineType = machineType;
    devices = List.of(new GuestDevice(deviceName, this::save, this::load));
    long guards = (lengths.length + 1L) * RamBlock.PAGE_SIZE;
    try {
      memory = NativeMemory.allocate(Arrays.stream(lengths).sum() + guards);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long offset = 0;
    for (int i = 0; i < lengths.length; i++) {
      guard(offset).fill(GUARD);
      offset += RamBlock.PAGE_SIZE;
      blocks.add(new RamBlock(names.get(i), memory.segment().asSlice(offset, lengths[i])));
      dirty.add(new DirtyBitmap(lengths[i] / RamBlock.PAGE_SIZE));
      offset += lengths[i];
    }
    guard(offset).fill(GUARD);
  }

  private BlockGuest(NativeMemory memory) {
    machineType = MACHINE;
    devices = List.of(new GuestDevice(DEVICE, this::save, this::load));
    this.memory = memory;
    blocks.add(new RamBlock("block0", memory));
    dirty.add(new DirtyBitmap(blocks.getFirst().pages()));
  }

  /** A guest of one block, which has all of a memory, and no pages beside it. */
  static BlockGuest in(NativeMemory memory) {
    return new BlockGuest(memory);
  }

  /** A guest whose memory is as many blocks, all of a length. */
  static BlockGuest in(NativeMemory memory, int count, long length) {
    var guest = new BlockGuest(memory);
    RamBlock all = guest.blocks.getFirst();
    guest.blocks.clear();
    guest.dirty.clear();
    for (int i = 0; i < count; i++) {
      long at = i * length;
      guest.blocks.add(
          new RamBlock(
              "block" + i,
              all.memory().asSlice(at, length),
              (from, end) -> all.holes().nextData(at + from, at + end) - at));
      guest.dirty.add(new DirtyBitmap(length / RamBlock.PAGE_SIZE));
    }
    return guest;
  }

  static BlockGuest of(long... lengths) {
    List<String> names = IntStream.range(0, lengths.length).mapToObj(i -> "block" + i).toList();
    return new BlockGuest(MACHINE, DEVICE, names, lengths);
  }

  private MemorySegment guard(long offset) {
    return memory.segment().asSlice(offset, RamBlock.PAGE_SIZE);
  }

  /** Fills all pages but a share of them with random bytes, and runs. */
  BlockGuest boot(long seed, double zeroShare) {
    var random = new SplittableRandom(seed);
    for (RamBlock block : blocks) {
      for (long page = 0; page < block.pages(); page++) {
        if (random.nextDouble() >= zeroShare) {
          long at = page * RamBlock.PAGE_SIZE + 8L * random.nextInt(512);
          block.memory().set(ValueLayout.JAVA_LONG, at, random.nextLong() | 1);
        }
      }
    }
    state = Long.toHexString(seed).getBytes(StandardCharsets.US_ASCII);
    resume();
    return this;
  }

  /** Fills a block with zeros. */
  BlockGuest zero(int block) {
    memory(block).fill((byte) 0);
    return this;
  }

  synchronized void write(int block, long offset, byte value) {
    blocks.get(block).memory().set(ValueLayout.JAVA_BYTE, offset, value);
    if (logging) {
      dirty.get(block).set(offset / RamBlock.PAGE_SIZE);
    }
  }

  /** A byte of the first block. */
  byte read(long offset) {
    return memory(0).get(ValueLayout.JAVA_BYTE, offset);
  }

  /** Gives pages back, which its log tells as written. */
  synchronized void giveBack(int block, long offset, long length, Runnable action) {
    action.run();
    for (long page = offset; page < offset + length; page += RamBlock.PAGE_SIZE) {
      dirty.get(block).set(page / RamBlock.PAGE_SIZE);
    }
  }

  /** Calls the action with n before the dirty log is fetched the n-th time, from 1. */
  BlockGuest onSync(IntConsumer action) {
    onSync = action;
    return this;
  }

  /** Calls the action before the guest is paused. */
  BlockGuest onPause(Runnable action) {
    onPause = action;
    return this;
  }

  boolean hasEqualRam(BlockGuest other) {
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).memory().mismatch(other.blocks.get(i).memory()) >= 0) {
        return false;
      }
    }
    return Arrays.equals(state, other.state);
  }

  /** Whether there were no writes outside of the blocks. */
  boolean guardsAreIntact() {
    long offset = 0;
    for (int i = 0; i <= blocks.size(); i++) {
      MemorySegment guard = guard(offset);
      if (guard.get(ValueLayout.JAVA_BYTE, 0) != GUARD
          || guard.asSlice(1).mismatch(guard.asSlice(0, guard.byteSize() - 1)) >= 0) {
        return false;
      }
      offset += RamBlock.PAGE_SIZE + (i < blocks.size() ? blocks.get(i).length() : 0);
    }
    return true;
  }

  List<BlockDigest> digests() {
    return new RamDigester(blocks).digest();
  }

  MemorySegment memory(int block) {
    return blocks.get(block).memory();
  }

  /** Number of times that it was started. */
  int resumes() {
    return resumes;
  }

  @Override
  public String machineType() {
    return machineType;
  }

  @Override
  public List<RamBlock> ramBlocks() {
    List<RamBlock> others = changedBlocks;
    return others == null ? blocks : others;
  }

  /** Changes the blocks that the guest says it has; it uses the former ones all the same. */
  void changeBlocks(UnaryOperator<List<RamBlock>> change) {
    changedBlocks = change.apply(blocks);
  }

  @Override
  public DirtyLog dirtyLog() {
    return new DirtyLog() {
      @Override
      public void start() {
        synchronized (BlockGuest.this) {
          dirty.forEach(bitmap -> bitmap.clear(0, bitmap.pages()));
          logging = true;
          syncs = 0;
        }
      }

      @Override
      public void stop() {
        synchronized (BlockGuest.this) {
          logging = false;
        }
      }

      @Override
      public void fetchAndClear(int block, DirtyBitmap into) {
        synchronized (BlockGuest.this) {
          if (block == 0) {
            onSync.accept(++syncs);
          }
          DirtyBitmap from = dirty.get(block);
          for (long page = from.nextSet(0); page < from.pages(); page = from.nextSet(page + 1)) {
            into.set(page);
          }
          from.clear(0, from.pages());
        }
      }
    };
  }

  @Override
  public List<GuestDevice> devices() {
    return devices;
  }

  @Override
  public RunControl runControl() {
    return runControl;
  }

  @Override
  public void pause() {
    enter(Call.PAUSE);
    onPause.run();
    running = false;
  }

  @Override
  public synchronized void resume() {
    if (running) {
      return;
    }
    enter(Call.RESUME);
    resumes++;
    running = true;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  private byte[] save() {
    enter(Call.SAVE);
    return state.clone();
  }

  /** Makes a call fail from now on. */
  BlockGuest failingIn(Call call) {
    failing = call;
    return this;
  }

  private void enter(Call call) {
    if (failing == call) {
      throw new IllegalArgumentException("it fails in " + call);
    }
  }

  private void load(byte[] bytes) {
    enter(Call.LOAD);
    state = bytes.clone();
  }

  @Override
  public RamDigester beginDigest() {
    enter(Call.DIGEST);
    CountDownLatch until = digestsHeld;
    return until == null ? new RamDigester(blocks) : new RamDigester(blocks, held(until));
  }

  /** Delays its digests until this moment. */
  void holdDigests(CountDownLatch moment) {
    digestsHeld = moment;
  }

  private static Residency held(CountDownLatch moment) {
    return new Residency() {
      @Override
      public void fetch(int block, long offset, long length) throws IOException {
        try {
          boolean _ = Time.await(moment, Long.MAX_VALUE);
        } catch (InterruptedException e) {
          throw new InterruptedIOException("the digests were interrupted");
        }
      }

      @Override
      public void discard(int block, long offset, long length) {}
    };
  }

  @Override
  public void commit() throws IOException {
    if (failing == Call.COMMIT) {
      throw new IOException("it fails in " + failing);
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
