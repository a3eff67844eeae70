// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import static org.wridscope.settings.Place.DESTINATION;
import static org.wridscope.settings.Place.LAB;
import static org.wridscope.settings.Place.LAND;
import static org.wridscope.settings.Place.LIBVIRT;
import static org.wridscope.settings.Place.LIFT;
import static org.wridscope.settings.Place.QEMU;
import static org.wridscope.settings.Place.SCENARIO;
import static org.wridscope.settings.Place.SEARCH;
import static org.wridscope.settings.Place.SOURCE;

import java.time.Duration;
import java.util.List;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;

/** How a guest is migrated by the engine of this program. */
public final class MigrationSetting {
  /** The shortest downtime limit that a scheduler can keep. */
  private static final Duration MIN_DOWNTIME = Duration.ofMillis(1);

  /** QEMU's {@code MAX_MIGRATE_DOWNTIME}. */
  private static final Duration MAX_DOWNTIME = Duration.ofSeconds(2000);

  private static final long MOST_ROUNDS = 1_000_000;

  /** All RAM is registered at the beginning. */
  public static final Setting<Boolean> PIN_ALL =
      Setting.flag("pin-all", false)
          .at(SOURCE, LAB, SCENARIO, LIFT, QEMU, LIBVIRT)
          .inQmp("rdma-pin-all")
          .option("", "Register all RAM at the beginning instead of chunk by chunk (rdma-pin-all)")
          .input(
              "Register all RAM at the beginning (pin-all)",
              "",
              "No keys are asked for during rounds, but all RAM stays in physical memory at both"
                  + " ends, and the set-up takes longer.");

  /** Registrations are released as soon as their memory was sent; excludes {@link #PIN_ALL}. */
  public static final Setting<Boolean> UNREGISTER =
      Setting.flag("unregister", false)
          .at(SOURCE, LAB, SCENARIO)
          .option("", "Release each registration as soon as its memory was sent, to pin less RAM")
          .seldom()
          .input(
              "Unregister RAM as soon as it has been sent",
              "",
              "Both ends release a registration when nothing of it is in transit. It pins less"
                  + " RAM, and registers again what is written again.");

  /**
   * The source waits for permission before it switches over, while its guest runs on and its RAM is
   * sent again; QEMU pauses the guest.
   */
  public static final Setting<Boolean> PAUSE_BEFORE_SWITCHOVER =
      Setting.flag("pause-before-switchover", false)
          .at(SOURCE, LAB, LIFT, QEMU)
          .inQmp("pause-before-switchover")
          .option(
              "",
              "When the guest could be handed over, wait until Enter is pressed (a line on standard"
                  + " input). Unlike with QEMU's option of this name, the guest keeps running"
                  + " meanwhile, and --timeout does not count the wait")
          .input(
              "Wait before the switch-over, until you continue",
              "",
              "The migration keeps sending what the guest writes until you press Switch over.");

  /** How the pages are found that the guest of a QEMU writes. */
  public static final Setting<DirtyLogChoice> DIRTY_LOG =
      Setting.choice(
              "dirty-log",
              DirtyLogChoice.AUTO,
              DirtyLogChoice.values(),
              DirtyLogChoice::text,
              (field, text, _) -> DirtyLogChoice.parse(field, text))
          .at(LIFT)
          .usually("auto, the first one that works")
          .option(
              "KIND",
              "With --qemu: how the pages are found that its guest writes: auto, userfaultfd,"
                  + " soft-dirty or compare")
          .seldom()
          .input(
              "Dirty log",
              "auto: the best that this machine allows",
              "How the pages are found that the guest writes. Default: the best way that this"
                  + " machine allows.");

  /** Whether the guest of a QEMU is slowed down meanwhile. */
  public static final Setting<Throttle> THROTTLE =
      Setting.of(
              "throttle",
              (field, text, _) -> Throttle.parse(field, text),
              Throttle::text,
              Throttle.OFF)
          .emptyFor(Throttle.OFF)
          .at(LIFT)
          .option(
              "PERCENT",
              "With --qemu: stop its guest for this share of the time while RAM is sent, such as"
                  + " 30%, so that it writes less")
          .input(
              "Throttle",
              "off, or the share of time the guest is held back, such as 30%",
              "The share of time for which the guest is held back so that it converges, such as"
                  + " 30%. Default: off.");

  /** Bytes of RAM per second, 0 for no limit. */
  public static final Setting<Long> BANDWIDTH =
      Setting.of("bandwidth", (field, text, _) -> Parse.rate(field, text), Format::exactRate, 0L)
          .emptyFor(0L)
          .at(SOURCE, LAB, SCENARIO, LIFT, QEMU, LIBVIRT)
          .inQmp("max-bandwidth")
          .option("RATE", "Limit of the throughput, 0 for none")
          .input(
              "Bandwidth limit",
              "none",
              "The most that is sent per second: a rate such as 128MiB/s. 0 or empty for no"
                  + " limit. It can be changed during the migration.");

  /** How long the guest may be paused at the switch-over. */
  public static final Setting<Duration> DOWNTIME_LIMIT =
      Setting.of(
              "downtime-limit",
              (field, text, _) -> downtimeLimit(field, text),
              limit -> Format.exactDuration(limit.toNanos()),
              Duration.ofMillis(300))
          .at(SOURCE, LAB, SCENARIO, LIFT, QEMU, LIBVIRT)
          .inQmp("downtime-limit")
          .option("TIME", "Longest time for which the guest may be paused")
          .input(
              "Downtime limit",
              "such as 300ms",
              "How long the guest may be paused: 1ms to 2000s, such as 300ms. The switch-over"
                  + " begins when the rest can be sent within it.");

  /**
   * Rounds after which a source fails whose guest could not be handed over within the downtime
   * limit, 0 for any number; those in which it waits for permission to switch over do not count.
   */
  public static final Setting<Long> ROUND_LIMIT =
      Setting.of(
              "round-limit",
              (field, text, _) -> Parse.number(field, text, 0, MOST_ROUNDS),
              Object::toString,
              0L)
          .emptyFor(0L)
          .at(SOURCE, LAB, SCENARIO, LIFT)
          .option(
              "ROUNDS",
              "Give up after so many rounds if the rest does not fit the downtime limit; 0 for"
                  + " never")
          .seldom()
          .input(
              "Limit of rounds",
              "none",
              "After so many rounds, 1 to 1000000, the migration is given up if the rest does not fit"
                  + " the downtime limit, and the guest stays at the source. 0 or empty for no"
                  + " limit.");

  /**
   * After which a source fails, zero for never; the time for which it waits for permission to
   * switch over does not count. How long a destination waits for a source.
   */
  public static final Setting<Duration> TIMEOUT =
      Setting.of(
              "timeout",
              (field, text, _) -> Parse.duration(field, text),
              time -> time.isZero() ? "0" : Format.exactDuration(time.toNanos()),
              Duration.ZERO)
          .emptyFor(Duration.ZERO)
          .at(SOURCE, DESTINATION, LAB, SCENARIO)
          .option(
              "TIME",
              "Give up after this time, at a destination if no source has connected by then; 0 for"
                  + " never")
          .input(
              "Timeout",
              "never",
              "After this time, such as 60s, the migration is given up and the guest stays at the"
                  + " source. 0 or empty for never.");

  /** Whether both queues of each end share a completion queue. */
  public static final Setting<CompletionQueues> COMPLETION_QUEUES =
      Setting.choice(
              "completion-queues",
              CompletionQueues.SPLIT,
              CompletionQueues.values(),
              CompletionQueues::text,
              (field, text, _) -> CompletionQueues.parse(field, text))
          .at(LAB, SCENARIO, SEARCH)
          .option(
              "--cq",
              "shared|split",
              "Whether the send and the receive queue share a completion queue, as in QEMU before"
                  + " 6.2, where a wait drops the completions that it does not wait for");

  /** When both ends release what a request needs. */
  public static final Setting<ReleaseTime> RELEASE =
      Setting.choice(
              "release",
              ReleaseTime.ON_COMPLETION,
              ReleaseTime.values(),
              ReleaseTime::text,
              (field, text, _) -> ReleaseTime.parse(field, text))
          .at(SEARCH)
          .option(
              "on-completion|on-reply",
              "Whether both ends release what a request needs when it has"
                  + " completed, or when the peer has answered, which is a mistake");

  /** A destination does not grant pin-all. */
  public static final Setting<Boolean> REFUSE_PIN_ALL =
      Setting.flag("refuse-pin-all", false)
          .about(Group.DESTINATION)
          .at(DESTINATION, LAB, SCENARIO)
          .option(
              "",
              "At the destination, refuse to register all RAM at the beginning: a Wridscope source"
                  + " with --pin-all continues without it, a QEMU source is rejected")
          .seldom()
          .input(
              "Refuse pin-all at the destination",
              "",
              "The destination answers that it does not pin all RAM. A Wridscope source then"
                  + " registers RAM in chunks; a QEMU source is rejected.");

  /** The RAM of a QEMU is compared with the source's before its guest starts. */
  public static final Setting<Boolean> VERIFY =
      Setting.flag("verify", false)
          .about(Group.DESTINATION)
          .at(LAND)
          .option(
              "",
              "With --qemu: compare its RAM with that of a Wridscope at the source before the guest"
                  + " starts, which lengthens the downtime")
          .input(
              "Compare the RAM before the start (longer downtime)",
              "",
              "Reads all RAM at both ends while the guest is paused, so that a difference is found"
                  + " before the guest runs.");

  /** Events and history are kept. */
  public static final Setting<Boolean> MONITORED =
      Setting.flag("monitored", true)
          .at(SOURCE, DESTINATION, LAB, LIFT, LAND, QEMU)
          .seldom()
          .input(
              "Keep events and history for the views",
              "",
              "Without them a migration is a little faster, and views, Explain and recordings of"
                  + " it stay empty.");

  /** Its operator has paused the guest before the migration begins; only QMP says so. */
  public static final Setting<Boolean> PAUSED = Setting.flag("paused", false);

  /** In the order in which help and dialogs show them. */
  static final List<Setting<?>> ALL =
      List.of(
          DIRTY_LOG,
          THROTTLE,
          BANDWIDTH,
          DOWNTIME_LIMIT,
          ROUND_LIMIT,
          TIMEOUT,
          COMPLETION_QUEUES,
          RELEASE,
          PIN_ALL,
          UNREGISTER,
          PAUSE_BEFORE_SWITCHOVER,
          REFUSE_PIN_ALL,
          VERIFY,
          MONITORED,
          PAUSED);

  private MigrationSetting() {}

  private static Duration downtimeLimit(String field, String text) {
    Duration limit = Parse.duration(field, text);
    if (!isDowntimeLimit(limit)) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; write 1ms to 2000s.".formatted(field, text.strip()));
    }
    return limit;
  }

  /** Whether a downtime limit is from 1 ms to 2000 s. */
  public static boolean isDowntimeLimit(Duration limit) {
    return limit.compareTo(MIN_DOWNTIME) >= 0 && limit.compareTo(MAX_DOWNTIME) <= 0;
  }
}
