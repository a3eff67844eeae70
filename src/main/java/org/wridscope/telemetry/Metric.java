// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * Everything that is counted or measured about a session. Each has one writer, the session's engine
 * thread; see {@link Metrics}. Names follow QEMU's {@code query-migrate} where it has them.
 */
public enum Metric {
  RAM_TOTAL(Kind.GAUGE, Unit.BYTES, "RAM of the guest"),
  RAM_REMAINING(Kind.GAUGE, Unit.BYTES, "RAM that has not arrived"),
  RAM_PROCESSED(
      Kind.COUNTER, Unit.BYTES, "RAM that has arrived, written or zero, again in each round"),
  RAM_TRANSFERRED(Kind.COUNTER, Unit.BYTES, "bytes of RDMA WRITEs and SENDs that succeeded"),
  NORMAL_PAGES(Kind.COUNTER, Unit.PAGES, "pages that arrived by RDMA WRITE"),
  DUPLICATE_PAGES(Kind.COUNTER, Unit.PAGES, "zero pages, told with COMPRESS"),
  ROUND_BYTES(Kind.GAUGE, Unit.BYTES, "RAM that was dirty when this round began"),
  ROUND_PROCESSED(Kind.GAUGE, Unit.BYTES, "RAM of this round that has arrived"),
  DIRTY_SYNC_COUNT(Kind.COUNTER, Unit.COUNT, "dirty log syncs, the number of this round"),
  DIRTY_BYTES_RATE(Kind.GAUGE, Unit.BYTES_PER_SECOND, "dirtied by the guest over the last round"),
  BANDWIDTH(Kind.GAUGE, Unit.BYTES_PER_SECOND, "RAM dealt with a second over the last round"),
  BANDWIDTH_LIMIT(Kind.GAUGE, Unit.BYTES_PER_SECOND, "limit in force, 0 for none"),
  DOWNTIME_LIMIT(Kind.GAUGE, Unit.NANOSECONDS, "limit in force"),
  SETUP_TIME(Kind.GAUGE, Unit.NANOSECONDS, "connecting, exchanging blocks, pinning"),
  TOTAL_TIME(Kind.GAUGE, Unit.NANOSECONDS, "how long the migration took, 0 until it ended"),
  DOWNTIME(Kind.GAUGE, Unit.NANOSECONDS, "the guest stood still, 0 until it did"),
  EXPECTED_DOWNTIME(Kind.GAUGE, Unit.NANOSECONDS, "remaining RAM at the last round's bandwidth"),

  WRITES_POSTED(Kind.COUNTER, Unit.COUNT, "RDMA WRITE requests posted"),
  WRITES_SIGNALED(Kind.COUNTER, Unit.COUNT, "RDMA WRITE requests posted that complete themselves"),
  WRITES_COMPLETED(Kind.COUNTER, Unit.COUNT, "RDMA WRITE requests that a completion covered"),
  SENDS_POSTED(Kind.COUNTER, Unit.COUNT, "SEND requests posted"),
  SENDS_COMPLETED(Kind.COUNTER, Unit.COUNT, "SEND requests completed"),
  RECEIVES_POSTED(Kind.COUNTER, Unit.COUNT, "receive requests posted"),
  RECEIVES_COMPLETED(Kind.COUNTER, Unit.COUNT, "receive requests completed"),
  FAILED_COMPLETIONS(Kind.COUNTER, Unit.COUNT, "completions with another status than success"),
  COMPLETIONS_DROPPED(
      Kind.COUNTER, Unit.COUNT, "completions that a wait for another one threw away"),
  SEND_QUEUE_DEPTH(Kind.GAUGE, Unit.COUNT, "requests that the send queue holds at most"),
  RECEIVE_QUEUE_DEPTH(Kind.GAUGE, Unit.COUNT, "requests that the receive queue holds at most"),
  SEND_CONTEXT_WAITS(
      Kind.COUNTER, Unit.COUNT, "waits for a completion, since no send context was free"),
  COMPLETION_WAITS(Kind.COUNTER, Unit.COUNT, "sleeps on the completion channel"),

  REGISTRATIONS_ALIVE(Kind.GAUGE, Unit.COUNT, "memory regions of RAM registered now"),
  REGISTRATIONS_PEAK(Kind.GAUGE, Unit.COUNT, "most memory regions of RAM registered at once"),
  REGISTRATIONS_TOTAL(Kind.COUNTER, Unit.COUNT, "memory regions of RAM registered so far"),
  REGISTERED_BYTES(Kind.GAUGE, Unit.BYTES, "RAM pinned now"),
  REGISTERED_BYTES_PEAK(Kind.GAUGE, Unit.BYTES, "most RAM pinned at once"),
  REGISTRATION_TIME(Kind.COUNTER, Unit.NANOSECONDS, "spent registering memory"),
  REGISTRATION_ROUND_TRIPS(Kind.COUNTER, Unit.COUNT, "register requests answered"),

  UNREGISTER_HINTS(
      Kind.COUNTER, Unit.COUNT, "chunks that the guest or the user said need not stay registered"),
  UNREGISTRATIONS(Kind.COUNTER, Unit.COUNT, "memory regions of RAM that both ends gave back early"),
  UNREGISTRATIONS_DEFERRED(
      Kind.COUNTER, Unit.COUNT, "not given back yet, since a write was in transit or next"),

  SCAN_TIME(Kind.COUNTER, Unit.NANOSECONDS, "spent looking for zero pages"),
  WAIT_READY_TIME(Kind.COUNTER, Unit.NANOSECONDS, "waited for the destination's READY"),
  WAIT_REGISTER_TIME(Kind.COUNTER, Unit.NANOSECONDS, "waited for a register or unregister result"),
  WAIT_SEND_QUEUE_TIME(Kind.COUNTER, Unit.NANOSECONDS, "waited for room in the send queue"),
  WAIT_BANDWIDTH_TIME(Kind.COUNTER, Unit.NANOSECONDS, "held back by the bandwidth limit");

  /** Whether a value only grows. */
  public enum Kind {
    COUNTER,
    GAUGE
  }

  /** What a value counts. */
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
