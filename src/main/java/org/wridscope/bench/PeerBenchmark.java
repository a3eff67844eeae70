// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.wridscope.bench.BenchmarkRounds.Case;
import org.wridscope.bench.BenchmarkRounds.Result;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.qemu.QemuMigration;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;

/**
 * Measures migrations of the same amount of non-zero RAM by QEMU and by Wridscope over the same
 * link, and the throughput of the link. All memory is populated before a migration begins.
 */
public final class PeerBenchmark implements AutoCloseable {
  private static final Duration DOWNTIME_LIMIT = Duration.ofMillis(300);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final int PIECE = 1 << 20;

  private final SessionManager manager;
  private final BenchmarkRounds rounds;
  private final Link link;
  private final long ramBytes;
  private final BenchmarkFolder folder;
  private final Path ram;
  private final Map<String, Long> registrationRoundTrips = new LinkedHashMap<>();

  /**
   * The link between source and destination.
   *
   * @param title display name
   * @param reference name of the case that measures the link itself
   * @param limit measures the link itself
   * @param uri address on which Wridscope listens, with port 0
   * @param device that Wridscope uses
   * @param qemu names of QEMU's migrations, each with the capabilities to enable
   * @param qemuUri supplies the address on which QEMU listens
   */
  public record Link(
      String title,
      String reference,
      Limit limit,
      String uri,
      DeviceChoice device,
      Map<String, List<String>> qemu,
      UriSource qemuUri) {

    /** The software device over loopback TCP, and QEMU's migration over TCP. */
    public static Link tcp() {
      Map<String, List<String>> qemu = new LinkedHashMap<>();
      qemu.put("qemu-tcp", List.of());
      qemu.put("qemu-tcp-multifd", List.of("multifd"));
      return new Link(
          "TCP over loopback",
          "loopback-socket",
          SocketBenchmark::measure,
          "rdma:127.0.0.1:0",
          new DeviceChoice.Software(),
          qemu,
          () -> "tcp:127.0.0.1:" + freePort());
    }

    /**
     * A real RDMA device.
     *
     * @param address one of its IP addresses
     */
    public static Link rdma(String device, String address) {
      Map<String, List<String>> qemu = new LinkedHashMap<>();
      qemu.put("qemu-dynamic", List.of());
      qemu.put("qemu-pin-all", List.of("rdma-pin-all"));
      return new Link(
          device,
          "ib_write_bw",
          bytes -> IbWriteBw.measure(device, address, bytes),
          "rdma:%s:0".formatted(address),
          new DeviceChoice.Named(device),
          qemu,
          () -> "rdma:%s:%d".formatted(address, freePort()));
    }

    /** A port that is free now, because QEMU does not report which port it has chosen. */
    private static int freePort() throws IOException {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      }
    }
  }

  /** Measures the link itself by sending a number of bytes; returns bytes per nanosecond. */
  @FunctionalInterface
  interface Limit {
    double measure(long bytes) throws IOException, InterruptedException;
  }

  /** Supplies a URI for one migration. */
  @FunctionalInterface
  interface UriSource {
    String next() throws IOException;
  }

  /**
   * The result of one case.
   *
   * @param gbPerS median rate in 10^9 bytes/s
   * @param ratio of this rate to that of the link
   * @param registrationRoundTrips number of answered register requests in a migration; null if not
   *     known
   */
  public record PeerResult(
      String name, double gbPerS, double ratio, @Nullable Long registrationRoundTrips) {}

  public record Results(String link, List<PeerResult> results, long ramBytes, int repetitions) {}

  /**
   * Writes the file with the guest's RAM.
   *
   * @param ramBytes a multiple of 1 MiB
   */
  public PeerBenchmark(SessionManager manager, BenchmarkRounds rounds, Link link, long ramBytes)
      throws IOException {
    this.manager = manager;
    this.rounds = rounds;
    this.link = link;
    this.ramBytes = ramBytes;
    folder = BenchmarkFolder.create();
    ram = folder.path().resolve("ram");
    byte[] piece = new byte[PIECE];
    var random = new SplittableRandom(1);
    try (OutputStream out = Files.newOutputStream(ram)) {
      for (long left = ramBytes; left > 0; left -= PIECE) {
        random.nextBytes(piece);
        out.write(piece);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Where its files are until it is closed. */
  Path folder() {
    return folder.path();
  }

  public Results run(int repetitions) throws IOException, InterruptedException {
    List<Case> cases = cases();
    rounds.warmUp(cases, 1);
    List<Result> results = BenchmarkRounds.results(rounds.take(cases, repetitions), link.reference);
    return new Results(
        link.title,
        results.stream()
            .map(r ->
                new PeerResult(
                    r.name(), r.gbPerS(), r.ratio(), registrationRoundTrips.get(r.name())))
            .toList(),
        ramBytes,
        repetitions);
  }

  private List<Case> cases() {
    var cases = new ArrayList<Case>();
    cases.add(new Case(link.reference, () -> link.limit.measure(ramBytes)));
    link.qemu.forEach((name, capabilities) -> cases.add(new Case(name, () -> qemu(capabilities))));
    cases.add(new Case("wridscope-dynamic", () -> wridscope("wridscope-dynamic", false)));
    cases.add(new Case("wridscope-pin-all", () -> wridscope("wridscope-pin-all", true)));
    return cases;
  }

  private double qemu(List<String> capabilities) throws IOException, InterruptedException {
    Duration time = new QemuMigration(link.qemuUri.next(), capabilities).run(ram, folder.path());
    return BenchmarkRounds.rate(ramBytes, time.toNanos());
  }

  private double wridscope(String name, boolean pinAll) throws IOException, InterruptedException {
    Session destination =
        manager.startDestination(
            new DestinationSettings(
                    link.uri, link.device, GuestSettings.Synthetic.incoming(ramBytes))
                .with(MigrationSetting.TIMEOUT, TIMEOUT));
    Session source =
        manager.startSource(
            new SourceSettings(
                destination.uri(),
                link.device,
                new MigrationSettings(new GuestSettings.Synthetic(ramBytes, 0, 0, 0, 1))
                    .with(MigrationSetting.PIN_ALL, pinAll)
                    .with(MigrationSetting.DOWNTIME_LIMIT, DOWNTIME_LIMIT)
                    .with(MigrationSetting.TIMEOUT, TIMEOUT)));
    double rate = rounds.rateOf(name, source, destination, TIMEOUT);
    registrationRoundTrips.put(
        name, source.telemetry().metrics().get(Metric.REGISTRATION_ROUND_TRIPS));
    return rate;
  }

  /** Removes the files. */
  @Override
  public void close() throws IOException {
    folder.close();
  }
}
