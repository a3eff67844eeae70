// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/**
 * How the writes of a running machine's guest are found, and what that has cost so far.
 *
 * @param method a few words that complete "writes are found by"
 * @param reason a phrase that says why this method was selected
 * @param scans how often the writes were collected
 * @param nanos time that this took
 * @param pausedNanos time for which the guest stood still for it
 */
public record Tracking(String method, String reason, long scans, long nanos, long pausedNanos) {}
