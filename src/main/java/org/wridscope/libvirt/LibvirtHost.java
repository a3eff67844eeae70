// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.libvirt.Domain;
import org.libvirt.Domain.MigrateFlags;
import org.libvirt.DomainInfo;
import org.libvirt.DomainJobStats;
import org.libvirt.Error;
import org.libvirt.LibvirtException;
import org.libvirt.NodeInfo;
import org.libvirt.TypedIntParameter;
import org.libvirt.TypedParameter;
import org.libvirt.TypedStringParameter;
import org.libvirt.TypedUlongParameter;
import org.libvirt.event.LifecycleListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Legible;

/** A connection through libvirt's own Java binding. */
final class LibvirtHost implements VirtHost {
  private static final Logger LOG = LoggerFactory.getLogger(LibvirtHost.class);

  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  /** {@code VIR_DOMAIN_JOB_STATS_COMPLETED} and {@code VIR_DOMAIN_JOB_STATS_KEEP_COMPLETED}. */
  private static final int COMPLETED_AND_KEPT = 3;

  private static final int YES = 1;

  private final OpenConnect connect;

  /** One for this object until it is closed, and one for each call that has not returned. */
  private final AtomicInteger users = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();

  private LibvirtHost(OpenConnect connect) {
    this.connect = connect;
  }

  static LibvirtHost open(VirtUri uri) throws LibvirtException {
    var connect = new OpenConnect(uri.opened());
    try {
      connect.setKeepAlive(KEEP_ALIVE_SECONDS, KEEP_ALIVE_COUNT);
    } catch (LibvirtException e) {
      // A driver inside this process, or an old peer; calls then wait until the peer answers.
      LOG.debug("{}: no keep-alive messages: {}", uri, reason(e));
    }
    return new LibvirtHost(connect);
  }

  @Override
  public Identity identity() throws VirtException {
    return call(() -> {
      NodeInfo node = connect.nodeInfo();
      long hypervisor = connect.getVersion();
      return new Identity(
          Legible.of(connect.getHostName()),
          Legible.of(connect.getType()) + " " + version(hypervisor),
          hypervisor,
          version(connect.getLibVersion()),
          Legible.of(node.model),
          node.memory * KIB,
          node.cpus);
    });
  }

  /** A version number of libvirt: a million for the first part, a thousand for the second. */
  static String version(long number) {
    return "%d.%d.%d".formatted(number / 1_000_000, number / 1000 % 1000, number % 1000);
  }

  @Override
  public List<VirtDomain> domains() throws VirtException {
    return call(() -> {
      var domains = new ArrayList<VirtDomain>();
      for (Domain domain : connect.listAllDomains(0)) {
        try {
          domains.add(describe(domain));
        } catch (LibvirtException e) {
          // It may have ended since it was listed.
          if (!isGone(e)) {
            throw e;
          }
        } finally {
          domain.free();
        }
      }
      return domains;
    });
  }

  private static VirtDomain describe(Domain domain) throws LibvirtException {
    DomainInfo info = domain.getInfo();
    VirtDomain.State state = state(info.state);
    return new VirtDomain(
        UUID.fromString(domain.getUUIDString()),
        Legible.of(domain.getName()),
        state,
        info.memory * KIB,
        info.nrVirtCpu);
  }

  private static VirtDomain.State state(DomainInfo.DomainState state) {
    return switch (state) {
      case VIR_DOMAIN_RUNNING, VIR_DOMAIN_BLOCKED -> VirtDomain.State.RUNNING;
      case VIR_DOMAIN_PAUSED -> VirtDomain.State.PAUSED;
      case VIR_DOMAIN_SHUTDOWN -> VirtDomain.State.SHUTTING_DOWN;
      case VIR_DOMAIN_SHUTOFF -> VirtDomain.State.SHUT_OFF;
      case VIR_DOMAIN_CRASHED -> VirtDomain.State.CRASHED;
      case VIR_DOMAIN_PMSUSPENDED -> VirtDomain.State.SUSPENDED;
      case VIR_DOMAIN_NOSTATE -> VirtDomain.State.UNKNOWN;
    };
  }

  private static boolean isGone(LibvirtException e) {
    return e.getError() != null && e.getError().getCode() == Error.ErrorNumber.VIR_ERR_NO_DOMAIN;
  }

  @Override
  public Optional<VirtDomain> domain(UUID id) throws VirtException {
    return call(() -> {
      try {
        return Optional.of(with(id, LibvirtHost::describe));
      } catch (LibvirtException e) {
        if (isGone(e)) {
          return Optional.empty();
        }
        throw e;
      }
    });
  }

  @Override
  public String domainXml(UUID id) throws VirtException {
    return call(() -> with(id, domain -> domain.getXMLDesc(0)));
  }

  @Override
  public String capabilitiesXml() throws VirtException {
    return call(connect::getCapabilities);
  }

  @Override
  public VirtJob job(UUID id) throws VirtException {
    return call(() -> with(id, domain -> job(domain.getJobStats(0))));
  }

  @Override
  public VirtJob completedJob(UUID id) throws VirtException {
    return call(() -> with(id, domain -> job(domain.getJobStats(COMPLETED_AND_KEPT))));
  }

  private static VirtJob job(DomainJobStats stats) {
    var figures = new HashMap<String, Long>();
    for (TypedParameter one : stats.stats) {
      try {
        figures.put(one.field, Long.parseLong(one.getValueAsString()));
      } catch (NumberFormatException e) {
        // A text or a truth value; all that is shown are numbers.
        LOG.trace("{} is no number", one.field, e);
      }
    }
    // virDomainJobType
    VirtJob.State state =
        switch (stats.type) {
          case 1, 2 -> VirtJob.State.RUNNING;
          case 3 -> VirtJob.State.COMPLETED;
          case 4 -> VirtJob.State.FAILED;
          case 5 -> VirtJob.State.CANCELLED;
          default -> VirtJob.State.NONE;
        };
    return new VirtJob(state, figures);
  }

  @Override
  public String monitor(UUID id, String command) throws VirtException {
    return call(() -> with(id, domain -> domain.qemuMonitorCommand(command, 0)));
  }

  @Override
  public void migrate(UUID id, VirtHost destination, VirtMigration migration) throws VirtException {
    if (!(destination instanceof LibvirtHost there)) {
      throw new IllegalArgumentException("not a connection of libvirt: " + destination);
    }
    var _ =
        call(() ->
            there.use(() ->
                with(
                    id,
                    domain -> {
                      int flags =
                          flags(
                              migration,
                              domain.isPersistent() == YES,
                              ReturnPath.needsPostCopy(
                                  connect.getVersion(), there.connect.getVersion()));
                      return domain.migrate(there.connect, parameters(migration), flags).free();
                    })));
  }

  /**
   * The flags of libvirt.
   *
   * @param persistent whether the domain is
   * @param oldReturnPath whether one of the QEMUs needs post-copy for its return path over RDMA
   */
  static int flags(VirtMigration migration, boolean persistent, boolean oldReturnPath) {
    int flags = MigrateFlags.LIVE;
    if (oldReturnPath && VirtMigration.rdma(migration.uri())) {
      // Only allowed: it begins if virDomainMigrateStartPostCopy is called, which nobody does here.
      flags |= MigrateFlags.POSTCOPY;
    }
    if (migration.pinAll()) {
      flags |= MigrateFlags.RDMA_PIN_ALL;
    }
    if (migration.connections() > 0) {
      flags |= MigrateFlags.PARALLEL;
    }
    if (migration.autoConverge()) {
      flags |= MigrateFlags.AUTO_CONVERGE;
    }
    if (migration.moveDefinition() && persistent) {
      flags |= MigrateFlags.PERSIST_DEST | MigrateFlags.UNDEFINE_SOURCE;
    }
    if (migration.unsafe()) {
      flags |= MigrateFlags.UNSAFE;
    }
    return flags;
  }

  /** The names are those of {@code VIR_MIGRATE_PARAM_*}. */
  private static TypedParameter[] parameters(VirtMigration migration) {
    var parameters = new ArrayList<TypedParameter>();
    if (!migration.uri().isEmpty()) {
      parameters.add(new TypedStringParameter("migrate_uri", migration.uri()));
    }
    if (VirtMigration.rdma(migration.uri())) {
      // Otherwise QEMU is told to listen on [::], which RDMA over Ethernet refuses.
      parameters.add(new TypedStringParameter("listen_address", migration.listenAddress()));
    }
    // 0 leaves the limit to libvirt. Always there, because JNA passes no array without elements.
    parameters.add(
        new TypedUlongParameter("bandwidth", Math.ceilDiv(migration.bandwidthLimit(), MIB)));
    if (migration.connections() > 0) {
      parameters.add(new TypedIntParameter("parallel.connections", migration.connections()));
    }
    return parameters.toArray(TypedParameter[]::new);
  }

  @Override
  public void abortJob(UUID id) throws VirtException {
    var _ = call(() -> with(id, Domain::abortJob));
  }

  @Override
  public void setDowntimeLimit(UUID id, Duration limit) throws VirtException {
    var _ = call(() -> with(id, domain -> domain.migrateSetMaxDowntime(limit.toMillis())));
  }

  @Override
  public void setBandwidthLimit(UUID id, long bytesPerSecond) throws VirtException {
    if (!call(() -> connect.setBandwidthLimit(id, bytesPerSecond))) {
      throw new VirtException("libvirt refused to change the limit of the bandwidth.");
    }
  }

  /** What is done with a domain. */
  @FunctionalInterface
  private interface OfDomain<T> {
    T apply(Domain domain) throws LibvirtException;
  }

  private <T> T with(UUID id, OfDomain<T> action) throws LibvirtException {
    Domain domain = connect.domainLookupByUUIDString(id.toString());
    try {
      return action.apply(domain);
    } finally {
      domain.free();
    }
  }

  @Override
  public void onEvent(Runnable callback) throws VirtException {
    LifecycleListener listener =
        (_, _) -> {
          callback.run();
          return 0;
        };
    var _ =
        call(() -> {
          connect.addLifecycleListener(listener);
          return true;
        });
  }

  /** Ends the connection once the calls have returned that wait for an answer; does not wait. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      leave();
    }
  }

  private boolean enter() {
    return users.getAndUpdate(now -> now == 0 ? 0 : now + 1) > 0;
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      try {
        connect.close();
      } catch (LibvirtException e) {
        LOG.debug("closing a connection of libvirt: {}", reason(e));
      }
    }
  }

  /** Calls of the binding. */
  @FunctionalInterface
  private interface Call<T> {
    T run() throws LibvirtException, VirtException;
  }

  private <T> T call(Call<T> call) throws VirtException {
    try {
      return use(call);
    } catch (LibvirtException e) {
      throw new VirtException("libvirt says: " + reason(e));
    } catch (RuntimeException e) {
      LOG.warn("an answer of libvirt", e);
      throw new VirtException("libvirt's answer could not be understood: " + e);
    }
  }

  /** Calls, and keeps the connection open meanwhile. */
  private <T> T use(Call<T> call) throws LibvirtException, VirtException {
    if (closed.get() || !enter()) {
      throw new VirtException("The connection was closed.");
    }
    try {
      return call.run();
    } finally {
      leave();
    }
  }

  /** What libvirt says went wrong. */
  static String reason(LibvirtException e) {
    return String.valueOf(e.getMessage());
  }
}
