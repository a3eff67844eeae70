// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
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
    private final Map<String, Move> moves = new HashMap<>();
    private final List<String> told = new ArrayList<>();
    private String capabilities = "<capabilities/>";
    private String domainXml = "<domain/>";
    private @Nullable String refusal;
    private final Map<String, Boolean> traceEvents = new TreeMap<>();
    private int connections;
    private volatile long qemu = 7_002_022;

    Host(String name) {
      this.name = name;
    }

    /** Adds a domain of 1 GiB that runs. */
    public Host runs(String domain) {
      return set(
          new VirtDomain(
              UUID.nameUUIDFromBytes(domain.getBytes(StandardCharsets.UTF_8)),
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

    /** Makes it refuse migrations from now on. */
    public synchronized void refuse(String sentence) {
      refusal = sentence;
    }

    /** Sets what it says about itself. */
    public synchronized Host capabilities(String xml) {
      capabilities = xml;
      return this;
    }

    /** Sets the version of its QEMU, as libvirt counts. */
    public Host qemu(long version) {
      qemu = version;
      return this;
    }

    /** Sets what it says about each of its domains. */
    public synchronized Host domainXml(String xml) {
      domainXml = xml;
      return this;
    }

    /** The trace events of its QEMUs, and whether they are on. */
    public synchronized Map<String, Boolean> traceEvents() {
      return Map.copyOf(traceEvents);
    }

    /** Gives its QEMUs a trace event. */
    public synchronized Host traceEvent(String name, boolean on) {
      traceEvents.put(name, on);
      return this;
    }

    private synchronized String qmp(String command) {
      JsonObject request = JsonParser.parseString(command).getAsJsonObject();
      JsonObject arguments = request.getAsJsonObject("arguments");
      String name = arguments.get("name").getAsString();
      if (request.get("execute").getAsString().equals("trace-event-set-state")) {
        traceEvents.put(name, arguments.get("enable").getAsBoolean());
        return "{\"return\":{}}";
      }
      return traceEvents.entrySet().stream()
          .filter(event -> event.getKey().matches(name.replace("*", ".*")))
          .map(event ->
              "{\"name\":\"%s\",\"state\":\"%s\"}"
                  .formatted(event.getKey(), event.getValue() ? "enabled" : "disabled"))
          .collect(Collectors.joining(",", "{\"return\":[", "]}"));
    }

    /** The names of the domains that migrate away. */
    public synchronized Set<String> migrating() {
      return Set.copyOf(moves.keySet());
    }

    /** What it was told, besides to migrate, in order. */
    public synchronized List<String> told() {
      return List.copyOf(told);
    }

    /** Sets the figures of a migration. */
    public synchronized void progress(String domain, Map<String, Long> figures) {
      Objects.requireNonNull(moves.get(domain)).job = new VirtJob(VirtJob.State.RUNNING, figures);
    }

    /** Lets a migration complete. */
    public synchronized void arrive(String domain) {
      Objects.requireNonNull(moves.get(domain)).end.countDown();
    }

    private synchronized void tell(String what) {
      told.add(what);
    }

    private synchronized Optional<VirtDomain> find(UUID id) {
      return domains.stream().filter(one -> one.id().equals(id)).findFirst();
    }

    private synchronized Optional<Move> move(UUID id) {
      return find(id).map(VirtDomain::name).map(moves::get);
    }

    private Move begin(VirtDomain domain) throws VirtException {
      synchronized (this) {
        if (refusal != null) {
          throw new VirtException(refusal);
        }
        var move = new Move();
        moves.put(domain.name(), move);
        return move;
      }
    }

    private void leaves(VirtDomain domain, Move move) throws VirtException {
      List<Runnable> listening;
      synchronized (this) {
        moves.remove(domain.name());
        if (move.aborted) {
          throw new VirtException("operation aborted: migration out job: canceled by client");
        }
        check();
        domains.removeIf(one -> one.id().equals(domain.id()));
        listening = List.copyOf(listeners);
      }
      listening.forEach(Runnable::run);
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

  /** A migration that has begun. */
  private static final class Move {
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile VirtJob job = new VirtJob(VirtJob.State.RUNNING, Map.of());
    private volatile boolean aborted;
  }

  private record Connection(Host host) implements VirtHost {
    @Override
    public Identity identity() throws VirtException {
      host.answer();
      return new Identity(
          host.name,
          "QEMU " + LibvirtHost.version(host.qemu),
          host.qemu,
          "9.0.0",
          "x86_64",
          64L << 30,
          16);
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
    public Optional<VirtDomain> domain(UUID domain) throws VirtException {
      host.answer();
      return host.find(domain);
    }

    @Override
    public String domainXml(UUID domain) throws VirtException {
      host.answer();
      return host.domainXml;
    }

    @Override
    public String capabilitiesXml() throws VirtException {
      host.answer();
      return host.capabilities;
    }

    @Override
    public String monitor(UUID domain, String command) throws VirtException {
      host.answer();
      return host.qmp(command);
    }

    @Override
    public VirtJob job(UUID domain) throws VirtException {
      host.answer();
      return host.move(domain)
          .map(move -> move.job)
          .orElse(new VirtJob(VirtJob.State.NONE, Map.of()));
    }

    @Override
    public VirtJob completedJob(UUID domain) throws VirtException {
      host.answer();
      return new VirtJob(VirtJob.State.COMPLETED, Map.of("downtime", 42L, "time_elapsed", 1500L));
    }

    @Override
    public void migrate(UUID id, VirtHost destination, VirtMigration migration)
        throws VirtException {
      VirtDomain domain = host.find(id).orElseThrow();
      Move move = host.begin(domain);
      try {
        move.end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new VirtException("interrupted");
      }
      host.leaves(domain, move);
      ((Connection) destination).host.set(domain);
    }

    @Override
    public void abortJob(UUID domain) throws VirtException {
      host.answer();
      host.move(domain)
          .ifPresent(move -> {
            move.aborted = true;
            move.end.countDown();
          });
    }

    @Override
    public void setDowntimeLimit(UUID domain, Duration limit) throws VirtException {
      host.answer();
      host.tell("downtime " + limit.toMillis() + " ms");
    }

    @Override
    public void setBandwidthLimit(UUID domain, long bytesPerSecond) throws VirtException {
      host.answer();
      host.tell("bandwidth " + bytesPerSecond);
    }

    @Override
    public void close() {
      synchronized (host) {
        host.connections--;
      }
    }
  }
}
