// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * An event, as read from a log.
 *
 * @param number number within its log, from 0 in the order of writing
 * @param nanos {@link System#nanoTime()} when it happened
 * @param detail 16 bits, unsigned; see {@link EventKind}
 * @param length see {@link EventKind}
 * @param wrid work request id; see {@link org.wridscope.protocol.WorkRequestId}
 * @param argument see {@link EventKind}
 */
public record Event(
    long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {}
