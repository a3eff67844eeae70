// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderTest {
  @TempDir Path folder;

  @Test
  void entries_areAll_orThoseThatMatch() throws IOException {
    Path shown = Files.createFile(folder.resolve("a.json"));
    Path hidden = Files.createFile(folder.resolve(".b"));
    assertThat(Folder.entries(folder)).containsExactlyInAnyOrder(shown, hidden);
    assertThat(Folder.entries(folder, "*.json")).containsExactly(shown);
    assertThatExceptionOfType(NotDirectoryException.class).isThrownBy(() -> Folder.entries(shown));
  }

  /** A process can end between the opening and the reading of its directory. */
  @Test
  void processThatEnds_isAnIOException() throws Exception {
    for (int i = 0; i < 50; i++) {
      Process process = new ProcessBuilder("sleep", "60").start();
      Path descriptors = Path.of("/proc", Long.toString(process.pid()), "fd");
      Thread end = Thread.ofPlatform().start(process::destroyForcibly);
      assertThatIOException()
          .isThrownBy(() -> {
            while (true) {
              Folder.entries(descriptors);
            }
          });
      end.join();
      process.waitFor();
    }
  }

  @Test
  void delete_takesWhatIsInIt_andFollowsNoLink() throws IOException {
    Path outside = Files.createFile(Files.createDirectory(folder.resolve("outside")).resolve("f"));
    Path inside = Files.createDirectory(folder.resolve("inside"));
    Path deeper = Files.createDirectory(inside.resolve("deeper"));
    Files.createFile(deeper.resolve("file"));
    Files.createSymbolicLink(deeper.resolve("link"), outside.resolveSibling("."));
    Path link = Files.createSymbolicLink(folder.resolve("link"), inside);
    Folder.delete(link);
    assertThat(link).doesNotExist();
    assertThat(deeper).exists();
    Folder.delete(inside);
    assertThat(inside).doesNotExist();
    assertThat(outside).exists();
  }
}
