// SPDX-License-Identifier: Apache-2.0
/**
 * The selected migration at a glance: progress, throughput, convergence, downtime and bottleneck.
 * All figures are computed without JavaFX.
 */
@NullMarked
package org.wridscope.ui.overview;

import org.jspecify.annotations.NullMarked;
