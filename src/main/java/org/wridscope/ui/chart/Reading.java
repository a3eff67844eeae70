// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import org.wridscope.telemetry.Metric;

/** What a line of a chart shows of the samples. */
public sealed interface Reading {

  /**
   * Whether what a sample says holds until the next one, so that it is drawn as a step: what was
   * counted at a moment, in contrast to an average.
   */
  default boolean holds() {
    return this instanceof Gauge || this instanceof Difference;
  }

  /** The metric as it is. */
  record Gauge(Metric metric) implements Reading {}

  /**
   * How fast a counter grows, per second: what it grew by during the window that ends at the
   * moment, so that every value was really measured and none looks ahead.
   */
  record Rate(Metric counter) implements Reading {}

  /** One counter less another one, such as posted less completed. */
  record Difference(Metric of, Metric less) implements Reading {}

  /**
   * How much one counter grew for each step of another one during the window, such as time per
   * registration; nothing where the other one stood still.
   */
  record Quotient(Metric over, Metric under) implements Reading {}
}
