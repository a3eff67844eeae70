// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.Handover;
import org.wridscope.guest.RunningMachine;
import org.wridscope.guest.Tracking;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.StreamEnvelope;

/** A running machine that is never migrated. */
final class FakeRunningMachine implements RunningMachine {
  private @Nullable Tracking tracking;
  private int closed;

  void track(Tracking figures) {
    tracking = figures;
  }

  /** How often it was closed. */
  int closed() {
    return closed;
  }

  private static UnsupportedOperationException unexpected() {
    return new UnsupportedOperationException("this machine is not migrated");
  }

  @Override
  public void attach(Checkpoint checkpoint) {
    throw unexpected();
  }

  @Override
  public StreamEnvelope envelope() {
    throw unexpected();
  }

  @Override
  public void track() {
    throw unexpected();
  }

  @Override
  public void collect(List<DirtyBitmap> into) {
    throw unexpected();
  }

  @Override
  public void endTracking() {
    throw unexpected();
  }

  @Override
  public void stop(Runnable stopped, Checkpoint checkpoint) {
    throw unexpected();
  }

  @Override
  public byte[] rest() {
    throw unexpected();
  }

  @Override
  public void handOver(Handover handover) {
    throw unexpected();
  }

  @Override
  public void handedOver() {
    throw unexpected();
  }

  @Override
  public void giveBack() {
    throw unexpected();
  }

  @Override
  public void release(boolean known) {}

  @Override
  public boolean reclaim() {
    throw unexpected();
  }

  @Override
  public void dismiss() {
    throw unexpected();
  }

  @Override
  public boolean isReached() {
    return true;
  }

  @Override
  public boolean wasRunning() {
    return true;
  }

  @Override
  public String machine() {
    return "QEMU 4711";
  }

  @Override
  public Optional<Tracking> tracking() {
    return Optional.ofNullable(tracking);
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return List.of();
  }

  @Override
  public boolean isRunning() {
    return true;
  }

  @Override
  public void close() {
    closed++;
  }
}
