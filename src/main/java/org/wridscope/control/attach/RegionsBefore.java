// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory regions of all processes, as the program {@code rdma} reads them from the kernel while
 * probes see what is registered and deregistered.
 *
 * @param beginNanos all that had returned before is in the list
 * @param endNanos nothing that was called after is in the list
 * @param regions by process; null if they are not known
 */
record RegionsBefore(long beginNanos, long endNanos, @Nullable Map<Long, Regions> regions) {
  private static final Logger LOG = LoggerFactory.getLogger(RegionsBefore.class);

  /** More are not kept, so that they are not known. */
  private static final int MOST_REGIONS = 1 << 18;

  /** Nothing is known. */
  static final RegionsBefore NOT_KNOWN = new RegionsBefore(0, 0, null);

  /**
   * The regions of a process.
   *
   * @param count how many
   * @param bytes of all of them
   * @param keys how many regions have each local key, an unsigned number: those of two devices may
   *     have the same
   */
  record Regions(int count, long bytes, Map<Long, Integer> keys) {
    static final Regions NONE = new Regions(0, 0, Map.of());
  }

  /**
   * Reads them; without the program, or from a kernel that does not tell them, they are not known.
   *
   * @param device whose regions are read; null for all
   */
  static RegionsBefore read(@Nullable String device) throws InterruptedException {
    long begin = System.nanoTime();
    try {
      Map<Long, Regions> regions = parse(RdmaTool.showDetails("mr"), device);
      return new RegionsBefore(begin, System.nanoTime(), regions);
    } catch (IOException e) {
      LOG.info("the regions that were registered before are not known: {}", e.getMessage());
      return NOT_KNOWN;
    }
  }

  /**
   * Reads what {@code rdma -j -d resource show mr} prints; those of the kernel are left out.
   *
   * @throws IOException if it is something else, or lacks a key or a length; one sentence
   */
  static Map<Long, Regions> parse(String json, @Nullable String device) throws IOException {
    Map<Long, Map<Long, Integer>> keys = new HashMap<>();
    Map<Long, Long> bytes = new HashMap<>();
    var objects = RdmaTool.objects(json);
    if (objects.size() > MOST_REGIONS) {
      throw new IOException("More than %d regions are registered.".formatted(MOST_REGIONS));
    }
    for (JsonObject each : objects) {
      long pid = RdmaTool.number(each, "pid").orElse(0);
      boolean meant =
          device == null
              || (each.get("ifname") instanceof JsonPrimitive name
                  && name.getAsString().equals(device));
      if (pid == 0 || !meant) {
        continue;
      }
      long length =
          RdmaTool.number(each, "mrlen")
              .orElseThrow(
                  () -> new IOException("The program rdma tells a region without length."));
      keys.computeIfAbsent(pid, _ -> new HashMap<>()).merge(key(each), 1, Integer::sum);
      bytes.merge(pid, length, Long::sum);
    }
    Map<Long, Regions> regions = new HashMap<>();
    keys.forEach((pid, of) ->
        regions.put(
            pid,
            new Regions(
                of.values().stream().mapToInt(Integer::intValue).sum(),
                bytes.getOrDefault(pid, 0L),
                of)));
    return regions;
  }

  /** Keys are told to root only; the program writes them in hexadecimal, as a number or a text. */
  private static long key(JsonObject of) throws IOException {
    if (of.get("lkey") instanceof JsonPrimitive key) {
      String digits = key.getAsString().replaceFirst("^0[xX]", "");
      if (digits.matches("[0-9a-fA-F]{1,8}")) {
        return Long.parseLong(digits, 16);
      }
    }
    throw new IOException("The program rdma tells a region without its key.");
  }

  /** Those of a process; null if they are not known. */
  @Nullable Regions of(long pid) {
    return regions == null ? null : regions.getOrDefault(pid, Regions.NONE);
  }
}
