// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * A stretch of a migration, for marks on a time axis.
 *
 * @param name for example {@code connect}, {@code set-up}, {@code round 3}, {@code switch-over}
 * @param nanos {@link System#nanoTime()} when it began; it lasts until the next one begins
 */
public record Phase(String name, long nanos) {}
