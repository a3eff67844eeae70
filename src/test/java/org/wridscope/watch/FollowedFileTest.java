// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that somebody else writes, rotates and cuts off. */
final class FollowedFileTest {
  @TempDir Path directory;
  private Path path;
  private FollowedFile file;

  @BeforeEach
  void open() throws IOException {
    path = Files.writeString(directory.resolve("log"), "first\n");
    file = new FollowedFile(path);
  }

  @AfterEach
  void close() throws IOException {
    file.close();
  }

  private void append(String text) throws IOException {
    Files.writeString(path, text, StandardOpenOption.APPEND, StandardOpenOption.CREATE);
  }

  /** All that is there now. */
  private String next() throws IOException {
    var text = new StringBuilder();
    int nothing = 0;
    while (nothing < 2) {
      Lines lines = file.next();
      nothing = lines == null ? nothing + 1 : 0;
      text.append(lines == null ? "" : lines.text());
    }
    return text.toString();
  }

  @Test
  void wholeLines_asTheyAreAdded() throws Exception {
    assertThat(next()).isEqualTo("first\n");
    append("sec");
    assertThat(next()).isEmpty();
    append("ond\nthird\n");
    assertThat(next()).isEqualTo("second\nthird\n");
    assertThat(file.newBeginning()).isEmpty();
  }

  @Test
  void replaced_isReadToItsEnd_andThenFromTheNewBeginning() throws Exception {
    append("last of the old one\n");
    Files.move(path, directory.resolve("log.1"));
    assertThat(next()).isEqualTo("first\nlast of the old one\n");
    assertThat(file.newBeginning()).isEmpty();
    append("new\n");
    assertThat(next()).isEqualTo("new\n");
    assertThat(file.newBeginning())
        .hasValueSatisfying(text -> assertThat(text).contains("replaced"));
    assertThat(file.newBeginning()).isEmpty();
  }

  @Test
  void cutOff_isReadFromTheNewBeginning() throws Exception {
    append("more\n");
    assertThat(next()).isEqualTo("first\nmore\n");
    Files.writeString(path, "new\n");
    assertThat(next()).isEqualTo("new\n");
    assertThat(file.newBeginning())
        .hasValueSatisfying(text -> assertThat(text).contains("cut off"));
  }
}
