// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import org.wridscope.telemetry.Metric;

/** How the values of a line are computed from samples. */
public sealed interface Reading {

  /**
   * Whether a value holds until the next sample, so that it is drawn as a step. True for counts at
   * a moment, false for averages over the time before it.
   */
  default boolean holds() {
    return this instanceof Gauge || this instanceof DirtyRate || this instanceof Difference;
  }

  /** The metric itself. */
  record Gauge(Metric metric) implements Reading {}

  /** The dirty rate; there is no value where it was not measured. */
  record DirtyRate() implements Reading {}

  /**
   * How fast a counter grows, per second: its growth during the window that ends at the moment.
   * Values after that moment are not used.
   */
  record Rate(Metric counter) implements Reading {}

  /** One counter minus another one, such as posted minus completed. */
  record Difference(Metric of, Metric less) implements Reading {}

  /**
   * The growth of one counter divided by that of another one during the window, such as time per
   * registration. There is no value where the divisor did not grow.
   */
  record Quotient(Metric over, Metric under) implements Reading {}
}
