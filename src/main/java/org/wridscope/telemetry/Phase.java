// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * A phase of a migration, to be marked on a time axis.
 *
 * @param name for example {@code connect}, {@code set-up}, {@code round 3}, {@code switch-over}
 * @param nanos {@link System#nanoTime()} of its start; it lasts until the next phase starts
 */
public record Phase(String name, long nanos) {}
