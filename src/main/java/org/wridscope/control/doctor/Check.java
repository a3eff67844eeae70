// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** A check of one requirement for migrations over RDMA. */
interface Check {

  /** A short name, one or two words. */
  String title();

  /** Checks the machine without changing anything. */
  CheckResult run(Machine machine, Question question);
}
