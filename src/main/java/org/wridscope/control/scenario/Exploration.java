// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.Fault;

/**
 * Random scenarios: small guests, with any legal order of completions, half of them with any faults
 * at both ends, and half of those with something rare at a choice: an end is killed, for example.
 * Equal seeds give equal scenarios. With faults every end status is allowed, as long as the
 * invariants hold; without them every migration completes.
 */
public final class Exploration {
  private static final long PAGE = 4096;

  /** Of a chunk; a guest with so many has virtio devices. */
  private static final long CHUNK_PAGES = 256;

  private static final long MAX_PAGES = 384;

  /** More only take time: they fill any queue that has a tiny limit. */
  private static final long SOME_PAGES = 64;

  /** For a second chunk. */
  private static final long ADDITIONAL_PAGES = 16;

  /** Of most guests: what matters is the order, and a smaller guest has as many orders. */
  private static final long FEW_PAGES = 8;

  private static final long MAX_DIRTY_RATE = 64 << 20;
  private static final long SLOWEST_LINK = 256 << 20;
  private static final long LONGEST_HOLD = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_DELAY = TimeUnit.MICROSECONDS.toNanos(500);

  /** Device limits below this have an effect; the smallest are too small for any migration. */
  private static final int MAX_TINY_LIMIT = 16;

  /** An engine has few SENDs outstanding. */
  private static final int MAX_LATER_SENDS = 4;

  /** A fault that ends the migration is among this number of a device's first requests. */
  private static final int FINAL_FAULT_WITHIN = 60;

  /** Most migrations end before choice 2048. */
  private static final int LATEST_CHOICE_BITS = 11;

  /** At least as many things as can happen rarely at a choice. */
  private static final int MOST_RARE = 12;

  /** Statuses with which a device may complete a valid request. */
  private static final List<WorkCompletionStatus> STATUSES =
      List.of(
          WorkCompletionStatus.RETRY_EXC_ERR,
          WorkCompletionStatus.RNR_RETRY_EXC_ERR,
          WorkCompletionStatus.REM_OP_ERR,
          WorkCompletionStatus.REM_ACCESS_ERR,
          WorkCompletionStatus.LOC_QP_OP_ERR);

  private Exploration() {}

  /**
   * The scenario of a seed.
   *
   * @param name of the scenario and its devices
   */
  public static Scenario of(String name, long seed) {
    var random = new SplittableRandom(seed);
    long pages = random.nextLong(1, (random.nextInt(8) == 0 ? MAX_PAGES : FEW_PAGES) + 1);
    long ram =
        PAGE * Math.min(pages, pages < CHUNK_PAGES ? SOME_PAGES : CHUNK_PAGES + ADDITIONAL_PAGES);
    boolean faults = random.nextBoolean();
    var guest =
        new GuestSettings.Synthetic(
            ram,
            random.nextBoolean() ? 0 : random.nextLong(1, MAX_DIRTY_RATE),
            0,
            random.nextBoolean() ? random.nextDouble() : 0,
            seed);
    boolean pinAll = random.nextInt(4) == 0;
    var lab =
        new LabSettings(
                new MigrationSettings(guest)
                    .with(MigrationSetting.PIN_ALL, pinAll)
                    .with(
                        MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(random.nextInt(1, 500)))
                    .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(30))
                    .with(MigrationSetting.UNREGISTER, !pinAll && random.nextInt(4) == 0))
            .with(MigrationSetting.REFUSE_PIN_ALL, pinAll && random.nextInt(3) == 0);
    FaultScript source = faults ? script(random) : FaultScript.NONE;
    FaultScript destination = faults ? script(random) : FaultScript.NONE;
    return scenario(
        name,
        "Seed " + seed,
        faults ? "Random faults, in a random order." : "A random order without faults.",
        lab,
        seed,
        source,
        destination,
        faults ? MigrationStatus.ends() : EnumSet.of(MigrationStatus.COMPLETED),
        new Schedule(seed, faults && random.nextBoolean() ? rareChoice(random) : new TreeMap<>()));
  }

  /**
   * The smallest migration: a guest with one page of RAM that nobody writes to, without faults, in
   * turn. It must complete in any order.
   */
  public static Scenario smallest(String name) {
    return scenario(
        name,
        "The smallest migration",
        "A guest with one page of RAM, without faults.",
        new LabSettings(
            new MigrationSettings(new GuestSettings.Synthetic(PAGE, 0, 0, 0, 1))
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(30))),
        1,
        FaultScript.NONE,
        FaultScript.NONE,
        EnumSet.of(MigrationStatus.COMPLETED),
        Schedule.of(Schedule.IN_TURN));
  }

  private static Scenario scenario(
      String name,
      String title,
      String about,
      LabSettings lab,
      long seed,
      FaultScript source,
      FaultScript destination,
      Set<MigrationStatus> ends,
      Schedule schedule) {
    GuestSettings guest = lab.guest();
    return new Scenario(
        name,
        title,
        about,
        "",
        "",
        lab,
        GuestSettings.Synthetic.incoming(
            guest instanceof GuestSettings.Synthetic synthetic ? synthetic.ramBytes() : 0),
        List.of(ReleaseTime.ON_COMPLETION),
        1,
        seed,
        source,
        destination,
        List.of(new Expectation(ends, "", "", "", "", 0, Expectation.Hang.BY_ORDER)),
        List.of(),
        schedule);
  }

  /**
   * At one choice, early ones more likely, something happens that does not by itself: an end is
   * killed, a stranger answers for the destination, a cable is cut, an acknowledgement is lost or
   * time passes.
   */
  private static SortedMap<Long, Integer> rareChoice(SplittableRandom random) {
    long at = random.nextLong(1L << random.nextInt(LATEST_CHOICE_BITS + 1));
    return new TreeMap<>(Map.of(at, ~random.nextInt(MOST_RARE)));
  }

  private static FaultScript script(SplittableRandom random) {
    var rules = new ArrayList<FaultRule>();
    for (FaultRule.Kind kind : FaultRule.Kind.values()) {
      if (random.nextInt(3) == 0) {
        rules.add(often(random, kind, hold(random)));
      }
      if (random.nextInt(6) == 0) {
        rules.add(often(random, kind, new Fault.Delay(random.nextLong(LONGEST_DELAY))));
      }
    }
    if (random.nextInt(6) == 0) {
      rules.add(
          often(random, FaultRule.Kind.SEND, new Fault.ReceiverNotReady(random.nextInt(1, 4))));
    }
    if (random.nextInt(3) == 0) {
      // In front of the others, because the first rule that selects a request applies.
      rules.addFirst(
          FaultRule.once(FaultRule.Kind.ANY, random.nextInt(FINAL_FAULT_WITHIN), ending(random)));
    }
    return new FaultScript(
        rules,
        random.nextInt(8) == 0 ? random.nextLong(SLOWEST_LINK, 16 * SLOWEST_LINK) : 0,
        new DeviceLimits(
            random.nextInt(5) == 0 ? random.nextInt(1, MAX_TINY_LIMIT) : 0,
            random.nextInt(5) == 0 ? random.nextInt(1, MAX_TINY_LIMIT) : 0,
            random.nextInt(10) == 0 ? random.nextInt(1, MAX_TINY_LIMIT) : 0));
  }

  private static FaultRule often(SplittableRandom random, FaultRule.Kind kind, Fault fault) {
    return new FaultRule(kind, 0, false, 1, FaultRule.UNLIMITED, random.nextDouble(), fault, -1);
  }

  private static Fault hold(SplittableRandom random) {
    long nanos = random.nextLong(LONGEST_HOLD);
    return random.nextInt(3) == 0
        ? new Fault.Retransmit(nanos, random.nextInt(MAX_LATER_SENDS))
        : new Fault.HoldCompletion(nanos, random.nextBoolean());
  }

  private static Fault ending(SplittableRandom random) {
    return switch (random.nextInt(3)) {
      case 0 -> Fault.CUT;
      case 1 -> new Fault.Fatal();
      default -> new Fault.Fail(STATUSES.get(random.nextInt(STATUSES.size())), 0);
    };
  }
}
