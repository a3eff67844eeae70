// SPDX-License-Identifier: Apache-2.0
package org.wridscope.figures;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metric.Unit;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.ProgramCounts.Registrations;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.RoundRates;
import org.wridscope.text.Format;

/**
 * A figure of one end of a migration: its name, its unit, who can know it, and how it is measured.
 * Every view, report and export reads figures here, so that they say the same of the same moment,
 * and "not known" where a figure is not known. Names follow QEMU's {@code query-migrate} where
 * possible.
 */
public enum Figure {
  // ---- the guest's RAM
  RAM_TOTAL(
      of(Metric.RAM_TOTAL, "RAM", "RAM of the guest")
          .knownUnlessZero()
          .inQemu("ram.total")
          .exported("data_total_bytes")),
  RAM_IN_USE_BEFORE(
      memory(
              "RAM in use before",
              "RAM that had memory of this end's host when the migration began",
              Metric.RAM_IN_USE_BEFORE,
              true)
          .exported("ram_in_use_bytes", Figure.IN_USE, "when", "before")),
  NEVER_TOUCHED_BEFORE(
      memory(
              "never touched before",
              "RAM that had no memory when the migration began: never touched, or given back",
              Metric.RAM_IN_USE_BEFORE,
              false)
          .exported("ram_never_touched_bytes", Figure.NEVER_TOUCHED, "when", "before")),
  RAM_IN_USE_AFTER(
      memory(
              "RAM in use after",
              "RAM that had memory of this end's host when the migration had completed",
              Metric.RAM_IN_USE_AFTER,
              true)
          .less()
          .exported("ram_in_use_bytes", Figure.IN_USE, "when", "after")),
  NEVER_TOUCHED_AFTER(
      memory(
              "never touched after",
              "RAM that had no memory when the migration had completed",
              Metric.RAM_IN_USE_AFTER,
              false)
          .more()
          .exported("ram_never_touched_bytes", Figure.NEVER_TOUCHED, "when", "after")),
  RAM_REMAINING(
      of(Metric.RAM_REMAINING, "RAM left", "RAM that has not arrived")
          .atSource()
          .when(reading -> reading.get(Metric.RAM_TOTAL) > 0)
          .less()
          .inQemu("ram.remaining")
          .exported("data_remaining_bytes")),
  RAM_PROCESSED(
      of(
              Metric.RAM_PROCESSED,
              "RAM processed",
              "RAM that has arrived, written or zero; counted again in each round")
          .atSource()
          .exported("data_processed_bytes")),
  RAM_TRANSFERRED(
      of(
              Metric.RAM_TRANSFERRED,
              "on the wire",
              "bytes of RDMA WRITEs and SENDs of this end that succeeded")
          .inQemu("ram.transferred")
          .exported("data_transferred_bytes")),
  NORMAL_PAGES(
      of(Metric.NORMAL_PAGES, "normal pages", "pages that arrived by RDMA WRITE")
          .atSource()
          .inQemu("ram.normal")
          .exported("pages", "Pages that arrived.", "content", "data")),
  DUPLICATE_PAGES(
      of(Metric.DUPLICATE_PAGES, "zero pages", "zero pages, announced with COMPRESS")
          .inQemu("ram.duplicate")
          .exported("pages", "Pages that arrived.", "content", "zero")),

  // ---- rounds
  ROUNDS(
      of(
              Metric.DIRTY_SYNC_COUNT,
              "rounds",
              "synchronizations of the dirty log; the number of this round")
          .knownUnlessZero()
          .exceptByPackets()
          .less()
          .inQemu("ram.dirty-sync-count")
          .exported("rounds")),
  ROUND_BYTES(
      of(Metric.ROUND_BYTES, "RAM of this round", "RAM that was dirty when this round began")
          .atSource()
          .exceptByPackets()
          .when(reading -> reading.get(Metric.DIRTY_SYNC_COUNT) > 0)
          .exported("round_bytes")),
  ROUND_PROCESSED(
      of(Metric.ROUND_PROCESSED, "processed in this round", "RAM of this round that has arrived")
          .atSource()
          .exceptByPackets()
          .when(reading -> reading.get(Metric.DIRTY_SYNC_COUNT) > 0)
          .exported("round_processed_bytes")),
  DIRTY_RATE(
      of(
              Metric.DIRTY_BYTES_RATE,
              "dirty rate",
              "dirtied by the guest over %s; a QEMU's own is that of its last one"
                  .formatted(Figure.NEWEST))
          .atSource()
          .exceptByPackets()
          .when(Figure::measuresDirtyRate)
          .less()
          .inQemu("ram.dirty-pages-rate")
          .exported("dirty_memory_rate_bytes")),
  BANDWIDTH(
      of(Metric.BANDWIDTH, "bandwidth", "RAM processed per second over " + Figure.NEWEST)
          .atSource()
          .exceptByPackets()
          .knownUnlessZero()
          .more()
          .exported("memory_transfer_rate_bytes")),
  PROCESSED_RATE(
      computed(
              Unit.BYTES_PER_SECOND,
              "throughput",
              "RAM processed per second after the set-up, zero pages included",
              reading -> average(reading, Metric.RAM_PROCESSED))
          .atSource()
          .when(reading -> reading.activeNanos() > 0)
          .more()
          .inQemu("ram.pages-per-second")),
  WIRE_RATE(
      computed(
              Unit.BYTES_PER_SECOND,
              "throughput on the wire",
              "bytes on the wire per second after the set-up",
              reading -> average(reading, Metric.RAM_TRANSFERRED))
          .atSource()
          .when(reading -> reading.activeNanos() > 0)
          .more()
          .inQemu("ram.mbps")),

  // ---- limits
  BANDWIDTH_LIMIT(
      of(Metric.BANDWIDTH_LIMIT, "bandwidth limit", "limit in force, 0 for none")
          .atSource()
          .by(Observation.ENGINE, Observation.QMP)
          .exported("bandwidth_limit_bytes")),
  DOWNTIME_LIMIT(
      of(Metric.DOWNTIME_LIMIT, "downtime limit", "limit in force")
          .atSource()
          .by(Observation.ENGINE, Observation.QMP)
          .exported("downtime_limit_seconds")),

  // ---- times
  SETUP_TIME(
      of(Metric.SETUP_TIME, "set-up", "connecting, exchanging blocks, pinning")
          .knownUnlessZero()
          .exceptByPackets()
          .less()
          .inQemu("setup-time")
          .exported("setup_seconds")),
  TOTAL_TIME(
      computed(
              Unit.NANOSECONDS,
              "total time",
              "how long the migration took, or has taken so far",
              Reading::totalNanos)
          .knownUnlessZero()
          .less()
          .inQemu("total-time")),
  DOWNTIME(
      of(Metric.DOWNTIME, "downtime", "how long the guest was paused")
          .atSource()
          .exceptByPackets()
          .knownUnlessZero()
          .less()
          .inQemu("downtime")
          .exported("downtime_seconds")),
  EXPECTED_DOWNTIME(
      computed(
              Unit.NANOSECONDS,
              "expected downtime",
              "what the guest dirties until the end of this round, at the bandwidth of "
                  + Figure.NEWEST,
              Figure::expectedDowntime)
          .atSource()
          .exceptByPackets()
          .when(reading -> !reading.status().isEnd())
          .knownUnlessZero()
          .less()
          .inQemu("expected-downtime")
          .exported("expected_downtime_seconds")),
  HELD_TIME(
      of(
              Metric.HELD_TIME,
              "held before the switch-over",
              "how long the source has waited for permission to switch over")
          .atSource()
          .by(Observation.ENGINE)
          .knownUnlessZero()
          .exported("held_seconds")),

  // ---- work requests
  WRITES_POSTED(
      of(Metric.WRITES_POSTED, "writes posted", "RDMA WRITE requests posted")
          .atSource()
          .ofRequests()
          .exported(
              "requests_posted", "Work requests posted.", "queue", "send", "operation", "write")),
  WRITES_SIGNALED(
      of(Metric.WRITES_SIGNALED, "writes signaled", "RDMA WRITE requests posted signaled")
          .atSource()
          .by(Observation.ENGINE, Observation.LOG)
          .exported("writes_signaled")),
  WRITES_COMPLETED(
      of(
              Metric.WRITES_COMPLETED,
              "writes ended",
              "RDMA WRITE requests completed or covered, with success or error")
          .atSource()
          .ofRequests()
          .exported("requests_completed", Figure.ENDED, "queue", "send", "operation", "write")),
  SENDS_POSTED(
      of(Metric.SENDS_POSTED, "SENDs posted", "SEND requests posted")
          .ofRequests()
          .exported(
              "requests_posted", "Work requests posted.", "queue", "send", "operation", "send")),
  SENDS_COMPLETED(
      of(Metric.SENDS_COMPLETED, "SENDs ended", "SEND requests completed, with success or error")
          .ofRequests()
          .exported("requests_completed", Figure.ENDED, "queue", "send", "operation", "send")),
  RECEIVES_POSTED(
      of(Metric.RECEIVES_POSTED, "receives posted", "receive requests posted")
          .ofRequests()
          .exported(
              "requests_posted",
              "Work requests posted.",
              "queue",
              "receive",
              "operation",
              "receive")),
  RECEIVES_COMPLETED(
      of(
              Metric.RECEIVES_COMPLETED,
              "receives ended",
              "receive requests completed, with success or error")
          .ofRequests()
          .exported(
              "requests_completed", Figure.ENDED, "queue", "receive", "operation", "receive")),
  FAILED_COMPLETIONS(
      of(
              Metric.FAILED_COMPLETIONS,
              "failed completions",
              "completions with a status other than success")
          .ofRequests()
          .less()
          .exported("completions_failed")),
  COMPLETIONS_DROPPED(
      of(
              Metric.COMPLETIONS_DROPPED,
              "dropped completions",
              "completions dropped by a wait for another one")
          .by(Observation.ENGINE, Observation.LOG)
          .less()
          .exported("completions_dropped")),
  COMPLETIONS_MET(
      of(
              Metric.COMPLETIONS_MET,
              "completions handled by another wait",
              "completions polled and handled by a wait for another one")
          .by(Observation.ENGINE, Observation.LOG)
          .exported("completions_met")),
  REQUESTS_SENT_AGAIN(
      of(
              Metric.REQUESTS_SENT_AGAIN,
              "retransmissions",
              "requests that the device sent again; known in a lab and from packets")
          .when(Figure::seesRetransmissions)
          .less()
          .exported("requests_sent_again")),
  SENT_AGAIN_CHANGED(
      of(
              Metric.SENT_AGAIN_CHANGED,
              "retransmissions with other data",
              "control messages of which other data was sent the second time")
          .when(Figure::seesRetransmissions)
          .less()
          .exported("requests_sent_again_changed")),
  SENT_AGAIN_UNREGISTERED(
      of(
              Metric.SENT_AGAIN_UNREGISTERED,
              "retransmissions after deregistration",
              "requests that were to be sent again after their deregistration")
          .by(Observation.ENGINE)
          .when(Figure::seesRetransmissions)
          .less()
          .exported("requests_sent_again_unregistered")),
  SEND_QUEUE_DEPTH(
      of(Metric.SEND_QUEUE_DEPTH, "send queue depth", "capacity of the send queue, in requests")
          .knownUnlessZero()
          .by(Observation.ENGINE)
          .exported("queue_depth", "Capacity of the queue, in requests.", "queue", "send")),
  RECEIVE_QUEUE_DEPTH(
      of(
              Metric.RECEIVE_QUEUE_DEPTH,
              "receive queue depth",
              "capacity of the receive queue, in requests")
          .knownUnlessZero()
          .by(Observation.ENGINE)
          .exported("queue_depth", "Capacity of the queue, in requests.", "queue", "receive")),
  COMPLETION_QUEUE_SHARED(
      of(
              Metric.COMPLETION_QUEUE_SHARED,
              "shared completion queue",
              "1 if sends and receives complete in one queue, 0 if each has its own")
          .by(Observation.ENGINE, Observation.LOG)
          .notCompared()
          .exported("completion_queue_shared")),
  QUEUE_PAIR_REFERENCES(
      of(
              Metric.QUEUE_PAIR_REFERENCES,
              "references to the queue pair",
              "references to the queue pair that handlers of its events hold")
          .by(Observation.ENGINE)
          .notCompared()
          .exported("queue_pair_references")),
  SEND_CONTEXT_WAITS(
      of(
              Metric.SEND_CONTEXT_WAITS,
              "waits for a send context",
              "waits for a completion because no send context was free")
          .atSource()
          .by(Observation.ENGINE, Observation.LOG)
          .less()
          .exported("send_context_waits")),
  COMPLETION_WAITS(
      of(Metric.COMPLETION_WAITS, "sleeps", "sleeps on the completion channel")
          .by(Observation.ENGINE)
          .exported("completion_waits")),
  COMPLETION_GAP(
      of(
              Metric.COMPLETION_GAP,
              "longest time between two completions",
              "longest time between two successive completions that this end polled, of any queue and"
                  + " status, from the set-up to the end, the comparison of RAM not included")
          .by(Observation.ENGINE)
          .knownUnlessZero()
          .less()
          .exported("completion_gap_seconds")),

  // ---- memory regions
  REGISTRATIONS_ALIVE(
      of(
              Metric.REGISTRATIONS_ALIVE,
              "regions now",
              "memory regions" + Figure.OF_RAM + " registered now")
          .ofAllRegistrations()
          .exported("registrations")),
  REGISTRATIONS_PEAK(
      of(
              Metric.REGISTRATIONS_PEAK,
              "peak of regions",
              "most memory regions" + Figure.OF_RAM + " registered at once")
          .ofAllRegistrations()
          .exported("registrations_peak")),
  REGISTRATIONS_TOTAL(
      of(
              Metric.REGISTRATIONS_TOTAL,
              "regions in total",
              "memory regions" + Figure.OF_RAM + " registered while it was observed")
          .ofRegistrations()
          .exported("registrations_made")),
  DEREGISTRATIONS_TOTAL(
      of(
              Metric.DEREGISTRATIONS_TOTAL,
              "deregistrations",
              "memory regions" + Figure.OF_RAM + " deregistered while it was observed")
          .ofRegistrations()
          .exported("deregistrations")),
  REGISTRATIONS_REFUSED(
      of(
              Metric.REGISTRATIONS_REFUSED,
              "refused registrations",
              "calls that were to register or deregister memory and returned an error")
          .by(Observation.PROGRAM)
          .when(Figure::seesRegistrations)
          .less()
          .exported("registrations_refused")),
  REGISTERED_BYTES(
      of(Metric.REGISTERED_BYTES, "pinned now", "memory registered now")
          .ofAllRegistrations()
          .exported("registered_bytes")),
  REGISTERED_BYTES_PEAK(
      of(Metric.REGISTERED_BYTES_PEAK, "peak of pinned memory", "most memory registered at once")
          .ofAllRegistrations()
          .less()
          .exported("registered_peak_bytes")),
  MEMLOCK_LIMIT(
      of(
              Metric.MEMLOCK_LIMIT,
              "limit of locked memory",
              "memory that the process may lock, 0 for any amount or unknown")
          .by(Observation.ENGINE)
          .knownUnlessZero()
          .exported("memlock_limit_bytes")),
  REGISTRATION_TIME(
      of(Metric.REGISTRATION_TIME, "time of registrations", "time spent registering memory")
          .by(Observation.ENGINE, Observation.LOG)
          .less()
          .exported("registration_seconds")),
  REGISTRATION_ROUND_TRIPS(
      of(Metric.REGISTRATION_ROUND_TRIPS, "round trips for keys", "register requests answered")
          .ofRequests()
          .less()
          .exported("registration_round_trips")),
  UNREGISTER_HINTS(
      of(
              Metric.UNREGISTER_HINTS,
              "unregister hints",
              "chunks that need not stay registered, according to guest or user")
          .ofUnregistrations()
          .exported("unregister_hints")),
  UNREGISTRATIONS(
      of(
              Metric.UNREGISTRATIONS,
              "early deregistrations",
              "memory regions of RAM that both ends deregistered early")
          .ofUnregistrations()
          .exported("unregistrations")),
  UNREGISTRATIONS_DEFERRED(
      of(
              Metric.UNREGISTRATIONS_DEFERRED,
              "postponed deregistrations",
              "deregistrations postponed because a write was in transit or next")
          .ofUnregistrations()
          .exported("unregistrations_deferred")),
  UNREGISTRATIONS_REFUSED(
      of(
              Metric.UNREGISTRATIONS_REFUSED,
              "refused deregistrations",
              "deregistrations not queued because the queue was full")
          .ofUnregistrations()
          .exported("unregistrations_refused")),

  // ---- where the engine's time goes
  SCAN_TIME(
      of(Metric.SCAN_TIME, "zero scan", "time spent searching for zero pages")
          .ofEngineTime()
          .exported("zero_scan_seconds")),
  FILL_TIME(
      of(
              Metric.FILL_TIME,
              "zero fill",
              "time spent filling RAM that the source announced as zero with COMPRESS")
          .atDestination()
          .by(Observation.ENGINE)
          .when(Figure::measuresFills)
          .less()
          .exported("zero_fill_seconds")),
  WAIT_READY_TIME(
      of(
              Metric.WAIT_READY_TIME,
              "waiting for READY",
              "time spent waiting for the destination's READY")
          .ofEngineTime()
          .exported("wait_seconds", Figure.WAITED, "for", "ready")),
  WAIT_REGISTER_TIME(
      of(
              Metric.WAIT_REGISTER_TIME,
              "waiting for keys",
              "time spent waiting for a register or unregister result")
          .ofEngineTime()
          .exported("wait_seconds", Figure.WAITED, "for", "register_result")),
  WAIT_SEND_QUEUE_TIME(
      of(
              Metric.WAIT_SEND_QUEUE_TIME,
              "waiting for the send queue",
              "time spent waiting for space in the send queue")
          .ofEngineTime()
          .exported("wait_seconds", Figure.WAITED, "for", "send_queue")),
  WAIT_BANDWIDTH_TIME(
      of(
              Metric.WAIT_BANDWIDTH_TIME,
              "held back by the bandwidth limit",
              "time during which the bandwidth limit held back the source")
          .ofEngineTime()
          .exported("wait_seconds", Figure.WAITED, "for", "bandwidth_limit"));

  /** What every surface says of a figure that is not known. */
  public static final String NOT_KNOWN = "not known";

  private static final String ENDED =
      "Work requests that ended, with a completion of their own or of a later request.";
  private static final String NEWEST = "the newest " + RoundRates.ROUNDS + " rounds";
  private static final String OF_RAM = " (of a migration, those of RAM)";
  private static final String WAITED = "Time spent waiting, by what was waited for.";

  private static final String IN_USE =
      "RAM that had memory of this end's host before or after the migration.";
  private static final String NEVER_TOUCHED =
      "RAM that had no memory of this end's host before or after the migration.";

  /** Whether more of a figure is better, less, or neither. */
  public enum Better {
    MORE,
    LESS,
    NEITHER
  }

  /**
   * The name of a figure in Prometheus.
   *
   * @param name without prefix, and without the suffix of counters
   * @param help one sentence, the same for all figures of this name
   * @param labels names and values in turn: what distinguishes it from others of this name
   */
  public record Exported(String name, String help, List<String> labels) {
    public Exported {
      labels = List.copyOf(labels);
    }
  }

  private final Definition definition;

  Figure(Definition definition) {
    this.definition = definition;
  }

  /** What a table calls it. */
  public String title() {
    return definition.title;
  }

  /** A phrase that says what is measured, for a tool tip or a page. */
  public String measured() {
    return definition.measured;
  }

  public Unit unit() {
    return definition.unit;
  }

  /** Where its value is kept; empty if it is computed. */
  public Optional<Metric> metric() {
    return Optional.ofNullable(definition.metric);
  }

  /** Whether it only grows. */
  public boolean isCounter() {
    return definition.counter;
  }

  /** Whether a difference between two migrations says something. */
  public boolean isCompared() {
    return definition.compared;
  }

  public Better better() {
    return definition.better;
  }

  /** The ends that can know it. */
  public Set<Role> ends() {
    return Collections.unmodifiableSet(definition.ends);
  }

  /** The ways of observing that can know it. */
  public Set<Observation> observations() {
    return Collections.unmodifiableSet(definition.observations);
  }

  /** Its member in the answer to QEMU's {@code query-migrate}; empty if it has none. */
  public String inQemu() {
    return definition.inQemu;
  }

  /** Its name in Prometheus; empty if it is exported otherwise, or not. */
  public Optional<Exported> exported() {
    return Optional.ofNullable(definition.exported);
  }

  /** Its value; empty if it is not known. */
  public OptionalLong in(Reading reading) {
    return definition.ends.contains(reading.role())
            && definition.observations.contains(reading.by())
            && definition.known.test(reading)
        ? OptionalLong.of(definition.value.applyAsLong(reading))
        : OptionalLong.empty();
  }

  /** Its value in words, or {@link #NOT_KNOWN}. */
  public String text(Reading reading) {
    OptionalLong value = in(reading);
    return value.isPresent() ? text(value.getAsLong()) : NOT_KNOWN;
  }

  /** A value of it in words. */
  public String text(long value) {
    return this == BANDWIDTH_LIMIT && value == 0 ? "none" : unit().text(value);
  }

  // ------------------------------------------------------------------------------------- rules

  private static boolean measuresDirtyRate(Reading reading) {
    return knowsDirtyRate(
        reading.by(), reading.get(Metric.DIRTY_BYTES_RATE), reading.get(Metric.DIRTY_SYNC_COUNT));
  }

  /**
   * Whether a dirty rate was measured: that of the first round is known after it.
   *
   * @param rate bytes per second; 0 is also what a QEMU and a log say of one that was not measured
   * @param round the number of the round in which it was told
   */
  public static boolean knowsDirtyRate(Observation by, long rate, long round) {
    return rate > 0 || (by == Observation.ENGINE && round > 1);
  }

  /** Packets show them, and so does the software device of a lab; other devices do not tell. */
  private static boolean seesRetransmissions(Reading reading) {
    return reading.by() == Observation.PACKETS || reading.get(Metric.REQUESTS_SENT_AGAIN) > 0;
  }

  /** A recording of a Wridscope that did not measure it has filled pages, and no time. */
  private static boolean measuresFills(Reading reading) {
    return reading.get(Metric.FILL_TIME) > 0 || reading.get(Metric.DUPLICATE_PAGES) == 0;
  }

  /** Packets have only the destination's keys; of a program, some sources tell none. */
  private static boolean seesRegistrations(Reading reading) {
    return switch (reading.by()) {
      case PACKETS -> reading.role() == Role.DESTINATION;
      case PROGRAM ->
          reading.get(Metric.REGISTRATIONS_SEEN) > Registrations.NONE.ordinal()
              || reading.get(Metric.REGISTRATIONS_TOTAL) > 0
              || reading.get(Metric.DEREGISTRATIONS_TOTAL) > 0;
      case ENGINE, QMP, LOG -> true;
    };
  }

  /** Of a program, what it registered before may not be known, and calls may be lost. */
  private static boolean seesAllRegistrations(Reading reading) {
    return reading.by() != Observation.PROGRAM
        || reading.get(Metric.REGISTRATIONS_SEEN) >= Registrations.ALL.ordinal();
  }

  /** A QEMU says it itself; in the downtime, what was left when the guest was paused counts. */
  private static long expectedDowntime(Reading reading) {
    long estimate = Estimate.of(reading, 0).downtimeNanos();
    return estimate == Estimate.UNKNOWN
            || reading.by() == Observation.QMP
            || reading.status() == MigrationStatus.DEVICE
        ? reading.get(Metric.EXPECTED_DOWNTIME)
        : estimate;
  }

  private static long average(Reading reading, Metric metric) {
    return Math.round(
        reading.get(metric)
            * ((double) TimeUnit.SECONDS.toNanos(1) / Math.max(1, reading.activeNanos())));
  }

  private static Definition of(Metric metric, String title, String measured) {
    var definition = new Definition(metric.unit(), title, measured, reading -> reading.get(metric));
    definition.metric = metric;
    definition.counter = metric.kind() == Metric.Kind.COUNTER;
    return definition;
  }

  /** What a moment's look at the RAM found; the rest of it was never touched, or given back. */
  private static Definition memory(String title, String measured, Metric when, boolean used) {
    return computed(
            Unit.BYTES,
            title,
            measured,
            reading -> {
              long inUse = reading.metrics().inUse(when).orElse(0);
              return used ? inUse : Math.max(0, reading.get(Metric.RAM_TOTAL) - inUse);
            })
        .by(Observation.ENGINE)
        .when(reading -> reading.metrics().inUse(when).isPresent());
  }

  private static Definition computed(
      Unit unit, String title, String measured, ToLongFunction<Reading> value) {
    return new Definition(unit, title, measured, value);
  }

  /** What is known of a figure; complete once the figure exists. */
  private static final class Definition {
    final Unit unit;
    final String title;
    final String measured;
    final ToLongFunction<Reading> value;
    @Nullable Metric metric;
    boolean counter;
    Set<Role> ends = EnumSet.allOf(Role.class);
    Set<Observation> observations = EnumSet.copyOf(Observation.OF_MIGRATIONS);
    Predicate<Reading> known = _ -> true;
    Better better = Better.NEITHER;
    boolean compared = true;
    String inQemu = "";
    @Nullable Exported exported;

    Definition(Unit unit, String title, String measured, ToLongFunction<Reading> value) {
      this.unit = unit;
      this.title = title;
      this.measured = measured;
      this.value = value;
    }

    Definition atSource() {
      ends = EnumSet.of(Role.SOURCE);
      return this;
    }

    Definition atDestination() {
      ends = EnumSet.of(Role.DESTINATION);
      return this;
    }

    Definition by(Observation first, Observation... others) {
      observations = EnumSet.of(first, others);
      return this;
    }

    /** Packets show neither rounds nor when the guest is paused. */
    Definition exceptByPackets() {
      return by(Observation.ENGINE, Observation.QMP, Observation.LOG);
    }

    Definition when(Predicate<Reading> rule) {
      known = known.and(rule);
      return this;
    }

    /** Of a time or an amount that is measured once, 0 means that it is not known yet. */
    Definition knownUnlessZero() {
      return when(reading -> value.applyAsLong(reading) != 0);
    }

    /** Everything that sees work requests. */
    Definition ofRequests() {
      return by(Observation.ENGINE, Observation.LOG, Observation.PACKETS);
    }

    Definition ofRegistrations() {
      return by(Observation.ENGINE, Observation.LOG, Observation.PACKETS, Observation.PROGRAM)
          .when(Figure::seesRegistrations);
    }

    Definition ofAllRegistrations() {
      return ofRegistrations().when(Figure::seesAllRegistrations);
    }

    Definition ofUnregistrations() {
      return atSource().by(Observation.ENGINE, Observation.LOG);
    }

    Definition ofEngineTime() {
      return atSource().by(Observation.ENGINE).less();
    }

    Definition more() {
      better = Better.MORE;
      return this;
    }

    Definition less() {
      better = Better.LESS;
      return this;
    }

    Definition notCompared() {
      compared = false;
      return this;
    }

    Definition inQemu(String member) {
      inQemu = member;
      return this;
    }

    Definition exported(String name) {
      return exported(name, Format.capitalized(measured) + ".");
    }

    Definition exported(String name, String help, String... labels) {
      exported = new Exported(name, help, List.of(labels));
      return this;
    }
  }
}
