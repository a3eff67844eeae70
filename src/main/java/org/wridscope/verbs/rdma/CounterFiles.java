// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.wridscope.verbs.DeviceCounter;

/**
 * Reads the counters of RDMA devices in sysfs: {@code ports/N/counters} and {@code
 * ports/N/hw_counters} of each port, and {@code hw_counters} of the device. See
 * Documentation/ABI/stable/sysfs-class-infiniband.
 */
public final class CounterFiles {
  /** Devices have one or two ports; more are left out. */
  static final int MAX_PORTS = 16;

  /** A device has up to about eighty counters in a directory; more are left out. */
  static final int MAX_FILES = 256;

  /** The digits of 2^64 and a newline fit. */
  private static final int MAX_BYTES = 32;

  /** For how long the values of a directory are valid, in milliseconds; not a counter. */
  private static final String LIFESPAN = "lifespan";

  private final Path infiniband;

  /** The counters of this machine. */
  public CounterFiles() {
    this(Path.of("/sys/class/infiniband"));
  }

  /**
   * @param infiniband has a directory for each device
   */
  public CounterFiles(Path infiniband) {
    this.infiniband = infiniband;
  }

  /**
   * The present values of all counters of a device, unsigned. One that cannot be read, or is no
   * number, is not known, and left out. The kernel asks the device, which takes some milliseconds,
   * and longer if its firmware does not answer.
   */
  public Map<DeviceCounter, Long> read(String device) {
    var values = new HashMap<DeviceCounter, Long>();
    if (!DeviceCounter.isName(device)) {
      return values;
    }
    Path of = infiniband.resolve(device);
    read(device, 0, of.resolve("hw_counters"), values);
    Path ports = of.resolve("ports");
    KernelFiles.list(ports).stream()
        .filter(name -> name.matches("[1-9][0-9]{0,2}"))
        .limit(MAX_PORTS)
        .map(Integer::parseInt)
        .filter(port -> port <= DeviceCounter.MAX_PORT)
        .forEach(port -> {
          Path directory = ports.resolve(Integer.toString(port));
          read(device, port, directory.resolve("counters"), values);
          read(device, port, directory.resolve("hw_counters"), values);
        });
    return values;
  }

  private static void read(
      String device, int port, Path directory, Map<DeviceCounter, Long> values) {
    List<String> names =
        KernelFiles.list(directory).stream()
            .filter(name -> DeviceCounter.isName(name) && !name.equals(LIFESPAN))
            .limit(MAX_FILES)
            .toList();
    for (String name : names) {
      value(directory.resolve(name))
          .ifPresent(value -> values.put(new DeviceCounter(device, port, name), value));
    }
  }

  /** Empty if the file is missing or cannot be read, as with EINVAL, or is no number. */
  private static OptionalLong value(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII).strip();
      return text.matches("[0-9]{1,20}")
          ? OptionalLong.of(Long.parseUnsignedLong(text))
          : OptionalLong.empty();
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
