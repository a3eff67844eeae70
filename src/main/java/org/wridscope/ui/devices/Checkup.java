// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.devices;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.DeviceTable;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.CheckResult;
import org.wridscope.control.doctor.Doctor;
import org.wridscope.control.doctor.Level;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.doctor.Question;
import org.wridscope.settings.GuestSetting;
import org.wridscope.text.Format;

/**
 * The devices and the results of the doctor at one moment.
 *
 * @param problem why devices could not be listed, one sentence; null if they could
 */
record Checkup(List<DeviceTable.Row> devices, @Nullable String problem, List<CheckResult> results) {

  /** Examines the machine, which may take a moment. */
  static Checkup of(SessionManager manager, Machine machine, Question question) {
    List<CheckResult> results = Doctor.examine(machine, question);
    try {
      DeviceListing listing = manager.devices();
      return new Checkup(DeviceTable.rows(listing), listing.problem(), results);
    } catch (IOException e) {
      return new Checkup(List.of(), e.getMessage(), results);
    }
  }

  /**
   * The question for the doctor.
   *
   * @param uri blank for none
   * @throws IllegalArgumentException with one sentence for the user
   */
  static Question question(String uri, String ram) {
    return new Question(
        GuestSetting.RAM.parse("RAM", ram), uri.isBlank() ? null : MigrationUri.parse(uri));
  }

  /** The number of failures and warnings, a sentence. */
  String summary() {
    long failures = count(Level.FAILURE);
    long warnings = count(Level.WARNING);
    if (failures + warnings == 0) {
      return "Nothing prevents this machine from migrating over RDMA.";
    }
    String text =
        Stream.of(
                failures == 0 ? "" : Format.counted(failures, "failure"),
                warnings == 0 ? "" : Format.counted(warnings, "warning"))
            .filter(Predicate.not(String::isEmpty))
            .collect(Collectors.joining(", "));
    return failures == 0
        ? text + "."
        : "%s: RDMA does not work until this is fixed; the software device does.".formatted(text);
  }

  private long count(Level level) {
    return results.stream().filter(result -> result.level() == level).count();
  }
}
