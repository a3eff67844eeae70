// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.wridscope.text.Format;

/**
 * Where the counters and measurements of a session are kept; {@code figures.Figure} says what each
 * means, and when it is known. Only the session's engine thread writes them; see {@link Metrics}.
 */
public enum Metric {
  RAM_TOTAL(Kind.GAUGE, Unit.BYTES),
  /** See {@link Metrics#inUse}. */
  RAM_IN_USE_BEFORE(Kind.GAUGE, Unit.BYTES),
  /** See {@link Metrics#inUse}. */
  RAM_IN_USE_AFTER(Kind.GAUGE, Unit.BYTES),
  RAM_REMAINING(Kind.GAUGE, Unit.BYTES),
  RAM_PROCESSED(Kind.COUNTER, Unit.BYTES),
  RAM_TRANSFERRED(Kind.COUNTER, Unit.BYTES),
  NORMAL_PAGES(Kind.COUNTER, Unit.PAGES),
  DUPLICATE_PAGES(Kind.COUNTER, Unit.PAGES),
  ROUND_BYTES(Kind.GAUGE, Unit.BYTES),
  ROUND_PROCESSED(Kind.GAUGE, Unit.BYTES),
  DIRTY_SYNC_COUNT(Kind.COUNTER, Unit.COUNT),
  DIRTY_BYTES_RATE(Kind.GAUGE, Unit.BYTES_PER_SECOND),
  BANDWIDTH(Kind.GAUGE, Unit.BYTES_PER_SECOND),
  BANDWIDTH_LIMIT(Kind.GAUGE, Unit.BYTES_PER_SECOND),
  DOWNTIME_LIMIT(Kind.GAUGE, Unit.NANOSECONDS),
  SETUP_TIME(Kind.GAUGE, Unit.NANOSECONDS),
  TOTAL_TIME(Kind.GAUGE, Unit.NANOSECONDS),
  DOWNTIME(Kind.GAUGE, Unit.NANOSECONDS),
  EXPECTED_DOWNTIME(Kind.GAUGE, Unit.NANOSECONDS),
  HELD_TIME(Kind.GAUGE, Unit.NANOSECONDS),

  WRITES_POSTED(Kind.COUNTER, Unit.COUNT),
  WRITES_SIGNALED(Kind.COUNTER, Unit.COUNT),
  WRITES_COMPLETED(Kind.COUNTER, Unit.COUNT),
  SENDS_POSTED(Kind.COUNTER, Unit.COUNT),
  SENDS_COMPLETED(Kind.COUNTER, Unit.COUNT),
  RECEIVES_POSTED(Kind.COUNTER, Unit.COUNT),
  RECEIVES_COMPLETED(Kind.COUNTER, Unit.COUNT),
  FAILED_COMPLETIONS(Kind.COUNTER, Unit.COUNT),
  COMPLETIONS_DROPPED(Kind.COUNTER, Unit.COUNT),
  COMPLETION_QUEUE_SHARED(Kind.GAUGE, Unit.COUNT),
  REQUESTS_SENT_AGAIN(Kind.COUNTER, Unit.COUNT),
  SENT_AGAIN_CHANGED(Kind.COUNTER, Unit.COUNT),
  SENT_AGAIN_UNREGISTERED(Kind.COUNTER, Unit.COUNT),
  COMPLETIONS_MET(Kind.COUNTER, Unit.COUNT),
  SEND_QUEUE_DEPTH(Kind.GAUGE, Unit.COUNT),
  RECEIVE_QUEUE_DEPTH(Kind.GAUGE, Unit.COUNT),
  QUEUE_PAIR_NUMBER(Kind.GAUGE, Unit.COUNT),
  QUEUE_PAIR_IDS(Kind.GAUGE, Unit.COUNT),
  QUEUE_PAIR_REFERENCES(Kind.GAUGE, Unit.COUNT),
  SEND_CONTEXT_WAITS(Kind.COUNTER, Unit.COUNT),
  COMPLETION_WAITS(Kind.COUNTER, Unit.COUNT),
  COMPLETION_GAP(Kind.GAUGE, Unit.NANOSECONDS),

  REGISTRATIONS_ALIVE(Kind.GAUGE, Unit.COUNT),
  REGISTRATIONS_PEAK(Kind.GAUGE, Unit.COUNT),
  REGISTRATIONS_TOTAL(Kind.COUNTER, Unit.COUNT),
  DEREGISTRATIONS_TOTAL(Kind.COUNTER, Unit.COUNT),
  REGISTRATIONS_REFUSED(Kind.COUNTER, Unit.COUNT),
  /** How much of a program's registrations is seen: the detail of a {@code PROGRAM_REGIONS}. */
  REGISTRATIONS_SEEN(Kind.GAUGE, Unit.COUNT),
  REGISTERED_BYTES(Kind.GAUGE, Unit.BYTES),
  REGISTERED_BYTES_PEAK(Kind.GAUGE, Unit.BYTES),
  MEMLOCK_LIMIT(Kind.GAUGE, Unit.BYTES),
  REGISTRATION_TIME(Kind.COUNTER, Unit.NANOSECONDS),
  REGISTRATION_ROUND_TRIPS(Kind.COUNTER, Unit.COUNT),

  UNREGISTER_HINTS(Kind.COUNTER, Unit.COUNT),
  UNREGISTRATIONS(Kind.COUNTER, Unit.COUNT),
  UNREGISTRATIONS_DEFERRED(Kind.COUNTER, Unit.COUNT),
  UNREGISTRATIONS_REFUSED(Kind.COUNTER, Unit.COUNT),

  SCAN_TIME(Kind.COUNTER, Unit.NANOSECONDS),
  FILL_TIME(Kind.COUNTER, Unit.NANOSECONDS),
  WAIT_READY_TIME(Kind.COUNTER, Unit.NANOSECONDS),
  WAIT_REGISTER_TIME(Kind.COUNTER, Unit.NANOSECONDS),
  WAIT_SEND_QUEUE_TIME(Kind.COUNTER, Unit.NANOSECONDS),
  WAIT_BANDWIDTH_TIME(Kind.COUNTER, Unit.NANOSECONDS);

  /** Whether a value can decrease. */
  public enum Kind {
    COUNTER,
    GAUGE
  }

  /** The unit of a value. */
  public enum Unit {
    COUNT(""),
    PAGES("pages"),
    BYTES("bytes"),
    BYTES_PER_SECOND("bytes/s"),
    NANOSECONDS("ns");

    private final String symbol;

    Unit(String symbol) {
      this.symbol = symbol;
    }

    /** What a table of plain numbers calls it; empty for a count. */
    public String symbol() {
      return symbol;
    }

    /**
     * A value of it, rounded for people.
     *
     * @param value not negative
     */
    public String text(long value) {
      return switch (this) {
        case COUNT, PAGES -> Format.count(value);
        case BYTES -> Format.bytes(value);
        case BYTES_PER_SECOND -> Format.rate(value);
        case NANOSECONDS -> Format.duration(value);
      };
    }
  }

  private final Kind kind;
  private final Unit unit;

  Metric(Kind kind, Unit unit) {
    this.kind = kind;
    this.unit = unit;
  }

  public Kind kind() {
    return kind;
  }

  public Unit unit() {
    return unit;
  }
}
