// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkRelease;

/**
 * A step of a registration that is given back before the migration ends; the detail of an event of
 * the kind {@link EventKind#UNREGISTER}. In parentheses: what QEMU 7.2 traces or reports there.
 * Recordings contain the ordinals, so new steps are added at the end.
 */
public enum UnregisterStep {
  /** The source queued it ({@code qemu_rdma_signal_unregister_append}). Argument: its place. */
  QUEUED("queued", ChunkRelease.QUEUED),
  /** It was in the queue already ({@code qemu_rdma_signal_unregister_already}). */
  ALREADY_QUEUED("already queued", null),
  /** The queue is full, so it stays registered ("rdma migration: queue is full"). */
  QUEUE_FULL("not queued: the queue is full", null),
  /** Its turn came ({@code qemu_rdma_unregister_waiting_proc}). Argument: its place. */
  TURN("its turn", null),
  /**
   * An RDMA WRITE to it is in transit or next, so it was queued again ({@code
   * qemu_rdma_unregister_waiting_inflight}). Argument: its new place.
   */
  PUT_OFF("postponed", ChunkRelease.PUT_OFF),
  /**
   * The source has deregistered it and requests the same of the destination ({@code
   * qemu_rdma_unregister_waiting_send}). Argument: its index in the request.
   */
  REQUESTED("deregistered and requested", ChunkRelease.GIVEN_BACK),
  /** The destination has confirmed ({@code qemu_rdma_unregister_waiting_complete}). */
  CONFIRMED("confirmed", ChunkRelease.GIVEN_BACK),
  /**
   * The destination was asked for it ({@code qemu_rdma_registration_handle_unregister_loop}).
   * Argument: its index in the request.
   */
  ASKED("asked for", ChunkRelease.QUEUED),
  /**
   * The destination has deregistered it ({@code qemu_rdma_registration_handle_unregister_success}).
   */
  DEREGISTERED("deregistered", ChunkRelease.GIVEN_BACK);

  private static final UnregisterStep[] VALUES = values();

  private final String text;
  private final @Nullable ChunkRelease release;

  UnregisterStep(String text, @Nullable ChunkRelease release) {
    this.text = text;
    this.release = release;
  }

  /** A few words for a log. */
  public String text() {
    return text;
  }

  /** What its chunks are after this step; null if that does not change. */
  public @Nullable ChunkRelease release() {
    return release;
  }

  /** The step with this ordinal; null if there is none. */
  public static @Nullable UnregisterStep of(int ordinal) {
    return ordinal >= 0 && ordinal < VALUES.length ? VALUES[ordinal] : null;
  }
}
