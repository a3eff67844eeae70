// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.RecordedMigration;
import picocli.CommandLine.Option;

/** {@code --migration}, for recordings of several migrations. */
final class MigrationOption {
  private static final String NAME = "--migration";

  @Option(
      names = NAME,
      paramLabel = "NUMBER",
      description =
          "Which migration, counted from 1, if there are several; replay shows their numbers")
  private @Nullable Integer number;

  /**
   * The wanted migration.
   *
   * @param files in which the migrations were found, one or two
   * @throws InputException if there are several and none is chosen, or there is none of that number
   */
  RecordedMigration choose(List<Path> files, List<RecordedMigration> found) throws InputException {
    if (number == null && found.size() == 1) {
      return found.getFirst();
    }
    if (number == null || number < 1 || number > found.size()) {
      throw new InputException(
          NAME
              + ": %s %d migration%s; choose one, 1 to %d."
                  .formatted(
                      files.size() == 1 ? files.getFirst() + " has" : "the two files have",
                      found.size(),
                      found.size() == 1 ? "" : "s",
                      found.size()));
    }
    return found.get(number - 1);
  }
}
