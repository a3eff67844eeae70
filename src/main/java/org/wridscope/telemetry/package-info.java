// SPDX-License-Identifier: Apache-2.0
/**
 * What the engine tells the world: metrics, a lock-free ring of events, samples over time. The
 * writer never blocks, allocates or formats for the sake of a reader. No JavaFX.
 */
@NullMarked
package org.wridscope.telemetry;

import org.jspecify.annotations.NullMarked;
