// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/** The threads that write to the RAM of a synthetic guest: the workload's writers, the balloon. */
final class WorkloadThreads {
  private final List<RamBlock> blocks;
  private final WriteLog workloadLog;
  private final WriteLog balloonLog;

  /** As of the moment of boot or load; null before. */
  private @Nullable SyntheticState origin;

  private List<Writer> writers = List.of();
  private @Nullable BalloonDriver balloon;

  /** The writers, and the balloon's. */
  private List<RamWriter> threads = List.of();

  private volatile MemoryHints hints = MemoryHints.NONE;

  /** For a guest with these RAM blocks. */
  WorkloadThreads(List<RamBlock> blocks) {
    this.blocks = blocks;
    workloadLog = new WriteLog(blocks, SyntheticGuest.PC_RAM, this::settle);
    balloonLog = new WriteLog(blocks, SyntheticGuest.PC_RAM, this::settle);
  }

  /** Which pages they wrote. */
  List<WriteLog> logs() {
    return List.of(workloadLog, balloonLog);
  }

  void setMemoryHints(MemoryHints hints) {
    this.hints = hints;
  }

  /** Replaces the threads by paused ones that continue where a state ends. */
  void install(SyntheticState state) {
    end();
    SyntheticGuestConfig config = state.config();
    Workload workload = new Workload(config);
    workloadLog.cover(workload.firstPage(), workload.pages());
    origin = state;
    MemorySegment ram = blocks.get(SyntheticGuest.PC_RAM).memory();
    List<Writer> made = new ArrayList<>();
    for (int i = 0; i < config.writers() && config.dirtyRate() > 0; i++) {
      double rate = config.dirtyRate() * workload.share(i);
      if (rate > 0) {
        made.add(
            new Writer(
                workload, SyntheticGuest.PC_RAM, ram, workloadLog, i, state.steps().get(i), rate));
      }
    }
    writers = List.copyOf(made);
    var all = new ArrayList<RamWriter>(made);
    if (config.balloonBytes() > 0) {
      var model = new Balloon(config);
      balloonLog.cover(0, model.pages());
      balloon =
          new BalloonDriver(
              model, SyntheticGuest.PC_RAM, ram, balloonLog, state.balloonSteps(), () -> hints);
      all.add(balloon);
    }
    threads = List.copyOf(all);
    threads.forEach(GuestThread::begin);
  }

  boolean isInstalled() {
    return origin != null;
  }

  /** The state as it is now; the threads must be paused and settled. */
  SyntheticState state() {
    if (origin == null) {
      throw new IllegalStateException("the guest has no device state yet");
    }
    List<Long> steps = new ArrayList<>(origin.steps());
    writers.forEach(writer -> steps.set(writer.index(), writer.stepsTaken()));
    long balloonSteps = balloon == null ? origin.balloonSteps() : balloon.stepsTaken();
    return new SyntheticState(origin.config(), List.copyOf(steps), balloonSteps);
  }

  /** Asks the threads to pause; {@link #settle} waits until they have. */
  void pause() {
    threads.forEach(GuestThread::pause);
  }

  /** Returns once every step that had begun is complete. */
  void settle() {
    threads.forEach(GuestThread::settle);
  }

  void resume(@Nullable RamDigester digester) {
    threads.forEach(thread -> thread.resume(digester));
  }

  /** Ends the threads, and waits for that. */
  void end() {
    threads.forEach(GuestThread::end);
    threads.forEach(GuestThread::join);
    threads = List.of();
    writers = List.of();
    balloon = null;
  }
}
