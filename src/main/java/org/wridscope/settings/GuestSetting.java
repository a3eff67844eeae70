// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import static org.wridscope.settings.Place.DESTINATION;
import static org.wridscope.settings.Place.LAB;
import static org.wridscope.settings.Place.SCENARIO;
import static org.wridscope.settings.Place.SEARCH;
import static org.wridscope.settings.Place.SOURCE;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.guest.SyntheticGuestConfig;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.memory.RamBlock;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;

/** What a synthetic guest is like. */
public final class GuestSetting {
  /** Bytes of its largest block, a positive multiple of the page size. */
  public static final Setting<Long> RAM =
      Setting.of("ram", (field, text, _) -> ram(field, text), Format::exactBytes, 2L << 30)
          .about(Group.GUEST)
          .at(SOURCE, DESTINATION, LAB, SCENARIO)
          .option("SIZE", "RAM of the synthetic guest, the same at both ends")
          .input(
              "RAM",
              "such as 2GiB",
              "RAM of the guest: a size such as 512MiB or 2GiB, a multiple of 4KiB up to 16TiB."
                  + " The destination needs the same.");

  /** Bytes per second that its workload writes, 0 for an idle guest. */
  public static final Setting<Long> DIRTY_RATE =
      Setting.of(
              "dirty-rate",
              (field, text, _) -> Parse.rate(field, text),
              Format::exactRate,
              200L << 20)
          .about(Group.GUEST)
          .at(SOURCE, LAB, SCENARIO)
          .option("RATE", "Rate at which its workload writes to memory, 0 for an idle guest")
          .input(
              "Dirty rate",
              "such as 200MiB/s; 0 for an idle guest",
              "How fast the guest writes to its RAM: a rate such as 200MiB/s, up to 1TiB/s; 0 for"
                  + " a guest that writes nothing.");

  /** Bytes that the workload writes to; 0 for a quarter of the RAM. */
  public static final Setting<Long> WORKING_SET =
      Setting.of(
              "working-set",
              GuestSetting::workingSet,
              bytes -> bytes == 0 ? "" : Format.exactBytes(bytes),
              0L)
          .about(Group.GUEST)
          .at(SOURCE, LAB, SCENARIO)
          .after(RAM)
          .emptyFor(0L)
          .usually("a quarter of the RAM")
          .option("SIZE", "Part of its RAM that the workload writes to")
          .seldom()
          .input(
              "Working set",
              "a quarter of the RAM",
              "The part of its RAM that the guest writes to: a size up to its RAM. Default: a"
                  + " quarter of the RAM.");

  /** Share of the RAM that is zero, 0 to 1. */
  public static final Setting<Double> ZERO =
      Setting.of("zero", (field, text, _) -> Parse.share(field, text), GuestSetting::share, 0.4)
          .about(Group.GUEST)
          .at(SOURCE, LAB, SCENARIO)
          .option("SHARE", "Share of its RAM that is zero, such as 40% or 0.4")
          .seldom()
          .input(
              "Zero share",
              "such as 40%",
              "The share of RAM that is zero when the guest starts: 0% to 100%.");

  /** Of the random content of its memory, and of its workload. */
  public static final Setting<Long> SEED =
      Setting.of("seed", (field, text, _) -> Parse.number(field, text), seed -> "" + seed, 1L)
          .about(Group.GUEST)
          .at(SOURCE, LAB, SCENARIO, SEARCH)
          .option("NUMBER", "Seed of its memory content and its workload")
          .seldom()
          .input(
              "Seed",
              "a whole number",
              "A whole number. The same seed gives the same content of RAM and the same places of"
                  + " writes.");

  /** Requests per second of its virtio devices; none for the usual number. */
  public static final Setting<OptionalLong> VIRTIO_REQUESTS =
      Setting.of(
              "virtio-requests",
              (field, text, _) ->
                  OptionalLong.of(Parse.number(field, text, 0, VirtioLoad.MAX_RATE)),
              requests -> requests.isEmpty() ? "" : "" + requests.getAsLong(),
              OptionalLong.empty())
          .about(Group.GUEST)
          .at(SOURCE, LAB, SCENARIO)
          .emptyFor(OptionalLong.empty())
          .usually("100; 0 for an idle guest, 1000 for faulty devices")
          .option("NUMBER", "Requests per second of its virtio block and network device");

  /** What its virtio devices do wrong. */
  public static final Setting<VirtioFault> VIRTIO_FAULT =
      Setting.choice(
              "virtio-fault",
              VirtioFault.NONE,
              VirtioFault.values(),
              VirtioFault::text,
              (field, text, _) ->
                  word(field, text, "fault", VirtioFault.values(), VirtioFault::text))
          .about(Group.GUEST)
          .at(SOURCE, DESTINATION, LAB, SCENARIO)
          .option(
              "NAME",
              "A deliberate fault of its virtio devices at this end: none,"
                  + " index-cleared-before-read, used-index-not-restored, in-flight-forgotten,"
                  + " index-kept-at-reset, suspend-fails, query-fails")
          .seldom()
          .input(
              "Virtio fault",
              "none",
              "What the guest's virtio devices do wrong when they are stopped or recreated."
                  + " Default: nothing.");

  /** Which state of a virtqueue is carried over. */
  public static final Setting<VirtioPolicy> VIRTIO_POLICY =
      Setting.choice(
              "virtio-policy",
              VirtioPolicy.WHOLE_STATE,
              VirtioPolicy.values(),
              VirtioPolicy::text,
              (field, text, _) ->
                  word(field, text, "policy", VirtioPolicy.values(), VirtioPolicy::text))
          .about(Group.GUEST)
          .at(SOURCE, DESTINATION, LAB, SCENARIO)
          .option(
              "NAME",
              "The state of a virtqueue that is carried over to the device that continues:"
                  + " whole-state, last-available-index, used-index-from-ring, used-index-as-base,"
                  + " available-index-from-ring (docs/scenarios.md)")
          .seldom()
          .input(
              "Virtio policy",
              "the whole state of a queue is carried over",
              "Which state of a virtqueue is read from a device that is stopped, and given to the"
                  + " one that continues. Default: all of it.");

  /** Requests between two changes of the memory map, 0 for none; none for the usual number. */
  public static final Setting<OptionalInt> VIRTIO_MAP_CHANGE_EVERY =
      every("virtio-map-change-every")
          .usually("500; none with a fault or another policy")
          .option(
              "NUMBER",
              "Virtio requests between two changes of the memory map, on average, 0 for none");

  /**
   * Requests between two resets of a device by its driver, 0 for none; none for the usual number.
   */
  public static final Setting<OptionalInt> VIRTIO_RESET_EVERY =
      every("virtio-reset-every")
          .usually("2000; with a fault or another policy none, or 50 if the fault concerns resets")
          .option(
              "NUMBER",
              "Virtio requests between two resets of a device by its driver, on average, 0 for"
                  + " none");

  /** Bytes that a balloon repeatedly takes and returns, 0 for no balloon. */
  public static final Setting<Long> BALLOON =
      Setting.of("balloon", GuestSetting::balloon, Format::exactBytes, 0L)
          .about(Group.GUEST)
          .at(SOURCE, LAB, SCENARIO)
          .after(RAM, WORKING_SET)
          .emptyFor(0L)
          .usually("none")
          .option(
              "SIZE",
              "RAM below the working set that a balloon repeatedly takes from the guest and"
                  + " returns; the RAM that it takes is unregistered")
          .seldom()
          .input(
              "Balloon",
              "none, or RAM that it takes, such as 256MiB",
              "RAM that a balloon takes from the guest while it is migrated: a size in steps of"
                  + " 1MiB. Default: none.");

  /** In the order in which help and dialogs show them. */
  static final List<Setting<?>> ALL =
      List.of(
          RAM,
          DIRTY_RATE,
          WORKING_SET,
          ZERO,
          SEED,
          VIRTIO_REQUESTS,
          VIRTIO_FAULT,
          VIRTIO_POLICY,
          VIRTIO_MAP_CHANGE_EVERY,
          VIRTIO_RESET_EVERY,
          BALLOON);

  private GuestSetting() {}

  private static Setting<OptionalInt> every(String name) {
    return Setting.of(
            name,
            (field, text, _) ->
                OptionalInt.of((int) Parse.number(field, text, 0, Integer.MAX_VALUE)),
            number -> number.isEmpty() ? "" : "" + number.getAsInt(),
            OptionalInt.empty())
        .about(Group.GUEST)
        .at(SOURCE, LAB, SCENARIO)
        .emptyFor(OptionalInt.empty());
  }

  private static long ram(String field, String text) {
    long bytes = Parse.size(field, text);
    if (bytes == 0 || bytes % RamBlock.PAGE_SIZE != 0) {
      throw new IllegalArgumentException(
          "%s: %s is not a positive multiple of the page size, %d bytes."
              .formatted(field, Parse.quoted(text), RamBlock.PAGE_SIZE));
    }
    return bytes;
  }

  private static long workingSet(String field, String text, Settings others) {
    long bytes = ram(field, text);
    if (bytes > others.get(RAM)) {
      throw new IllegalArgumentException(
          "%s: %s is more than the guest's RAM, %s."
              .formatted(field, text.strip(), RAM.text(others)));
    }
    return bytes;
  }

  private static long balloon(String field, String text, Settings others) {
    long bytes = Parse.size(field, text);
    long most = SyntheticGuestConfig.mostBalloon(others.get(RAM), others.get(WORKING_SET));
    if (bytes < 0 || bytes > most || bytes % SyntheticGuestConfig.BALLOON_STEP != 0) {
      throw new IllegalArgumentException(
          "%s: %s is not a size in steps of 1MiB up to %s, the RAM below the working set."
              .formatted(field, text.strip(), Format.exactBytes(most)));
    }
    return bytes;
  }

  /** A percentage if that is exact. */
  private static String share(double share) {
    String percent =
        new BigDecimal(Double.toString(share))
                .movePointRight(2)
                .stripTrailingZeros()
                .toPlainString()
            + "%";
    return Parse.share("", percent) == share
        ? percent
        : new BigDecimal(Double.toString(share)).toPlainString();
  }

  private static <T> T word(
      String field, String text, String what, T[] values, Function<T, String> name) {
    for (T value : values) {
      if (name.apply(value).equals(text.strip().toLowerCase(Locale.ROOT))) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is not a known %s; write one of %s."
            .formatted(
                field,
                Parse.quoted(text),
                what,
                Stream.of(values).map(name).collect(Collectors.joining(", "))));
  }
}
