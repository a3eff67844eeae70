// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import org.wridscope.time.Option;
import org.wridscope.verbs.soft.DeviceStep;

/**
 * What has happened at the two ends of a migration, as a number. Steps of different ends commute
 * unless one reaches the other end: executing a request does, and so does what affects a
 * connection. So two orders lead to the same state if each end has seen the same steps, and those
 * of the other end that have reached it, in the same order (the happens-before relation of
 * Mazurkiewicz traces). Orders that differ but happen to lead to the same memory count as different
 * states; left out is only what depends on the clock by less than a wait.
 */
final class History {
  private long source = 1;
  private long destination = 2;

  /** The ends that a step may affect. */
  private enum Ends {
    SOURCE,
    DESTINATION,
    BOTH
  }

  void happened(Option option, boolean affectedAll) {
    long step = step(option);
    switch (affectedAll ? Ends.BOTH : ends(option)) {
      case SOURCE -> source = mix(source, step);
      case DESTINATION -> destination = mix(destination, step);
      case BOTH -> {
        long both = mix(mix(source, destination), step);
        source = mix(both, 1);
        destination = mix(both, 2);
      }
    }
  }

  /** Something was chosen that does not happen by itself; time may have passed. */
  void rare(int choice) {
    source = mix(source, choice);
    destination = mix(destination, choice);
  }

  /** Equal for equal states; equal for others by accident only, with a chance of 1 in 2^64. */
  long state() {
    return mix(source, destination);
  }

  private static long step(Option option) {
    return option instanceof DeviceStep device
        ? mix(option.who().hashCode(), device.kind().ordinal())
        : option.who().hashCode();
  }

  /** By the name of the thread or device; a guest's threads do not have the name of an end. */
  private static Ends ends(Option option) {
    if (option instanceof DeviceStep device && reachesPeer(device.kind())) {
      return Ends.BOTH;
    }
    boolean ofSource = option.who().contains("source");
    return ofSource == option.who().contains("destination")
        ? Ends.BOTH
        : ofSource ? Ends.SOURCE : Ends.DESTINATION;
  }

  private static boolean reachesPeer(DeviceStep.Kind kind) {
    return kind != DeviceStep.Kind.ACKNOWLEDGE && kind != DeviceStep.Kind.FLUSH;
  }

  /** Mixes as SplitMix64 does. */
  private static long mix(long into, long value) {
    long z = into * 0x9e3779b97f4a7c15L + value + 0x7f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
