// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * The counters and measurements of a session. Only the session's engine thread writes them; see
 * {@link Metrics}. Names follow QEMU's {@code query-migrate} where possible.
 */
public enum Metric {
  RAM_TOTAL(Kind.GAUGE, Unit.BYTES, "RAM of the guest"),
  RAM_IN_USE_BEFORE(
      Kind.GAUGE,
      Unit.BYTES,
      "RAM that had memory when the migration began, 0 if not known, 1 if none had"),
  RAM_IN_USE_AFTER(
      Kind.GAUGE,
      Unit.BYTES,
      "RAM that had memory when the migration had completed, 0 if not known, 1 if none had"),
  RAM_REMAINING(Kind.GAUGE, Unit.BYTES, "RAM that has not arrived"),
  RAM_PROCESSED(
      Kind.COUNTER,
      Unit.BYTES,
      "RAM that has arrived, written or zero; counted again in each round"),
  RAM_TRANSFERRED(Kind.COUNTER, Unit.BYTES, "bytes of RDMA WRITEs and SENDs that succeeded"),
  NORMAL_PAGES(Kind.COUNTER, Unit.PAGES, "pages that arrived by RDMA WRITE"),
  DUPLICATE_PAGES(Kind.COUNTER, Unit.PAGES, "zero pages, announced with COMPRESS"),
  ROUND_BYTES(Kind.GAUGE, Unit.BYTES, "RAM that was dirty when this round began"),
  ROUND_PROCESSED(Kind.GAUGE, Unit.BYTES, "RAM of this round that has arrived"),
  DIRTY_SYNC_COUNT(
      Kind.COUNTER, Unit.COUNT, "synchronizations of the dirty log; the number of this round"),
  DIRTY_BYTES_RATE(Kind.GAUGE, Unit.BYTES_PER_SECOND, "dirtied by the guest over the last round"),
  BANDWIDTH(Kind.GAUGE, Unit.BYTES_PER_SECOND, "RAM processed per second over the last round"),
  BANDWIDTH_LIMIT(Kind.GAUGE, Unit.BYTES_PER_SECOND, "limit in force, 0 for none"),
  DOWNTIME_LIMIT(Kind.GAUGE, Unit.NANOSECONDS, "limit in force"),
  SETUP_TIME(Kind.GAUGE, Unit.NANOSECONDS, "connecting, exchanging blocks, pinning"),
  TOTAL_TIME(Kind.GAUGE, Unit.NANOSECONDS, "how long the migration took, 0 until it ended"),
  DOWNTIME(Kind.GAUGE, Unit.NANOSECONDS, "how long the guest was paused, 0 before"),
  EXPECTED_DOWNTIME(Kind.GAUGE, Unit.NANOSECONDS, "remaining RAM at the last round's bandwidth"),
  HELD_TIME(
      Kind.GAUGE, Unit.NANOSECONDS, "how long the source has waited for permission to switch over"),

  WRITES_POSTED(Kind.COUNTER, Unit.COUNT, "RDMA WRITE requests posted"),
  WRITES_SIGNALED(Kind.COUNTER, Unit.COUNT, "RDMA WRITE requests posted signaled"),
  WRITES_COMPLETED(
      Kind.COUNTER, Unit.COUNT, "RDMA WRITE requests completed or covered, with success or error"),
  SENDS_POSTED(Kind.COUNTER, Unit.COUNT, "SEND requests posted"),
  SENDS_COMPLETED(Kind.COUNTER, Unit.COUNT, "SEND requests completed, with success or error"),
  RECEIVES_POSTED(Kind.COUNTER, Unit.COUNT, "receive requests posted"),
  RECEIVES_COMPLETED(Kind.COUNTER, Unit.COUNT, "receive requests completed, with success or error"),
  FAILED_COMPLETIONS(Kind.COUNTER, Unit.COUNT, "completions with a status other than success"),
  COMPLETIONS_DROPPED(Kind.COUNTER, Unit.COUNT, "completions dropped by a wait for another one"),
  COMPLETION_QUEUE_SHARED(
      Kind.GAUGE,
      Unit.COUNT,
      "1 if sends and receives complete in one queue, 0 if each has its own"),
  REQUESTS_SENT_AGAIN(
      Kind.COUNTER,
      Unit.COUNT,
      "requests that the device sent again; known in a lab and from packets"),
  SENT_AGAIN_CHANGED(
      Kind.COUNTER, Unit.COUNT, "control messages of which other data was sent the second time"),
  SENT_AGAIN_UNREGISTERED(
      Kind.COUNTER, Unit.COUNT, "requests that were to be sent again after their deregistration"),
  COMPLETIONS_MET(
      Kind.COUNTER, Unit.COUNT, "completions polled and handled by a wait for another one"),
  SEND_QUEUE_DEPTH(Kind.GAUGE, Unit.COUNT, "capacity of the send queue, in requests"),
  RECEIVE_QUEUE_DEPTH(Kind.GAUGE, Unit.COUNT, "capacity of the receive queue, in requests"),
  QUEUE_PAIR_NUMBER(Kind.GAUGE, Unit.COUNT, "number of the queue pair, 0 before it exists"),
  QUEUE_PAIR_IDS(Kind.GAUGE, Unit.COUNT, "ids under which events may name the queue pair"),
  QUEUE_PAIR_REFERENCES(
      Kind.GAUGE, Unit.COUNT, "references to the queue pair that handlers of its events hold"),
  SEND_CONTEXT_WAITS(
      Kind.COUNTER, Unit.COUNT, "waits for a completion because no send context was free"),
  COMPLETION_WAITS(Kind.COUNTER, Unit.COUNT, "sleeps on the completion channel"),

  REGISTRATIONS_ALIVE(Kind.GAUGE, Unit.COUNT, "memory regions of RAM registered now"),
  REGISTRATIONS_PEAK(Kind.GAUGE, Unit.COUNT, "most memory regions of RAM registered at once"),
  REGISTRATIONS_TOTAL(Kind.COUNTER, Unit.COUNT, "memory regions of RAM registered so far"),
  DEREGISTRATIONS_TOTAL(
      Kind.COUNTER, Unit.COUNT, "memory regions of RAM deregistered so far, early or at the end"),
  REGISTERED_BYTES(Kind.GAUGE, Unit.BYTES, "RAM pinned now"),
  REGISTERED_BYTES_PEAK(Kind.GAUGE, Unit.BYTES, "most RAM pinned at once"),
  MEMLOCK_LIMIT(
      Kind.GAUGE, Unit.BYTES, "memory that the process may lock, 0 for any amount or unknown"),
  REGISTRATION_TIME(Kind.COUNTER, Unit.NANOSECONDS, "time spent registering memory"),
  REGISTRATION_ROUND_TRIPS(Kind.COUNTER, Unit.COUNT, "register requests answered"),

  UNREGISTER_HINTS(
      Kind.COUNTER, Unit.COUNT, "chunks that need not stay registered, according to guest or user"),
  UNREGISTRATIONS(
      Kind.COUNTER, Unit.COUNT, "memory regions of RAM that both ends deregistered early"),
  UNREGISTRATIONS_DEFERRED(
      Kind.COUNTER, Unit.COUNT, "deregistrations postponed because a write was in transit or next"),
  UNREGISTRATIONS_REFUSED(
      Kind.COUNTER, Unit.COUNT, "deregistrations not queued because the queue was full"),

  SCAN_TIME(Kind.COUNTER, Unit.NANOSECONDS, "time spent searching for zero pages"),
  WAIT_READY_TIME(Kind.COUNTER, Unit.NANOSECONDS, "time spent waiting for the destination's READY"),
  WAIT_REGISTER_TIME(
      Kind.COUNTER, Unit.NANOSECONDS, "time spent waiting for a register or unregister result"),
  WAIT_SEND_QUEUE_TIME(
      Kind.COUNTER, Unit.NANOSECONDS, "time spent waiting for space in the send queue"),
  WAIT_BANDWIDTH_TIME(
      Kind.COUNTER, Unit.NANOSECONDS, "time during which the bandwidth limit held back the source");

  /** Whether a value can decrease. */
  public enum Kind {
    COUNTER,
    GAUGE
  }

  /** The unit of a value. */
  public enum Unit {
    COUNT,
    PAGES,
    BYTES,
    BYTES_PER_SECOND,
    NANOSECONDS
  }

  private final Kind kind;
  private final Unit unit;
  private final String description;

  Metric(Kind kind, Unit unit, String description) {
    this.kind = kind;
    this.unit = unit;
    this.description = description;
  }

  public Kind kind() {
    return kind;
  }

  public Unit unit() {
    return unit;
  }

  /** A phrase for a tool tip or a table. */
  public String description() {
    return description;
  }
}
