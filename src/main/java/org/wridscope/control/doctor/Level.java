// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** Severity of a check's result, in ascending order. */
public enum Level {
  OK,
  /** Nothing to fix, but good to know. */
  NOTE,
  /** Some migrations, or migrations with some peers, will not work. */
  WARNING,
  /** Migrations over RDMA will not work. */
  FAILURE
}
