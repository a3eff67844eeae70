// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.ChildJvm;

/** A file that gets its name only once it is complete, and is never deleted after that. */
final class WholeFileTest {
  private static final byte[] CONTENT = "{\"all\": \"of it\"}".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  private static Output output(Path file) {
    return Output.of("--report", file, FileKind.REPORT);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void unfinishedFile_isDeleted() throws IOException {
    try (WholeFile file = WholeFile.create(output(directory.resolve("report.json")))) {
      assertThat(files(directory)).hasSize(1);
      assertThatThrownBy(() ->
              file.write(out -> {
                out.write(CONTENT);
                throw new IOException("the telemetry is gone");
              }))
          .hasMessage("the telemetry is gone");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void wholeFileThatCannotGetItsName_isKept_andTheMessageSaysWhere() throws IOException {
    Path folder = Files.createDirectory(directory.resolve("here")).toRealPath();
    Path away = folder.resolveSibling("away");
    try (WholeFile file = WholeFile.create(output(folder.resolve("report.json")))) {
      Path part = files(folder).getFirst();
      assertThatThrownBy(() ->
              file.write(out -> {
                out.write(CONTENT);
                Files.move(folder, away);
              }))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("could not be renamed")
          .hasMessageContaining(part.toString());
      Files.move(away, folder);
    }
    assertThat(files(folder))
        .singleElement()
        .satisfies(left -> {
          assertThat(Files.readAllBytes(left)).isEqualTo(CONTENT);
        });
  }

  /** Leaves the file open. */
  @Test
  void endOfTheProcess_deletesNoWholeFile() throws Exception {
    Path file = directory.resolve("report.json");
    List<String> command = ChildJvm.command(AllNamesTaken.class);
    command.add(file.toString());
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).isZero();
    assertThat(files(directory))
        .filteredOn(Files::isRegularFile)
        .filteredOn(each -> each.toFile().length() > 0)
        .singleElement()
        .satisfies(left -> assertThat(Files.readAllBytes(left)).isEqualTo(CONTENT));
  }

  /** Writes a file whose name and alternative names all exist. */
  static final class AllNamesTaken {
    private AllNamesTaken() {}

    public static void main(String[] arguments) throws IOException {
      Path path = Path.of(arguments[0]);
      WholeFile file = WholeFile.create(output(path));
      Files.createDirectory(path);
      Files.createFile(path.resolveSibling(path.getFileName() + ".new"));
      for (int i = 2; i < 100; i++) {
        Files.createFile(path.resolveSibling(path.getFileName() + ".new-" + i));
      }
      file.write(out -> out.write(CONTENT));
    }
  }
}
