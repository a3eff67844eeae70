// SPDX-License-Identifier: Apache-2.0
/**
 * Pictures over the shared time. {@link org.wridscope.ui.chart.TimePlot} has what all of them
 * share; {@link org.wridscope.ui.chart.TimeSeriesView} draws the samples of a session's history,
 * one vertical run for each column of pixels. What is drawn is computed without JavaFX.
 */
@NullMarked
package org.wridscope.ui.chart;

import org.jspecify.annotations.NullMarked;
