// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.units.Parse;

/**
 * The virtio block and network device of a synthetic guest.
 *
 * @param load what their drivers do
 * @param variant how both devices differ from sound ones
 */
public record VirtioSettings(VirtioLoad load, VirtioVariant variant) {
  private static final long USUAL = 100;

  /** Enough for a fault to become visible in a migration of one second. */
  private static final long SHOWING = 1000;

  /** Devices with this rate of requests; sound ones are disturbed, others only by what they do. */
  public VirtioSettings(long requestsPerSecond, VirtioVariant variant) {
    this(load(requestsPerSecond, variant), variant);
  }

  /** The same, with a fault and the usual policy. */
  public VirtioSettings(long requestsPerSecond, VirtioFault fault) {
    this(requestsPerSecond, VirtioVariant.of(fault));
  }

  private static VirtioLoad load(long requestsPerSecond, VirtioVariant variant) {
    double rate = (double) requestsPerSecond;
    return variant.isSound() ? VirtioLoad.of(rate) : VirtioLoad.showing(variant.fault(), rate);
  }

  /** The usual rate: the default where the user gives none. */
  public static VirtioSettings usual(long dirtyRate, VirtioVariant variant) {
    if (!variant.isSound()) {
      return new VirtioSettings(SHOWING, variant);
    }
    return new VirtioSettings(dirtyRate > 0 ? USUAL : 0, variant);
  }

  /** The same, with a fault and the usual policy. */
  public static VirtioSettings usual(long dirtyRate, VirtioFault fault) {
    return usual(dirtyRate, VirtioVariant.of(fault));
  }

  /** Requests per second of both devices together, 0 for none. */
  public long requestsPerSecond() {
    return (long) load.requestsPerSecond();
  }

  /**
   * These devices with other disturbances.
   *
   * @param mapChangeEvery requests between two changes of the memory map, on average, 0 for none;
   *     null for as many as now
   * @param resetEvery the same for resets of a device by its driver
   */
  public VirtioSettings disturbed(@Nullable Integer mapChangeEvery, @Nullable Integer resetEvery) {
    return new VirtioSettings(
        new VirtioLoad(
            load.requestsPerSecond(),
            mapChangeEvery == null ? load.mapChangeEvery() : mapChangeEvery,
            resetEvery == null ? load.resetEvery() : resetEvery),
        variant);
  }

  /**
   * Parses a number of requests per second.
   *
   * @return 0 to {@value VirtioLoad#MAX_RATE}
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static long parseRequests(String field, String text) {
    return Parse.number(field, text, 0, VirtioLoad.MAX_RATE);
  }

  /**
   * Parses a number of requests between two disturbances.
   *
   * @return 0 or more; null if the text is blank
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static @Nullable Integer parseEvery(String field, String text) {
    return text.isBlank() ? null : (int) Parse.number(field, text, 0, Integer.MAX_VALUE);
  }

  /**
   * Parses the name of a fault.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static VirtioFault parseFault(String field, String text) {
    return parse(field, text, "fault", VirtioFault.values(), VirtioFault::text);
  }

  /**
   * Parses the name of a policy.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static VirtioPolicy parsePolicy(String field, String text) {
    return parse(field, text, "policy", VirtioPolicy.values(), VirtioPolicy::text);
  }

  private static <T> T parse(
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
