// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EarlyRelease;
import org.wridscope.engine.MigrationSession;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.guest.Tracking;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.MessageCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.time.Time;

/** Creates reports of sessions. */
public final class Reports {
  private static final double NANOS_PER_MILLISECOND = 1e6;

  private Reports() {}

  /** The part of a report that is not in the telemetry. */
  private record FromEngine(
      @Nullable String peer,
      boolean pinAll,
      boolean verified,
      boolean uncompared,
      List<String> unconfirmed,
      Map<DowntimePart, Double> downtimePhases,
      MigrationReport.Digests digests) {
    static final FromEngine NOTHING =
        new FromEngine(
            null,
            false,
            false,
            false,
            List.of(),
            Map.of(),
            new MigrationReport.Digests(Map.of(), Map.of()));
  }

  static MigrationReport of(Session session, MigrationSession engine) {
    boolean source = session.role() == Role.SOURCE;
    Map<String, String> own = digests(engine.ownDigests());
    Map<String, String> peer = digests(engine.peerDigests());
    return of(
        session,
        totalNanos(session.telemetry(), session.telemetry().now()),
        new FromEngine(
            peer(engine.agreed()),
            engine.pinAll(),
            engine.verified(),
            !engine.isCompared(),
            engine.unconfirmed(),
            phases(engine.downtimePhases()),
            new MigrationReport.Digests(source ? own : peer, source ? peer : own)));
  }

  /** A report of a migration by QEMU's own engine, which compares nothing. */
  static MigrationReport ofQemu(Session session, boolean pinAll) {
    return of(
        session,
        totalNanos(session.telemetry(), session.telemetry().now()),
        new FromEngine(
            MigrationReport.QEMU,
            pinAll,
            false,
            true,
            List.of("QEMU's own engine does not compare the RAM of both ends."),
            Map.of(),
            new MigrationReport.Digests(Map.of(), Map.of())));
  }

  /**
   * A report from the telemetry alone, without the peer, the digests, and the phases of the
   * downtime.
   *
   * @param nowNanos the present time on the session's clock
   */
  public static MigrationReport ofTelemetry(Session session, long nowNanos) {
    return of(session, totalNanos(session.telemetry(), nowNanos), FromEngine.NOTHING);
  }

  /**
   * A report of a migration of QEMUs that is only watched, from the telemetry alone.
   *
   * @param pinAll whether all RAM was pinned, as far as it was seen
   * @param nowNanos the present time on the session's clock
   */
  public static MigrationReport ofWatched(Session session, boolean pinAll, long nowNanos) {
    return of(
        session,
        totalNanos(session.telemetry(), nowNanos),
        new FromEngine(
            MigrationReport.QEMU,
            pinAll,
            false,
            false,
            List.of(),
            Map.of(),
            new MigrationReport.Digests(Map.of(), Map.of())));
  }

  /**
   * A report from the telemetry alone of a session whose clock is not known: no duration and no
   * rate.
   */
  public static MigrationReport ofUntimedTelemetry(Session session) {
    return of(session, 0, FromEngine.NOTHING);
  }

  /**
   * What the figures of a session are read from.
   *
   * @param nowNanos the moment that it shows, on the session's clock
   */
  static Reading reading(Session session, long nowNanos) {
    boolean timed = session.recorded().map(Recorded::measuresTime).orElse(true);
    return reading(
        session, timed ? totalNanos(session.telemetry(), nowNanos) : 0, session.status());
  }

  private static Reading reading(Session session, long totalNanos, MigrationStatus status) {
    return new Reading(
        session.role(), status, session.observation(), session.telemetry().metrics(), totalNanos);
  }

  private static MigrationReport of(Session session, long totalNanos, FromEngine engine) {
    SessionTelemetry telemetry = session.telemetry();
    MigrationStatus status = telemetry.status();
    Reading reading = reading(session, totalNanos, status);
    boolean failed = status == MigrationStatus.FAILED || status == MigrationStatus.UNDECIDED;
    boolean source = session.role() == Role.SOURCE;
    String schedule = Time.schedule();
    return new MigrationReport(
        status.qemuName(),
        Math.round(totalNanos / NANOS_PER_MILLISECOND),
        milliseconds(reading, Figure.DOWNTIME),
        milliseconds(reading, Figure.EXPECTED_DOWNTIME),
        Objects.requireNonNullElse(milliseconds(reading, Figure.SETUP_TIME), 0L),
        milliseconds(reading, Figure.HELD_TIME),
        ram(reading),
        failed ? session.outcome() : null,
        source ? "source" : "destination",
        session.uri(),
        session.device(),
        engine.peer,
        engine.pinAll,
        engine.verified,
        engine.uncompared,
        engine.unconfirmed,
        engine.downtimePhases,
        completions(reading),
        registrations(reading),
        new MigrationReport.Messages(
            messages(telemetry.messagesSent()), messages(telemetry.messagesReceived())),
        engine.digests,
        session.virtio().map(Reports::virtio).orElse(null),
        session.machine().orElse(null),
        EarlyRelease.finding(telemetry),
        schedule.isEmpty() ? null : schedule,
        telemetry.eventsLeftOut(),
        turnedAway(telemetry.turnedAway().counts()),
        memory(reading));
  }

  private static MigrationReport.@Nullable Memory memory(Reading reading) {
    var memory =
        new MigrationReport.Memory(
            value(reading, Figure.RAM_IN_USE_BEFORE),
            value(reading, Figure.NEVER_TOUCHED_BEFORE),
            value(reading, Figure.RAM_IN_USE_AFTER),
            value(reading, Figure.NEVER_TOUCHED_AFTER));
    return memory.isKnown() ? memory : null;
  }

  private static MigrationReport.@Nullable TurnedAway turnedAway(TurnedAway.Counts counts) {
    if (counts.total() == 0) {
      return null;
    }
    var reasons = new LinkedHashMap<String, Long>();
    counts.reasons().forEach((reason, number) -> reasons.put(reason.label(), number));
    return new MigrationReport.TurnedAway(
        counts.total(), counts.sentence(), reasons, counts.addresses(), counts.elsewhere());
  }

  /** The virtio devices at a moment; null before they were set up. */
  static MigrationReport.@Nullable Virtio virtio(VirtioSnapshot virtio) {
    if (virtio.queues().isEmpty()) {
      return null;
    }
    String observed = virtio.observed().map(RequestFailure::observation).orElse(null);
    return new MigrationReport.Virtio(
        virtio.queues().stream().mapToLong(QueueSnapshot::completed).sum(),
        virtio.queues().stream().mapToLong(queue -> queue.inFlight().size()).sum(),
        virtio.mapChanges(),
        virtio.resets(),
        virtio.predicted().map(RequestFailure::prediction).orElse(observed),
        observed);
  }

  /** A guest's machine in another process, at this moment. */
  static MigrationReport.Machine machine(String name, QmpAddress qmp, @Nullable Tracking tracking) {
    return new MigrationReport.Machine(
        name,
        qmp.toString(),
        tracking == null
            ? null
            : new MigrationReport.DirtyLog(
                tracking.method(),
                tracking.reason(),
                tracking.scans(),
                tracking.nanos() / NANOS_PER_MILLISECOND,
                tracking.pausedNanos() / NANOS_PER_MILLISECOND));
  }

  private static @Nullable String peer(@Nullable Capabilities agreed) {
    if (agreed == null) {
      return null;
    }
    return agreed.wridscope() ? MigrationReport.WRIDSCOPE : MigrationReport.QEMU;
  }

  private static MigrationReport.Ram ram(Reading reading) {
    long normal = count(reading, Figure.NORMAL_PAGES);
    Long dirty = value(reading, Figure.DIRTY_RATE);
    Long wire = value(reading, Figure.WIRE_RATE);
    Long processed = value(reading, Figure.PROCESSED_RATE);
    return new MigrationReport.Ram(
        count(reading, Figure.RAM_TRANSFERRED),
        count(reading, Figure.RAM_REMAINING),
        count(reading, Figure.RAM_TOTAL),
        count(reading, Figure.DUPLICATE_PAGES),
        normal,
        normal * RamBlock.PAGE_SIZE,
        dirty == null ? null : dirty / RamBlock.PAGE_SIZE,
        wire == null ? null : wire * 8 / 1e6,
        count(reading, Figure.ROUNDS),
        RamBlock.PAGE_SIZE,
        processed == null ? null : processed / RamBlock.PAGE_SIZE);
  }

  /** Null unless work requests are seen. */
  private static MigrationReport.@Nullable Completions completions(Reading reading) {
    if (Figure.FAILED_COMPLETIONS.in(reading).isEmpty()) {
      return null;
    }
    var send =
        new MigrationReport.Completions.Queue(
            count(reading, Figure.WRITES_POSTED) + count(reading, Figure.SENDS_POSTED),
            count(reading, Figure.WRITES_COMPLETED) + count(reading, Figure.SENDS_COMPLETED));
    var receive =
        new MigrationReport.Completions.Queue(
            count(reading, Figure.RECEIVES_POSTED), count(reading, Figure.RECEIVES_COMPLETED));
    return new MigrationReport.Completions(
        send,
        receive,
        count(reading, Figure.COMPLETION_QUEUE_SHARED) > 0 ? send.plus(receive) : null,
        count(reading, Figure.FAILED_COMPLETIONS),
        count(reading, Figure.COMPLETIONS_DROPPED),
        count(reading, Figure.COMPLETIONS_MET));
  }

  /** Null unless memory regions are seen. */
  private static MigrationReport.@Nullable Registrations registrations(Reading reading) {
    return Figure.REGISTRATIONS_TOTAL.in(reading).isEmpty()
        ? null
        : new MigrationReport.Registrations(
            count(reading, Figure.REGISTRATIONS_ALIVE),
            count(reading, Figure.REGISTRATIONS_PEAK),
            count(reading, Figure.REGISTRATIONS_TOTAL),
            count(reading, Figure.REGISTERED_BYTES_PEAK),
            count(reading, Figure.REGISTRATION_ROUND_TRIPS),
            count(reading, Figure.UNREGISTER_HINTS),
            count(reading, Figure.UNREGISTRATIONS),
            count(reading, Figure.UNREGISTRATIONS_DEFERRED));
  }

  /** Duration of the migration, so far or in total. */
  private static long totalNanos(SessionTelemetry telemetry, long nowNanos) {
    long total = telemetry.metrics().get(Metric.TOTAL_TIME);
    List<Phase> phases = telemetry.phases();
    boolean running = total == 0 && !telemetry.status().isEnd() && !phases.isEmpty();
    return running ? nowNanos - phases.getFirst().nanos() : total;
  }

  private static @Nullable Long value(Reading reading, Figure figure) {
    OptionalLong value = figure.in(reading);
    return value.isPresent() ? value.getAsLong() : null;
  }

  /** A value of which the answer of a QEMU has 0 where it is not known. */
  private static long count(Reading reading, Figure figure) {
    return figure.in(reading).orElse(0);
  }

  /** Whole milliseconds, as in QEMU; null if it is not known. */
  private static @Nullable Long milliseconds(Reading reading, Figure figure) {
    Long nanos = value(reading, figure);
    return nanos == null ? null : (Long) Math.round(nanos / NANOS_PER_MILLISECOND);
  }

  private static Map<DowntimePart, Double> phases(Map<DowntimePart, Long> nanos) {
    var phases = new EnumMap<DowntimePart, Double>(DowntimePart.class);
    nanos.forEach((part, value) -> phases.put(part, value / NANOS_PER_MILLISECOND));
    return phases;
  }

  private static Map<String, Long> messages(MessageCounts counts) {
    var messages = new LinkedHashMap<String, Long>();
    for (ControlType type : ControlType.values()) {
      if (counts.get(type) > 0) {
        messages.put(type.text(), counts.get(type));
      }
    }
    return messages;
  }

  private static Map<String, String> digests(List<BlockDigest> digests) {
    var byName = new LinkedHashMap<String, String>();
    digests.forEach(digest -> byName.put(digest.name(), digest.digest()));
    return byName;
  }
}
