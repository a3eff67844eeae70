// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a counter of a device means, as {@code counters.json} tells it. Sources: InfiniBand
 * Architecture Specification volume 1, 16.1.3.5; drivers/infiniband/sw/rxe/rxe_hw_counters.c and
 * drivers/infiniband/hw/mlx5/counters.c of Linux; Documentation/ABI/stable/sysfs-class-infiniband.
 *
 * @param names of the counters, which have the same meaning in different drivers
 * @param trouble that it shows when it grows; null if it counts what is usual, or what its programs
 *     are told otherwise
 * @param unit of what it counts; null for things that the sentence names
 * @param means a sentence
 */
public record CounterMeaning(
    List<String> names, @Nullable Trouble trouble, @Nullable String unit, String means) {
  private static final String FILE = "counters.json";
  private static final Map<String, CounterMeaning> ALL = read();

  /** Trouble that counters show. */
  public enum Trouble {
    RETRANSMISSION,
    NOT_READY,
    NO_RECEIVE,
    CONGESTION,
    LINK
  }

  private static Map<String, CounterMeaning> read() {
    try (InputStream in =
        Objects.requireNonNull(CounterMeaning.class.getResourceAsStream(FILE), FILE)) {
      CounterMeaning[] read =
          new Gson()
              .fromJson(new InputStreamReader(in, StandardCharsets.UTF_8), CounterMeaning[].class);
      var all = new HashMap<String, CounterMeaning>();
      for (CounterMeaning each : read) {
        each.names.forEach(name -> all.put(name, each));
      }
      return Map.copyOf(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The meaning of a counter; empty if none is known, as of those of other drivers. */
  public static Optional<CounterMeaning> of(String name) {
    return Optional.ofNullable(ALL.get(name));
  }

  /** All names that have a meaning. */
  static List<String> known() {
    return ALL.keySet().stream().sorted().toList();
  }
}
