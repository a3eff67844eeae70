// SPDX-License-Identifier: Apache-2.0
/**
 * The migrations of this process as metrics of Prometheus: served over HTTP, or written as a file.
 * {@code docs/metrics.md} lists them. Reads {@code control} and {@code telemetry} on the caller's
 * thread, and changes nothing.
 */
@NullMarked
package org.wridscope.metrics;

import org.jspecify.annotations.NullMarked;
