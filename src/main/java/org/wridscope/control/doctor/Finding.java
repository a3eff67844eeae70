// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/**
 * What a check found.
 *
 * @param check name of the check
 * @param sentence what is the matter
 * @param remedy how to mend it, a sentence; empty when there is nothing to mend
 * @param command what to type for that, to be copied; empty when it is not done with a command
 */
public record Finding(String check, Level level, String sentence, String remedy, String command) {

  static Finding ok(Check check, String sentence) {
    return new Finding(check.title(), Level.OK, sentence, "", "");
  }

  static Finding note(Check check, String sentence) {
    return new Finding(check.title(), Level.NOTE, sentence, "", "");
  }

  static Finding warning(Check check, String sentence, String remedy, String command) {
    return new Finding(check.title(), Level.WARNING, sentence, remedy, command);
  }

  static Finding failure(Check check, String sentence, String remedy, String command) {
    return new Finding(check.title(), Level.FAILURE, sentence, remedy, command);
  }
}
