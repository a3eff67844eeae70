// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.libvirt.Connect;
import org.libvirt.Domain;
import org.libvirt.DomainInfo;
import org.libvirt.Error;
import org.libvirt.LibvirtException;
import org.libvirt.NodeInfo;
import org.libvirt.event.LifecycleListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Legible;

/** A connection through libvirt's own Java binding. */
final class LibvirtHost implements VirtHost {
  private static final Logger LOG = LoggerFactory.getLogger(LibvirtHost.class);

  private static final long KIB = 1024;

  private final Connect connect;

  /** One for this object until it is closed, and one for each call that has not returned. */
  private final AtomicInteger users = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();

  private LibvirtHost(Connect connect) {
    this.connect = connect;
  }

  static LibvirtHost open(VirtUri uri) throws LibvirtException {
    var connect = new Connect(uri.opened());
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
      return new Identity(
          Legible.of(connect.getHostName()),
          Legible.of(connect.getType()) + " " + version(connect.getVersion()),
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
  public void onEvent(Runnable callback) throws VirtException {
    LifecycleListener listener =
        (_, _) -> {
          callback.run();
          return 0;
        };
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
    T run() throws LibvirtException;
  }

  private <T> T call(Call<T> call) throws VirtException {
    if (closed.get() || !enter()) {
      throw new VirtException("The connection was closed.");
    }
    try {
      return call.run();
    } catch (LibvirtException e) {
      throw new VirtException("libvirt says: " + reason(e));
    } catch (RuntimeException e) {
      LOG.warn("an answer of libvirt", e);
      throw new VirtException("libvirt's answer could not be understood: " + e);
    } finally {
      leave();
    }
  }

  /** What libvirt says went wrong. */
  static String reason(LibvirtException e) {
    return String.valueOf(e.getMessage());
  }
}
