// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.wridscope.guest.DirtyLog;
import org.wridscope.guest.Guest;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * A guest of blocks of any size, whose memory the test writes to itself: {@link #write} is the
 * workload.
 */
final class BlockGuest implements Guest {
  private final Arena arena = Arena.ofShared();
  private final List<RamBlock> blocks = new ArrayList<>();
  private final List<DirtyBitmap> dirty = new ArrayList<>();
  private final String machineType;
  private byte[] state = new byte[0];
  private volatile boolean running;
  private boolean logging;
  boolean closed;

  BlockGuest(String machineType, List<String> names, long... lengths) {
    this.machineType = machineType;
    for (int i = 0; i < lengths.length; i++) {
      blocks.add(new RamBlock(names.get(i), arena.allocate(lengths[i], 4096)));
      dirty.add(new DirtyBitmap(lengths[i] / 4096));
    }
  }

  static BlockGuest of(long... lengths) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < lengths.length; i++) {
      names.add("block" + i);
    }
    return new BlockGuest("test", names, lengths);
  }

  /** Fills pages with random bytes, all but a share of them. */
  BlockGuest fill(long seed, double zeroShare) {
    var random = new SplittableRandom(seed);
    for (RamBlock block : blocks) {
      for (long page = 0; page < block.pages(); page++) {
        if (random.nextDouble() >= zeroShare) {
          block
              .memory()
              .set(
                  ValueLayout.JAVA_LONG,
                  page * 4096 + 8L * random.nextInt(512),
                  random.nextLong() | 1);
        }
      }
    }
    state = Long.toHexString(seed).getBytes(StandardCharsets.US_ASCII);
    return this;
  }

  synchronized void write(int block, long offset, byte value) {
    blocks.get(block).memory().set(ValueLayout.JAVA_BYTE, offset, value);
    if (logging) {
      dirty.get(block).set(offset / 4096);
    }
  }

  boolean equalRam(BlockGuest other) {
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).memory().mismatch(other.blocks.get(i).memory()) >= 0) {
        return false;
      }
    }
    return Arrays.equals(state, other.state);
  }

  MemorySegment memory(int block) {
    return blocks.get(block).memory();
  }

  @Override
  public String machineType() {
    return machineType;
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return blocks;
  }

  @Override
  public DirtyLog dirtyLog() {
    return new DirtyLog() {
      @Override
      public void start() {
        logging = true;
      }

      @Override
      public void stop() {
        logging = false;
      }

      @Override
      public void fetchAndClear(int block, DirtyBitmap into) {
        synchronized (BlockGuest.this) {
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
  public String deviceName() {
    return "block-guest";
  }

  @Override
  public void pause() {
    running = false;
  }

  @Override
  public void resume() {
    running = true;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public byte[] saveDeviceState() {
    return state.clone();
  }

  @Override
  public void loadDeviceState(byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException("state of 0 bytes");
    }
    state = bytes.clone();
  }

  @Override
  public RamDigester beginDigest() {
    return new RamDigester(blocks);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      arena.close();
    }
  }
}
