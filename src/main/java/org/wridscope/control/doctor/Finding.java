// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/**
 * What a check found.
 *
 * @param check name of the check
 * @param sentence what is the matter
 * @param remedy what to do, so that it can be copied; empty when there is nothing to mend
 */
public record Finding(String check, Level level, String sentence, String remedy) {

  static Finding ok(Check check, String sentence) {
    return new Finding(check.title(), Level.OK, sentence, "");
  }

  static Finding note(Check check, String sentence) {
    return new Finding(check.title(), Level.NOTE, sentence, "");
  }

  static Finding warning(Check check, String sentence, String remedy) {
    return new Finding(check.title(), Level.WARNING, sentence, remedy);
  }

  static Finding failure(Check check, String sentence, String remedy) {
    return new Finding(check.title(), Level.FAILURE, sentence, remedy);
  }
}
