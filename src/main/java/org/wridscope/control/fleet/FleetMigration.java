// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.QemuFigures;
import org.wridscope.control.QemuMigrationSession;
import org.wridscope.control.QemuSteering;
import org.wridscope.control.Session;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtJob;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.Wait;

/**
 * A migration of a domain by libvirt, over connections of its own. Three threads: one waits in
 * libvirt's call until the domain has arrived, one asks how far it is ({@link JobWatch}), and the
 * one that {@link #run} is called on writes the session and waits for neither.
 */
public final class FleetMigration implements QemuSteering {
  private static final Logger LOG = LoggerFactory.getLogger(FleetMigration.class);

  private static final Duration LOOK = Duration.ofMillis(100);

  /** Silence from which on the user is told. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private final FleetPlan plan;
  private final VirtConnector connector;
  private final HostLimits limits;
  private final HostLimits.Place place;
  private final QemuMigrationSession session;
  private final QemuFigures figures;

  /** The orders that libvirt was not given yet; they wait until its QEMU migrates. */
  private final Queue<JobWatch.Order> orders = new ConcurrentLinkedQueue<>();

  private volatile boolean cancelled;
  private volatile boolean switchingOver;
  private volatile @Nullable JobWatch watch;

  /** How it ended. */
  private record Ending(MigrationStatus status, String sentence) {}

  /**
   * @param name of the session
   * @param limit how many migrations each of its hosts may take part in at once
   */
  FleetMigration(
      String name,
      FleetPlan plan,
      int limit,
      VirtConnector connector,
      HostLimits limits,
      Sampler sampler) {
    this.plan = plan;
    this.connector = connector;
    this.limits = limits;
    place = limits.queue(plan, limit);
    session =
        new QemuMigrationSession(
            name,
            Role.SOURCE,
            new QemuMigrationSession.Shown(
                plan.uri(),
                plan.how().pinAll(),
                plan.how().bandwidthLimit(),
                plan.downtimeLimit(),
                true),
            this,
            sampler);
    figures = new QemuFigures(session.telemetry());
  }

  /** What was to be done. */
  public FleetPlan plan() {
    return plan;
  }

  /** What the views show of it. */
  public Session session() {
    return session;
  }

  void start() {
    Thread.ofPlatform().daemon().name("migration " + session.name()).start(this::run);
  }

  // ---- orders, from any thread

  @Override
  public void cancel() {
    cancelled = true;
    limits.wake();
    JobWatch present = watch;
    if (present != null) {
      present.abort();
    }
  }

  @Override
  public boolean isSwitchingOver() {
    return switchingOver;
  }

  /** Does nothing: libvirt switches over by itself. */
  @Override
  public void permitSwitchover() {}

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    session.telemetry().limitBandwidth(bytesPerSecond);
    order(host -> host.setBandwidthLimit(plan.domain(), bytesPerSecond));
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    session.telemetry().limitDowntime(limit);
    order(host -> host.setDowntimeLimit(plan.domain(), limit));
  }

  private void order(JobWatch.Order order) {
    orders.add(order);
    JobWatch present = watch;
    if (present != null) {
      present.wake();
    }
  }

  // ---- the thread of the migration

  private void run() {
    Ending ending = new Ending(MigrationStatus.FAILED, "This program made an error; see its log.");
    boolean entered = false;
    try {
      session.waitFor(new Wait(Wait.Kind.OTHER_MIGRATIONS));
      entered = limits.enter(place, () -> cancelled);
      ending = entered ? migrate() : cancelledEarly();
    } catch (InterruptedException e) {
      LOG.error("a migration by libvirt was interrupted", e);
    } catch (RuntimeException | Error e) {
      LOG.error("a migration by libvirt", e);
    } finally {
      if (entered) {
        limits.leave(place);
      }
      switchingOver = false;
      session.end(ending.status(), new SessionOutcome(ending.sentence()));
    }
  }

  private Ending cancelledEarly() {
    return new Ending(
        MigrationStatus.CANCELLED,
        "The migration was cancelled before it began. The domain stays at %s."
            .formatted(plan.source()));
  }

  private Ending migrate() throws InterruptedException {
    session.setStatus(MigrationStatus.SETUP);
    session.beginPhase(Phase.Kind.CONNECT);
    session.waitFor(new Wait(Wait.Kind.HOST_CONNECTION, plan.source().toString()));
    try (VirtHost source = connector.open(plan.source())) {
      VirtHost.Identity from = source.identity();
      session.connected(
          "libvirt %s of %s".formatted(from.libvirt(), from.name()),
          new MigrationReport.Machine(from.hypervisor(), plan.source().toString(), null));
      session.waitFor(new Wait(Wait.Kind.HOST_CONNECTION, plan.destination().toString()));
      try (VirtHost destination = connector.open(plan.destination())) {
        boolean ran =
            source
                    .domain(plan.domain())
                    .filter(VirtDomain::active)
                    .orElseThrow(() ->
                        new VirtException(
                            "%s no longer runs at %s.".formatted(plan.name(), from.name())))
                    .state()
                == VirtDomain.State.RUNNING;
        session.setGuestRunning(ran);
        source.setDowntimeLimit(plan.domain(), plan.downtimeLimit());
        if (cancelled) {
          return cancelledEarly();
        }
        return move(source, destination, ran);
      }
    } catch (VirtException e) {
      return new Ending(
          MigrationStatus.FAILED, "%s The domain stays where it is.".formatted(e.sentence()));
    }
  }

  private Ending move(VirtHost source, VirtHost destination, boolean ran)
      throws InterruptedException {
    session.beginPhase(Phase.Kind.SET_UP);
    session.waitFor(new Wait(Wait.Kind.LIBVIRT_BEGIN));
    CompletableFuture<@Nullable VirtException> moved = inBackground(source, destination);
    try (JobWatch progress = JobWatch.start(source, plan.domain(), orders, session.name())) {
      watch = progress;
      if (cancelled) {
        progress.abort();
      }
      while (!moved.isDone()) {
        JobWatch.Answer answer = progress.poll(LOOK);
        if (answer != null) {
          show(answer, ran);
        } else if (progress.silence().compareTo(PATIENCE) > 0) {
          session.waitFor(new Wait(Wait.Kind.LIBVIRT_ANSWER, plan.source().toString()));
        }
      }
    } finally {
      watch = null;
    }
    VirtException failure = moved.join();
    session.waitFor(new Wait(Wait.Kind.DOMAIN_PLACE));
    return failure == null ? arrived(destination) : failed(failure, source);
  }

  /** Null when it has arrived. */
  private CompletableFuture<@Nullable VirtException> inBackground(
      VirtHost source, VirtHost destination) {
    var moved = new CompletableFuture<@Nullable VirtException>();
    Thread.ofPlatform()
        .daemon()
        .name("libvirt's call for " + session.name())
        .start(() -> {
          try {
            source.migrate(plan.domain(), destination, plan.how());
            moved.complete(null);
          } catch (VirtException e) {
            moved.complete(e);
          } catch (RuntimeException | Error e) {
            LOG.error("libvirt's call for a migration", e);
            moved.complete(new VirtException("This program made an error; see its log."));
          }
        });
    return moved;
  }

  private void show(JobWatch.Answer answer, boolean ran) {
    if (answer.job().state() != VirtJob.State.RUNNING) {
      return;
    }
    boolean stopped = ran && answer.state() == VirtDomain.State.PAUSED;
    session.setGuestRunning(answer.state() == VirtDomain.State.RUNNING);
    figures.note(JobFigures.asQemu(answer.job()), !stopped, answer.nanos());
    switchingOver = stopped;
    if (cancelled) {
      session.setStatus(MigrationStatus.CANCELLING);
    } else if (stopped) {
      session.beginPhase(Phase.Kind.SWITCH_OVER);
      session.setStatus(MigrationStatus.DEVICE);
    } else if (answer.migrates()) {
      session.setStatus(MigrationStatus.ACTIVE);
    }
    session.waitFor(null);
  }

  private Ending arrived(VirtHost destination) {
    session.setGuestRunning(false);
    try {
      MigrationInfo info = JobFigures.asQemu(destination.completedJob(plan.domain()));
      figures.note(info, false, System.nanoTime());
      session
          .telemetry()
          .metrics()
          .set(Metric.TOTAL_TIME, info.totalTime().orElse(Duration.ZERO).toNanos());
    } catch (VirtException e) {
      LOG.debug("the figures of a migration that has completed: {}", e.sentence());
    }
    return new Ending(
        MigrationStatus.COMPLETED,
        "libvirt migrated the domain to %s. %s".formatted(plan.destination(), there(destination)));
  }

  private static final String RUNS_THERE = "It runs there.";

  private String there(VirtHost destination) {
    try {
      return destination
          .domain(plan.domain())
          .map(domain ->
              domain.state() == VirtDomain.State.RUNNING
                  ? RUNS_THERE
                  : "It does not run there (it is %s).".formatted(domain.state().text()))
          .orElse("It has ended there since.");
    } catch (VirtException e) {
      return "It is not known whether it runs there: " + e.sentence();
    }
  }

  private Ending failed(VirtException failure, VirtHost source) {
    String what = cancelled ? "The migration was cancelled." : failure.sentence();
    try {
      Optional<VirtDomain> here = source.domain(plan.domain()).filter(VirtDomain::active);
      if (here.isEmpty()) {
        return new Ending(
            MigrationStatus.UNDECIDED,
            "%s The domain no longer runs at %s; check whether it runs at %s."
                .formatted(failure.sentence(), plan.source(), plan.destination()));
      }
      boolean runs = here.get().state() == VirtDomain.State.RUNNING;
      session.setGuestRunning(runs);
      return new Ending(
          cancelled ? MigrationStatus.CANCELLED : MigrationStatus.FAILED,
          runs
              ? "%s The domain keeps running at %s.".formatted(what, plan.source())
              : "%s The domain is at %s, where it is %s; if it does not run at the destination, virsh resume starts it."
                  .formatted(what, plan.source(), here.get().state().text()));
    } catch (VirtException e) {
      return new Ending(
          MigrationStatus.UNDECIDED,
          "%s Where the domain is cannot be asked: %s It must not be started at both hosts."
              .formatted(what, e.sentence()));
    }
  }
}
