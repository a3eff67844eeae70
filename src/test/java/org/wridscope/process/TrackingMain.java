// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.nio.file.Path;
import java.util.List;

/** A process that tracks the writes of another one until it is killed. */
final class TrackingMain {
  private TrackingMain() {}

  /** Takes the number of the other process, and a file that it has mapped. */
  public static void main(String[] arguments) throws Exception {
    long pid = Long.parseLong(arguments[0]);
    List<SharedRange> ranges = ProcessMaps.read(pid).sharedOf(Path.of(arguments[1]));
    int opened = UserfaultInjection.open(pid);
    Descriptor taken = Descriptor.take(pid, opened);
    UserfaultInjection.close(pid, opened);
    try (var tracker = new UserfaultTracker(ranges, taken)) {
      tracker.start();
      System.out.println("tracking");
      while (System.in.read() >= 0) {
        // Until it is killed.
      }
    }
  }
}
