// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Hosts that tests script. A host is reachable once it was made. */
public final class FakeVirt implements VirtConnector {
  private final Map<VirtUri, Host> hosts = new ConcurrentHashMap<>();

  /** A scripted host; all its connections see the same. */
  public static final class Host {
    private final String name;
    private final List<VirtDomain> domains = new ArrayList<>();
    private final List<Runnable> listeners = new ArrayList<>();
    private @Nullable String failure;
    private CountDownLatch answers = new CountDownLatch(0);
    private int connections;

    Host(String name) {
      this.name = name;
    }

    /** Adds a domain of 1 GiB that runs. */
    public Host runs(String domain) {
      return set(
          new VirtDomain(
              UUID.nameUUIDFromBytes(domain.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
              domain,
              VirtDomain.State.RUNNING,
              1L << 30,
              2));
    }

    /** Adds a domain, or changes it, and sends an event. */
    public Host set(VirtDomain domain) {
      List<Runnable> told;
      synchronized (this) {
        domains.removeIf(one -> one.id().equals(domain.id()));
        domains.add(domain);
        told = List.copyOf(listeners);
      }
      told.forEach(Runnable::run);
      return this;
    }

    /** Makes all calls fail from now on; null ends that. */
    public synchronized void fail(@Nullable String sentence) {
      failure = sentence;
      listeners.forEach(Runnable::run);
    }

    /** Makes all calls wait until {@link #speak}. */
    public synchronized void fallSilent() {
      answers = new CountDownLatch(1);
    }

    /** Ends {@link #fallSilent}. */
    public synchronized void speak() {
      answers.countDown();
    }

    /** How many connections are open. */
    public synchronized int connections() {
      return connections;
    }

    private synchronized CountDownLatch answers() {
      return answers;
    }

    private synchronized void check() throws VirtException {
      if (failure != null) {
        throw new VirtException(failure);
      }
    }

    void answer() throws VirtException {
      try {
        answers().await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new VirtException("interrupted");
      }
      check();
    }
  }

  /** Makes a host. */
  public Host host(String uri, String name) {
    var host = new Host(name);
    hosts.put(VirtUri.parse(uri), host);
    return host;
  }

  @Override
  public VirtHost open(VirtUri uri) throws VirtException {
    Host host = hosts.get(uri);
    if (host == null) {
      throw new VirtException("libvirt could not connect to %s: no route to host".formatted(uri));
    }
    host.answer();
    synchronized (host) {
      host.connections++;
    }
    return new Connection(host);
  }

  private record Connection(Host host) implements VirtHost {
    @Override
    public Identity identity() throws VirtException {
      host.answer();
      return new Identity(host.name, "QEMU 7.2.22", "9.0.0", "x86_64", 64L << 30, 16);
    }

    @Override
    public List<VirtDomain> domains() throws VirtException {
      host.answer();
      synchronized (host) {
        return List.copyOf(host.domains);
      }
    }

    @Override
    public void onEvent(Runnable callback) {
      synchronized (host) {
        host.listeners.add(callback);
      }
    }

    @Override
    public void close() {
      synchronized (host) {
        host.connections--;
      }
    }
  }
}
