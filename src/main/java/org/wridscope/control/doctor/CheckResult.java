// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/**
 * The result of a check.
 *
 * @param check name of the check
 * @param sentence what was found
 * @param remedy a sentence that says how to fix it; empty if there is nothing to fix
 * @param command the shell command that fixes it, ready to copy; empty if there is none
 */
public record CheckResult(
    String check, Level level, String sentence, String remedy, String command) {

  static CheckResult ok(Check check, String sentence) {
    return new CheckResult(check.title(), Level.OK, sentence, "", "");
  }

  static CheckResult note(Check check, String sentence) {
    return new CheckResult(check.title(), Level.NOTE, sentence, "", "");
  }

  static CheckResult warning(Check check, String sentence, String remedy, String command) {
    return new CheckResult(check.title(), Level.WARNING, sentence, remedy, command);
  }

  static CheckResult failure(Check check, String sentence, String remedy, String command) {
    return new CheckResult(check.title(), Level.FAILURE, sentence, remedy, command);
  }
}
