// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

/**
 * A work request of a queue pair, at one moment.
 *
 * @param ordinal how many were posted to its queue before
 * @param length of its memory, in bytes
 * @param start the first bytes of its memory, at most {@value #START}; fewer if it is shorter, none
 *     if it is not registered. Must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record PostedRequest(long ordinal, long workRequestId, int length, byte[] start) {
  /** How much of the memory is shown. */
  public static final int START = 16;
}
