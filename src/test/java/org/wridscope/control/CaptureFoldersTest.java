// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CaptureFoldersTest {
  @TempDir private Path root;

  @Test
  void note_isRememberedOnce_theLatestLast_whileTheFolderIsThere() throws IOException {
    Path one = Files.createDirectory(root.resolve("one"));
    Path two = Files.createDirectory(root.resolve("two"));
    var folders = CaptureFolders.of(Map.of(), root.toString());
    assertThat(folders.list()).isEmpty();
    folders.add(one.resolve("vm.mig"));
    folders.add(two.resolve("vm.mig"));
    folders.add(one.resolve("other.mig"));
    assertThat(CaptureFolders.of(Map.of(), root.toString()).list()).containsExactly(two, one);
    Files.delete(two);
    assertThat(folders.list()).containsExactly(one);
  }

  @Test
  void stateHome_isHeeded_andWhatCannotBeWrittenIsForgotten() throws IOException {
    Path state = Files.createFile(root.resolve("state"));
    var folders = CaptureFolders.of(Map.of("XDG_STATE_HOME", state.toString()), "/nowhere");
    folders.add(root.resolve("vm.mig"));
    assertThat(folders.list()).isEmpty();
  }
}
