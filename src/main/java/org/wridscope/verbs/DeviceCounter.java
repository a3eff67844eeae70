// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * A counter of a device, as the kernel names it. It counts for all programs that use the port, and
 * not for one queue pair.
 *
 * @param device for example {@code mlx5_0}
 * @param port from 1; 0 for a counter of the whole device
 * @param name the name of its file in sysfs, for example {@code out_of_buffer}
 */
public record DeviceCounter(String device, int port, String name)
    implements Comparable<DeviceCounter> {
  /** The largest number of a port; it has eight bits in the verbs. */
  public static final int MAX_PORT = 255;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
  private static final Comparator<DeviceCounter> ORDER =
      Comparator.comparing(DeviceCounter::device)
          .thenComparingInt(DeviceCounter::port)
          .thenComparing(DeviceCounter::name);

  /**
   * @throws IllegalArgumentException if it is no name of a device or of a counter, or no port
   */
  public DeviceCounter {
    if (!isName(device) || !isName(name) || port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("no counter of a device");
    }
  }

  /** Whether a device or a counter may have this name: 1 to 64 letters, digits and {@code _.-}. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** The device and the port, for example {@code mlx5_0 port 1}. */
  public String place() {
    return port == 0 ? device : "%s port %d".formatted(device, port);
  }

  @Override
  public int compareTo(DeviceCounter other) {
    return ORDER.compare(this, other);
  }
}
