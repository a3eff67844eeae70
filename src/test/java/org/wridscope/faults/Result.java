// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * The result of a run.
 *
 * @param moved whether the guest ended at the destination
 * @param compared whether the RAM of both ends was compared and found equal
 * @param millis for each end that was not the victim, the time from the fault to the end of its
 *     session
 * @param note how both ends describe it
 * @param commit of the program; empty until the run is over
 * @param date of the run (UTC); empty until it is over
 */
record Result(
    Cell cell,
    RunOutcome outcome,
    boolean moved,
    boolean compared,
    List<Long> millis,
    String note,
    String commit,
    String date) {

  Result(
      Cell cell,
      RunOutcome outcome,
      boolean moved,
      boolean compared,
      List<Long> millis,
      String note) {
    this(cell, outcome, moved, compared, millis, note, "", "");
  }

  /** The result with what it is of. */
  Result at(String commit, LocalDate date) {
    return new Result(cell, outcome, moved, compared, millis, note, commit, date.toString());
  }

  static Result of(
      Cell cell,
      RunOutcome outcome,
      @Nullable End source,
      @Nullable End destination,
      List<Long> millis) {
    List<End> ends = Stream.of(source, destination).filter(Objects::nonNull).toList();
    boolean compared = ends.stream().anyMatch(end -> end.ram() == End.Ram.EQUAL);
    boolean moved = ends.stream().anyMatch(end -> end.status() == MigrationStatus.COMPLETED);
    return new Result(
        cell,
        outcome,
        moved,
        compared,
        millis,
        "source: %s / destination: %s".formatted(text(source), text(destination)));
  }

  private static String text(@Nullable End end) {
    return end == null ? "was killed" : end.line();
  }

  /** A line of a file, fields separated by tabs. */
  String line() {
    return String.join(
        "\t",
        cell.setting().name(),
        cell.step().sender().name(),
        cell.step().type().name(),
        Integer.toString(cell.step().occurrence()),
        Boolean.toString(cell.after()),
        cell.act().name(),
        cell.victim() == null ? "" : cell.victim().name(),
        outcome.name(),
        Boolean.toString(moved),
        Boolean.toString(compared),
        millis.stream().map(String::valueOf).collect(Collectors.joining(",")),
        note.replaceAll("\\s+", " "),
        commit,
        date);
  }

  static Result parse(String line) {
    String[] parts = line.split("\t", -1);
    var step =
        new Step(Role.valueOf(parts[1]), ControlType.valueOf(parts[2]), Integer.parseInt(parts[3]));
    return new Result(
        new Cell(
            Setting.valueOf(parts[0]),
            step,
            Boolean.parseBoolean(parts[4]),
            Act.valueOf(parts[5]),
            parts[6].isEmpty() ? null : Role.valueOf(parts[6])),
        RunOutcome.valueOf(parts[7]),
        Boolean.parseBoolean(parts[8]),
        Boolean.parseBoolean(parts[9]),
        parts[10].isEmpty()
            ? List.of()
            : Arrays.stream(parts[10].split(",")).map(Long::valueOf).toList(),
        parts[11],
        parts[12],
        parts[13]);
  }
}
