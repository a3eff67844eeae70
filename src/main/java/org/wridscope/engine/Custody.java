// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** Where the guest is when a session has ended, as far as this end can tell. */
public enum Custody {
  /** It is here, whole, and nowhere else. */
  HERE,
  /** It is whole at the other end: what is left of it here is of no use. */
  ELSEWHERE,
  /** It may be needed here: so nothing of it may be given up. */
  IN_DOUBT
}
