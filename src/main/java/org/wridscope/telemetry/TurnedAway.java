// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.net.InetAddress;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.wridscope.text.Format;

/**
 * The callers that a destination has turned away while it waited for its source: how many, why, and
 * from where. Thread-safe, and bounded however many come.
 */
public final class TurnedAway {
  /** Most addresses that are counted one by one. */
  static final int ADDRESSES = 16;

  /** Why a caller was turned away. */
  public enum Reason {
    REFUSED("refused", "asked for what this destination does not do"),
    UNCONFIRMED("unconfirmed", "did not confirm the connection"),
    SILENT("silent", "sent nothing"),
    INVALID("invalid", "sent what no source sends"),
    LEFT("left", "left before any RAM had arrived"),
    UNSUITABLE("unsuitable", "had a guest that does not fit"),
    CROWDED_OUT("crowded_out", "had to make room for others"),
    DEVICE("device", "were lost to an error of the device here");

    private final String label;

    /** A phrase of which callers are the subject. */
    private final String text;

    Reason(String label, String text) {
      this.label = label;
      this.text = text;
    }

    /** A name for programs, of lower-case letters. */
    public String label() {
      return label;
    }
  }

  /**
   * The counts at a moment.
   *
   * @param reasons how many for each reason; reasons without any are absent
   * @param addresses how many from each address, the first {@value #ADDRESSES} that came
   * @param elsewhere how many from other addresses
   */
  public record Counts(Map<Reason, Long> reasons, Map<String, Long> addresses, long elsewhere) {
    static final Counts NONE = new Counts(Map.of(), Map.of(), 0);

    public long total() {
      return reasons.values().stream().mapToLong(Long::longValue).sum();
    }

    /** One sentence; empty if there were none. */
    public String sentence() {
      if (total() == 0) {
        return "";
      }
      String why =
          reasons.entrySet().stream()
              .map(entry -> "%s %s".formatted(Format.count(entry.getValue()), entry.getKey().text))
              .collect(Collectors.joining(", "));
      String where =
          addresses.entrySet().stream()
              .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
              .limit(3)
              .map(entry -> "%s (%s)".formatted(entry.getKey(), Format.count(entry.getValue())))
              .collect(Collectors.joining(", "));
      return "%s turned away before the source: %s; most from %s."
          .formatted(
              total() == 1 ? "1 caller was" : Format.count(total()) + " callers were", why, where);
    }
  }

  private final Map<Reason, Long> reasons = new EnumMap<>(Reason.class);
  private final Map<String, Long> addresses = new LinkedHashMap<>();
  private long elsewhere;

  /** Counts a caller. */
  public synchronized void add(Reason reason, InetAddress from) {
    reasons.merge(reason, 1L, Long::sum);
    String address = from.getHostAddress();
    if (addresses.containsKey(address) || addresses.size() < ADDRESSES) {
      addresses.merge(address, 1L, Long::sum);
    } else {
      elsewhere++;
    }
  }

  public synchronized Counts counts() {
    return reasons.isEmpty()
        ? Counts.NONE
        : new Counts(
            Collections.unmodifiableMap(new EnumMap<>(reasons)),
            Collections.unmodifiableMap(new LinkedHashMap<>(addresses)),
            elsewhere);
  }

  /** All reasons, in the order in which they are shown. */
  public static List<Reason> reasons() {
    return List.of(Reason.values());
  }
}
