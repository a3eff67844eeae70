// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javafx.application.Platform;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.FrameMeter;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;

/**
 * Measures the chunk map of a terabyte, a million changing chunks, in one block and in as many as a
 * guest may have. Arguments: width and height of the view, seconds for each measurement, and a
 * number of blocks.
 */
public final class ChunkMapBenchmark {
  private static final long RAM = 1L << 40;

  private static final int[] BLOCKS = {1, RemoteBlock.MAX_BLOCKS};

  private ChunkMapBenchmark() {}

  public static void main(String[] args) throws InterruptedException {
    int width = args.length > 0 ? Integer.parseInt(args[0]) : 900;
    int height = args.length > 1 ? Integer.parseInt(args[1]) : 620;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 6;
    Platform.startup(() -> {});
    System.out.printf("view %d x %d, %d s each%n", width, height, seconds);
    for (int blocks : args.length > 3 ? new int[] {Integer.parseInt(args[3])} : BLOCKS) {
      for (int perFrame : new int[] {0, 1_000, 40_000}) {
        chunks(width, height, seconds, blocks, perFrame, false);
        chunks(width, height, seconds, blocks, perFrame, true);
      }
    }
    Platform.exit();
  }

  private static void chunks(
      int width, int height, int seconds, int blocks, int perFrame, boolean random)
      throws InterruptedException {
    if (perFrame == 0 && random) {
      return;
    }
    var session = new FakeSession("benchmark", "rdma:127.0.0.1:4444", Role.SOURCE, true);
    List<ChunkTable> tables =
        IntStream.range(0, blocks)
            .mapToObj(i -> new ChunkTable(i, "ram" + i, RAM / blocks, 0))
            .toList();
    session.telemetry().setBlocks(tables);
    var stop = new AtomicBoolean();
    var written = new AtomicLong();
    Thread writer =
        Thread.ofPlatform()
            .daemon()
            .start(() -> write(tables, perFrame * 60L, random, stop, written));
    String name =
        "chunk map, %,d chunks in %,d blocks, %s %,d changes/frame at 60 fps"
            .formatted(
                RAM / ChunkTable.CHUNK_SIZE, blocks, random ? "random" : "sweeping", perFrame);
    FrameMeter.measure(
        name,
        () -> {
          var range = new TimeRange();
          var selection = new Selection();
          var search = new Search(range, selection, new Analyses());
          var view = new ChunksView(range, selection, search, List::of);
          view.show(new SessionPair(session, null));
          return view;
        },
        width,
        height,
        seconds,
        written);
    stop.set(true);
    writer.join();
  }

  private static void write(
      List<ChunkTable> tables,
      long perSecond,
      boolean random,
      AtomicBoolean stop,
      AtomicLong written) {
    var numbers = new SplittableRandom(1);
    ChunkState[] states = ChunkState.values();
    long begin = System.nanoTime();
    int each = tables.getFirst().chunkCount();
    int all = each * tables.size();
    int at = 0;
    while (!stop.get()) {
      long due = (long) ((System.nanoTime() - begin) / 1e9 * perSecond);
      for (; written.get() < due; written.incrementAndGet()) {
        at = random ? numbers.nextInt(all) : (at + 1) % all;
        ChunkTable table = tables.get(at / each);
        int chunk = at % each;
        table.setState(chunk, states[(table.state(chunk).ordinal() + 1) % states.length]);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
