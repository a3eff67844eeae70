// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** Where the guest is after a session has ended, as far as this end knows. */
public enum Custody {
  /** It is at this end, complete, and nowhere else. */
  HERE,
  /** It is complete at the other end: what is left of it at this end is not needed. */
  ELSEWHERE,
  /** It may be needed at this end, so nothing of it may be released. */
  IN_DOUBT
}
