// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.wridscope.TimeLimit;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Measures how long a source takes from its first step to the first round of its migration, alone
 * and among strangers, over loopback TCP. Not a test; {@code java
 * --enable-native-access=ALL-UNNAMED -cp target/classes:target/test-classes:target/lib/*
 * org.wridscope.engine.StrangersBenchmark [RUNS [MANNER FROM PER-SECOND]]}, of which the last three
 * select one line.
 */
final class StrangersBenchmark {
  private static final long RAM = 64L << 20;
  private static final int CROWD = 1000;
  private static final int PER_SECOND = 10;

  private StrangersBenchmark() {}

  public static void main(String[] args) throws Exception {
    int runs = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    OverTcp.turnOn();
    // The first run compiles.
    milliseconds(null, StrangersOverTcpTest.From.ONE, 0);
    double alone = report("alone", runs, null, StrangersOverTcpTest.From.ONE, 0, 0);
    if (args.length == 4) {
      report(
          args[3] + " a second",
          runs,
          RawStrangers.Manner.valueOf(args[1]),
          StrangersOverTcpTest.From.valueOf(args[2]),
          Integer.parseInt(args[3]),
          alone);
      return;
    }
    for (RawStrangers.Manner manner : RawStrangers.Manner.values()) {
      for (StrangersOverTcpTest.From from : StrangersOverTcpTest.From.values()) {
        report("1000 at once", runs, manner, from, 0, alone);
        report("10 a second", runs, manner, from, PER_SECOND, alone);
      }
    }
  }

  private static double report(
      String what,
      int runs,
      RawStrangers.@Nullable Manner manner,
      StrangersOverTcpTest.From from,
      int perSecond,
      double alone)
      throws Exception {
    List<Double> times = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      times.add(milliseconds(manner, from, perSecond));
    }
    times.sort(null);
    double median = times.get(runs / 2);
    System.out.println(times);
    System.out.printf(
        "%-13s %-8s %-5s median %7.1f ms, at most %7.1f ms, median - alone %7.1f ms, heap %d MiB%n",
        what,
        manner == null ? "" : manner,
        manner == null ? "" : from,
        median,
        times.getLast(),
        median - alone,
        (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
    return median;
  }

  private static double milliseconds(
      RawStrangers.@Nullable Manner manner, StrangersOverTcpTest.From from, int perSecond)
      throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY, CROWD);
        var guest = BlockGuest.of(RAM).boot(1, 0.5);
        var copy = BlockGuest.of(RAM)) {
      DestinationSession destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      RawStrangers strangers =
          manner == null
              ? null
              : new RawStrangers(rig.address(), CROWD, from::of, manner, perSecond);
      try {
        int wanted = perSecond == 0 ? Doorway.PLACES : 3 * PER_SECOND;
        var limit = new TimeLimit();
        while (strangers != null && strangers.confirmed() < wanted) {
          limit.glance("strangers");
        }
        SourceSession source = rig.source(guest, Rig.parameters(false, true));
        long begin = System.nanoTime();
        Thread here = rig.start(source);
        while (source.telemetry().status() != MigrationStatus.ACTIVE
            && !source.telemetry().status().isEnd()) {
          LockSupport.parkNanos(1_000_000);
        }
        double taken = (System.nanoTime() - begin) / 1e6;
        Rig.join(here, source);
        Rig.join(there, destination);
        Rig.assertCompleted(source, destination);
        return taken;
      } finally {
        if (strangers != null) {
          strangers.close();
        }
      }
    }
  }
}
