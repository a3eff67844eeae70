// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** How a check came out, from good to bad. */
public enum Level {
  OK,
  /** Nothing to mend, but good to know. */
  NOTE,
  /** Some migrations will not work, or not with every peer. */
  WARNING,
  /** RDMA will not work. */
  FAILURE
}
