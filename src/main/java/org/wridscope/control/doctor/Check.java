// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** One thing to look at. */
interface Check {

  /** A word or two. */
  String title();

  /** Looks; changes nothing. */
  Finding look(Machine machine, Question question);
}
