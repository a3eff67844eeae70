// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.wridscope.bench.BenchmarkRounds.Case;
import org.wridscope.bench.PeerBenchmark.Link;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.control.qemu.CounterWatch;
import org.wridscope.control.qemu.QemuLab;
import org.wridscope.control.qemu.QemuMigration;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Measures how the running guest of a QEMU gets to another QEMU of this machine: by QEMU's own
 * engine and by Wridscope's, over the same link. Times and speeds are read from the guest's RAM, so
 * that both are measured alike.
 */
public final class QemuBenchmark {
  private static final String OURS = "-wridscope";
  private static final Duration DOWNTIME_LIMIT = Duration.ofMillis(300);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * How long before the migration both ends get ready, as QEMU does at its start, and the window
   * while its dialog is open.
   */
  private static final Duration READY = Duration.ofSeconds(3);

  /** How long the guest is watched before it migrates. */
  private static final Duration BEFORE = Duration.ofSeconds(1);

  private final SessionManager sources;
  private final SessionManager destinations;
  private final BenchmarkRounds rounds;
  private final Link link;
  private final Path program;
  private final long ramBytes;
  private final long dirtyRate;
  private final Map<String, List<CounterWatch.Seen>> seen = new LinkedHashMap<>();

  /** Migrates the guest; returns when it has left. */
  @FunctionalInterface
  private interface Mover {
    /**
     * @param watch is told when the source gets its command; the destination waits by then
     */
    void move(QemuLab pair, CounterWatch watch) throws IOException, InterruptedException;
  }

  /**
   * The result of one case: medians.
   *
   * @param totalMillis from the source's command until the guest runs at the destination
   * @param downtimeMillis for which the guest runs at neither end
   * @param gbPerS the guest's RAM by the total time, in 10^9 bytes/s
   * @param ratio of this rate to that of the link
   * @param guestSpeed of the guest's loop until the switch-over, in relation to the time before the
   *     migration
   * @param guestPace the same for each second that its processor got
   */
  public record QemuResult(
      String name,
      double totalMillis,
      double downtimeMillis,
      double gbPerS,
      double ratio,
      double guestSpeed,
      double guestPace) {}

  public record Results(
      String link,
      double linkGbPerS,
      List<QemuResult> results,
      long ramBytes,
      long dirtyRate,
      int repetitions) {}

  /**
   * @param sources whose devices are not those of {@code destinations}, as on two machines
   * @param program a {@code qemu-system-x86_64}
   * @param ramBytes as {@link CounterGuest} allows it
   * @param dirtyRate bytes per second that the busy guest writes
   */
  public QemuBenchmark(
      SessionManager sources,
      SessionManager destinations,
      BenchmarkRounds rounds,
      Link link,
      Path program,
      long ramBytes,
      long dirtyRate) {
    this.sources = sources;
    this.destinations = destinations;
    this.rounds = rounds;
    this.link = link;
    this.program = program;
    this.ramBytes = ramBytes;
    this.dirtyRate = dirtyRate;
  }

  public Results run(int repetitions) throws IOException, InterruptedException {
    List<Case> cases = cases();
    // What QEMU runs needs no warm-up.
    rounds.warmUp(cases.stream().filter(one -> one.name().contains(OURS)).toList(), 1);
    seen.clear();
    Map<String, List<Double>> rates = rounds.take(cases, repetitions);
    double limit = BenchmarkRounds.median(rates.getOrDefault(link.reference(), List.of()));
    var results = new ArrayList<QemuResult>();
    seen.forEach((name, list) -> results.add(result(name, list, limit)));
    return new Results(
        link.title(), BenchmarkRounds.rounded(limit), results, ramBytes, dirtyRate, repetitions);
  }

  private QemuResult result(String name, List<CounterWatch.Seen> list, double limit) {
    double rate = median(list, s -> BenchmarkRounds.rate(ramBytes, s.total().toNanos()));
    return new QemuResult(
        name,
        median(list, s -> s.total().toNanos() / 1e6),
        median(list, s -> s.downtime().toNanos() / 1e6),
        BenchmarkRounds.rounded(rate),
        BenchmarkRounds.rounded(rate / limit),
        median(list, CounterWatch.Seen::speed),
        median(list, CounterWatch.Seen::pace));
  }

  private static double median(
      List<CounterWatch.Seen> list, ToDoubleFunction<CounterWatch.Seen> value) {
    return BenchmarkRounds.rounded(
        BenchmarkRounds.median(list.stream().map(value::applyAsDouble).toList()));
  }

  private List<Case> cases() {
    var cases = new ArrayList<Case>();
    cases.add(new Case(link.reference(), () -> link.limit().measure(ramBytes)));
    Map<String, Long> guests = new LinkedHashMap<>();
    guests.put("idle", 0L);
    guests.put("writing", dirtyRate);
    guests.forEach((kind, rate) -> {
      link.qemu()
          .forEach((name, capabilities) ->
              add(
                  cases,
                  kind + "-" + name,
                  rate,
                  (pair, watch) -> {
                    watch.departs();
                    pair.migrate(new QemuMigration(link.qemuUri().next(), capabilities));
                  }));
      add(cases, kind + OURS + "-dynamic", rate, (pair, watch) -> wridscope(pair, watch, false));
      add(cases, kind + OURS + "-pin-all", rate, (pair, watch) -> wridscope(pair, watch, true));
    });
    return cases;
  }

  private void add(List<Case> cases, String name, long rate, Mover mover) {
    cases.add(new Case(name, () -> measure(name, rate, mover)));
  }

  private double measure(String name, long rate, Mover mover)
      throws IOException, InterruptedException {
    var guest = new CounterGuest(ramBytes, rate, 0, true);
    try (var pair = new QemuLab(program, guest, false)) {
      pair.start();
      try (CounterWatch watch = pair.watch()) {
        Thread.sleep(BEFORE);
        mover.move(pair, watch);
        CounterWatch.Seen one = watch.arrived();
        seen.computeIfAbsent(name, _ -> new ArrayList<>()).add(one);
        return BenchmarkRounds.rate(ramBytes, one.total().toNanos());
      }
    }
  }

  private void wridscope(QemuLab pair, CounterWatch watch, boolean pinAll)
      throws IOException, InterruptedException {
    Session destination =
        destinations.startDestination(
            new DestinationSettings(
                    link.uri(),
                    link.device(),
                    new GuestSettings.Land(pair.destinationAddress(), false))
                .with(MigrationSetting.TIMEOUT, TIMEOUT));
    Session source = null;
    try {
      sources.expectQemu();
      Thread.sleep(READY);
      watch.departs();
      source =
          sources.startSource(
              new SourceSettings(
                  destination.uri(),
                  link.device(),
                  new MigrationSettings(lift(pair.sourceAddress()))
                      .with(MigrationSetting.PIN_ALL, pinAll)
                      .with(MigrationSetting.DOWNTIME_LIMIT, DOWNTIME_LIMIT)
                      .with(MigrationSetting.TIMEOUT, TIMEOUT)));
      rounds.awaitEnd(source, destination, TIMEOUT);
      if (source.status() != MigrationStatus.COMPLETED
          || destination.status() != MigrationStatus.COMPLETED) {
        throw new IOException(
            "The guest was not migrated, so there are no results. Source: %s Destination: %s"
                .formatted(source.outcome(), destination.outcome()));
      }
    } finally {
      end(sources, source);
      end(destinations, destination);
    }
  }

  private static GuestSettings lift(QmpAddress qmp) {
    return new GuestSettings.Lift(qmp, DirtyLogChoice.AUTO, Throttle.OFF);
  }

  private static void end(SessionManager manager, @Nullable Session session)
      throws InterruptedException {
    if (session != null) {
      session.cancel();
      if (session.await(PATIENCE)) {
        manager.remove(session);
      }
    }
  }
}
