// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EarlyRelease;
import org.wridscope.engine.MigrationSession;
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
import org.wridscope.telemetry.Metrics;
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

  private static MigrationReport of(Session session, long totalNanos, FromEngine engine) {
    SessionTelemetry telemetry = session.telemetry();
    Metrics metrics = telemetry.metrics();
    MigrationStatus status = telemetry.status();
    boolean failed = status == MigrationStatus.FAILED || status == MigrationStatus.UNDECIDED;
    boolean source = session.role() == Role.SOURCE;
    String schedule = Time.schedule();
    return new MigrationReport(
        status.qemuName(),
        Math.round(totalNanos / NANOS_PER_MILLISECOND),
        known(metrics, Metric.DOWNTIME),
        status.isEnd() ? null : known(metrics, Metric.EXPECTED_DOWNTIME),
        milliseconds(metrics, Metric.SETUP_TIME),
        known(metrics, Metric.HELD_TIME),
        ram(metrics, totalNanos),
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
        completions(metrics),
        new MigrationReport.Registrations(
            metrics.get(Metric.REGISTRATIONS_ALIVE),
            metrics.get(Metric.REGISTRATIONS_PEAK),
            metrics.get(Metric.REGISTRATIONS_TOTAL),
            metrics.get(Metric.REGISTERED_BYTES_PEAK),
            metrics.get(Metric.REGISTRATION_ROUND_TRIPS),
            metrics.get(Metric.UNREGISTER_HINTS),
            metrics.get(Metric.UNREGISTRATIONS),
            metrics.get(Metric.UNREGISTRATIONS_DEFERRED)),
        new MigrationReport.Messages(
            messages(telemetry.messagesSent()), messages(telemetry.messagesReceived())),
        engine.digests,
        session.virtio().map(Reports::virtio).orElse(null),
        session.machine().orElse(null),
        EarlyRelease.finding(telemetry),
        schedule.isEmpty() ? null : schedule,
        telemetry.eventsLeftOut(),
        turnedAway(telemetry.turnedAway().counts()),
        memory(metrics));
  }

  private static MigrationReport.@Nullable Memory memory(Metrics metrics) {
    MigrationReport.Memory memory = MigrationReport.Memory.of(metrics);
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

  private static MigrationReport.Ram ram(Metrics metrics, long totalNanos) {
    long normal = metrics.get(Metric.NORMAL_PAGES);
    double seconds = (totalNanos - metrics.get(Metric.SETUP_TIME)) * 1e-9;
    double processed = metrics.get(Metric.RAM_PROCESSED);
    double perSecond = seconds > 0 ? processed / seconds : 0;
    return new MigrationReport.Ram(
        metrics.get(Metric.RAM_TRANSFERRED),
        metrics.get(Metric.RAM_REMAINING),
        metrics.get(Metric.RAM_TOTAL),
        metrics.get(Metric.DUPLICATE_PAGES),
        normal,
        normal * RamBlock.PAGE_SIZE,
        metrics.get(Metric.DIRTY_BYTES_RATE) / RamBlock.PAGE_SIZE,
        perSecond * 8 / 1e6,
        metrics.get(Metric.DIRTY_SYNC_COUNT),
        RamBlock.PAGE_SIZE,
        (long) (perSecond / RamBlock.PAGE_SIZE));
  }

  /** The completions of a session. */
  private static MigrationReport.Completions completions(Metrics metrics) {
    var send =
        new MigrationReport.Completions.Queue(
            metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED),
            metrics.get(Metric.WRITES_COMPLETED) + metrics.get(Metric.SENDS_COMPLETED));
    var receive =
        new MigrationReport.Completions.Queue(
            metrics.get(Metric.RECEIVES_POSTED), metrics.get(Metric.RECEIVES_COMPLETED));
    return new MigrationReport.Completions(
        send,
        receive,
        metrics.sharesCompletionQueue() ? send.plus(receive) : null,
        metrics.get(Metric.FAILED_COMPLETIONS),
        metrics.get(Metric.COMPLETIONS_DROPPED),
        metrics.get(Metric.COMPLETIONS_MET));
  }

  /** Duration of the migration, so far or in total. */
  private static long totalNanos(SessionTelemetry telemetry, long nowNanos) {
    long total = telemetry.metrics().get(Metric.TOTAL_TIME);
    List<Phase> phases = telemetry.phases();
    boolean running = total == 0 && !telemetry.status().isEnd() && !phases.isEmpty();
    return running ? nowNanos - phases.getFirst().nanos() : total;
  }

  /** Whole milliseconds, as in QEMU. */
  private static long milliseconds(Metrics metrics, Metric metric) {
    return Math.round(metrics.get(metric) / NANOS_PER_MILLISECOND);
  }

  /** Milliseconds of a time; null if it is not known yet. */
  private static @Nullable Long known(Metrics metrics, Metric metric) {
    return metrics.get(metric) > 0 ? milliseconds(metrics, metric) : null;
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
