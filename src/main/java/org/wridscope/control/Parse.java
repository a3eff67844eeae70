// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.telemetry.Format;

/**
 * What people type, checked once: sizes, rates, shares, times and URIs. Each method throws {@link
 * IllegalArgumentException} with one sentence for the user that starts with the name of the field.
 */
public final class Parse {
  private static final Pattern NUMBER_AND_UNIT =
      Pattern.compile("([0-9]{1,30}(?:\\.[0-9]{1,30})?)\\s*([\\p{L}/%µ]{0,9})");

  private static final Map<String, BigDecimal> SIZES =
      Map.ofEntries(
          Map.entry("b", power(1024, 0)),
          Map.entry("k", power(1024, 1)),
          Map.entry("kib", power(1024, 1)),
          Map.entry("m", power(1024, 2)),
          Map.entry("mib", power(1024, 2)),
          Map.entry("g", power(1024, 3)),
          Map.entry("gib", power(1024, 3)),
          Map.entry("t", power(1024, 4)),
          Map.entry("tib", power(1024, 4)),
          Map.entry("kb", power(1000, 1)),
          Map.entry("mb", power(1000, 2)),
          Map.entry("gb", power(1000, 3)),
          Map.entry("tb", power(1000, 4)));

  /** Bits a second, in bytes a second. */
  private static final Map<String, BigDecimal> BITS =
      Map.of(
          "bit/s", new BigDecimal("0.125"),
          "kbit/s", new BigDecimal("125"),
          "mbit/s", new BigDecimal("125000"),
          "gbit/s", new BigDecimal("125000000"));

  private static final Map<String, BigDecimal> NANOS =
      Map.ofEntries(
          Map.entry("ns", power(1000, 0)),
          Map.entry("us", power(1000, 1)),
          Map.entry("µs", power(1000, 1)),
          Map.entry("ms", power(1000, 2)),
          Map.entry("s", power(1000, 3)),
          Map.entry("min", BigDecimal.valueOf(60_000_000_000L)),
          Map.entry("h", BigDecimal.valueOf(3_600_000_000_000L)));

  /** Read and write for the owner, no execute for anybody. */
  private static final Pattern FILE_MODE = Pattern.compile("0?6[0246][0246]");

  /** As little as a scheduler can keep. */
  private static final Duration MIN_DOWNTIME = Duration.ofMillis(1);

  /** QEMU's {@code MAX_MIGRATE_DOWNTIME}. */
  private static final Duration MAX_DOWNTIME = Duration.ofSeconds(2000);

  private Parse() {}

  private static BigDecimal power(int base, int exponent) {
    return BigDecimal.valueOf(base).pow(exponent);
  }

  /** Where queues complete: {@code shared} or {@code split}. */
  public static CompletionQueues completionQueues(String field, String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "shared" -> CompletionQueues.SHARED;
      case "split" -> CompletionQueues.SPLIT;
      default ->
          throw new IllegalArgumentException(
              "%s: '%s' is neither; write shared or split.".formatted(field, text));
    };
  }

  /**
   * A size of memory: {@code 2GiB}, {@code 512M}, {@code 1.5 GiB}, {@code 4096B}, {@code 0}. K, M,
   * G and T mean powers of 1024; kB, MB, GB and TB powers of 1000. A unit is needed: 8192 are bytes
   * to some, and MiB to QEMU's {@code -m}.
   *
   * @return bytes, a whole number of them
   */
  public static long size(String field, String text) {
    return scaled(field, text, SIZES, "a size; write a number and a unit, such as 512MiB or 2GiB");
  }

  /**
   * RAM: a {@linkplain #size size} that is a positive multiple of the page size.
   *
   * @return bytes
   */
  public static long ram(String field, String text) {
    long bytes = size(field, text);
    if (bytes == 0 || bytes % 4096 != 0) {
      throw new IllegalArgumentException(
          "%s: %s is not a positive multiple of the page size, 4096 bytes."
              .formatted(field, quoted(text)));
    }
    return bytes;
  }

  /**
   * A rate: {@code 200MiB/s}, {@code 10Gbit/s}, {@code 0} for none. A unit is needed, as for a
   * {@linkplain #size size}.
   *
   * @return bytes a second
   */
  public static long rate(String field, String text) {
    String what = "a rate; write a number and a unit, such as 200MiB/s, 10Gbit/s or 0";
    String bits = text.strip().toLowerCase(Locale.ROOT);
    if (bits.endsWith("bit/s")) {
      return scaled(field, text, BITS, what);
    }
    String size = bits.endsWith("/s") ? bits.substring(0, bits.length() - 2) : bits;
    return scaled(field, text, size, SIZES, what);
  }

  /**
   * A share: {@code 40%}, {@code 12.5 %} or {@code 0.4}.
   *
   * @return 0 to 1
   */
  public static double share(String field, String text) {
    Matcher matcher = NUMBER_AND_UNIT.matcher(text.strip());
    if (matcher.matches() && (matcher.group(2).isEmpty() || matcher.group(2).equals("%"))) {
      double value = Double.parseDouble(matcher.group(1));
      double share = matcher.group(2).isEmpty() ? value : value / 100;
      if (share <= 1) {
        return share;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is not a share; write 0%% to 100%%.".formatted(field, quoted(text)));
  }

  /**
   * A length of time: {@code 300ms}, {@code 1.5s}, {@code 2min}, {@code 0} for none. A unit is
   * needed, for people differ about which one is meant without.
   */
  public static Duration duration(String field, String text) {
    if (text.strip().equals("0")) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(
        scaled(
            field,
            text,
            NANOS,
            "a length of time; write a number and a unit, such as 300ms, 1.5s or 2min"));
  }

  /** A limit of the downtime: a {@linkplain #duration length of time} from 1 ms to 2000 s. */
  public static Duration downtimeLimit(String field, String text) {
    Duration limit = duration(field, text);
    if (limit.compareTo(MIN_DOWNTIME) < 0 || limit.compareTo(MAX_DOWNTIME) > 0) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; it can be 1 ms to 2000 s.".formatted(field, text.strip()));
    }
    return limit;
  }

  /**
   * The part of its RAM that a guest writes to: {@linkplain #ram RAM} up to all of it.
   *
   * @param text blank for a quarter of it
   * @return bytes, 0 for a quarter
   */
  public static long workingSet(String field, String text, long ramBytes) {
    if (text.isBlank()) {
      return 0;
    }
    long bytes = ram(field, text);
    if (bytes > ramBytes) {
      throw new IllegalArgumentException(
          "%s: %s is more than the guest's RAM, %s."
              .formatted(field, text.strip(), Format.exactBytes(ramBytes)));
    }
    return bytes;
  }

  /** A whole number, positive, negative or hexadecimal with {@code 0x}. */
  public static long number(String field, String text) {
    try {
      return Long.decode(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: %s is not a whole number.".formatted(field, quoted(text)), e);
    }
  }

  /**
   * Requests a second, of all virtio devices of a guest.
   *
   * @return 0 to {@value VirtioLoad#MAX_RATE}
   */
  public static long virtioRequests(String field, String text) {
    long requests = number(field, text);
    if (requests < 0 || requests > VirtioLoad.MAX_RATE) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; it can be 0 to %d requests a second."
              .formatted(field, text.strip(), VirtioLoad.MAX_RATE));
    }
    return requests;
  }

  /** A fault of virtio devices, by its name. */
  public static VirtioFault virtioFault(String field, String text) {
    for (VirtioFault fault : VirtioFault.values()) {
      if (fault.text().equals(text.strip().toLowerCase(Locale.ROOT))) {
        return fault;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is no fault of virtio devices; it can be %s."
            .formatted(
                field,
                quoted(text),
                Stream.of(VirtioFault.values())
                    .map(VirtioFault::text)
                    .collect(Collectors.joining(", "))));
  }

  /**
   * Who may read and write a file, in octal: {@code 0600}, {@code 640}. Its owner may both, and
   * nobody may execute it.
   */
  public static Set<PosixFilePermission> fileMode(String field, String text) {
    String digits = text.strip();
    if (!FILE_MODE.matcher(digits).matches()) {
      throw new IllegalArgumentException(
          "%s: %s is not a mode for these files; write 0600 to 0666 in octal, such as 0640."
              .formatted(field, quoted(text)));
    }
    int mode = Integer.parseInt(digits, 8);
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      // In the order of the bits, the owner's first.
      if ((mode >> (8 - permission.ordinal()) & 1) != 0) {
        permissions.add(permission);
      }
    }
    return permissions;
  }

  private static long scaled(
      String field, String text, Map<String, BigDecimal> units, String what) {
    return scaled(field, text, text.strip().toLowerCase(Locale.ROOT), units, what);
  }

  private static long scaled(
      String field, String text, String lower, Map<String, BigDecimal> units, String what) {
    Matcher matcher = NUMBER_AND_UNIT.matcher(lower);
    if (lower.equals("0")) {
      return 0;
    }
    BigDecimal unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException("%s: %s is not %s.".formatted(field, quoted(text), what));
    }
    BigDecimal value = new BigDecimal(matcher.group(1)).multiply(unit);
    if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException(
          "%s: %s is more than this program can count.".formatted(field, quoted(text)));
    }
    return value.setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  /** As typed, but never so long that it hides the sentence around it. */
  public static String quoted(String text) {
    return '"' + (text.length() > 40 ? text.substring(0, 37) + "..." : text) + '"';
  }
}
