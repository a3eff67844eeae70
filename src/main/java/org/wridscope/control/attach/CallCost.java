// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.wridscope.text.Format;

/**
 * How long a call of a probed function takes without and with probes, in a process whose calls are
 * not recorded. A call that is recorded takes longer still.
 *
 * @param without nanoseconds of a poll of an empty queue before the probes were placed
 * @param with nanoseconds of the same while they are in place
 */
public record CallCost(long without, long with) {
  /** A sentence, with the basis. */
  public String text() {
    if (with <= without) {
      return "It could not be measured how much longer each poll and each post took while attached:"
          + " the machine was too busy.";
    }
    return ("While attached, each poll and each post took about %s longer, and a recorded one"
            + " longer still: a poll of an empty queue by this process took %s without probes"
            + " and %s with them.")
        .formatted(
            Format.duration(with - without), Format.duration(without), Format.duration(with));
  }
}
