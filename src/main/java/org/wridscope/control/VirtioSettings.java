// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.units.Parse;

/**
 * The virtio block and network device of a synthetic guest.
 *
 * @param requestsPerSecond of both devices together, 0 for none, at most {@value
 *     org.wridscope.guest.virtio.VirtioLoad#MAX_RATE}
 * @param fault a deliberate fault of both devices
 */
public record VirtioSettings(long requestsPerSecond, VirtioFault fault) {
  private static final long USUAL = 100;

  /** Enough for a fault to become visible in a migration of one second. */
  private static final long SHOWING = 1000;

  /** The usual rate: the default where the user gives none. */
  public static VirtioSettings usual(long dirtyRate, VirtioFault fault) {
    if (fault != VirtioFault.NONE) {
      return new VirtioSettings(SHOWING, fault);
    }
    return new VirtioSettings(dirtyRate > 0 ? USUAL : 0, fault);
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
   * Parses the name of a fault.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static VirtioFault parseFault(String field, String text) {
    for (VirtioFault fault : VirtioFault.values()) {
      if (fault.text().equals(text.strip().toLowerCase(Locale.ROOT))) {
        return fault;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is not a known fault; write one of %s."
            .formatted(
                field,
                Parse.quoted(text),
                Stream.of(VirtioFault.values())
                    .map(VirtioFault::text)
                    .collect(Collectors.joining(", "))));
  }
}
