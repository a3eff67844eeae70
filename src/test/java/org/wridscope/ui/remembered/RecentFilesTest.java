// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecentFilesTest {
  private final StoredJson store = Remembered.inMemory().state();
  private final RecentFiles files = new RecentFiles(store);

  private static Path file(int number) {
    return Path.of("/tmp/recordings/" + number + ".wrs");
  }

  @Test
  void theLatestIsFirst_onceEach_andOnlyTheLatestTwelveAreKept() {
    for (int i = 0; i < 20; i++) {
      files.add(List.of(file(i)));
    }
    files.add(List.of(file(15), file(16)));
    assertThat(files.list())
        .hasSize(12)
        .startsWith(file(15), file(16), file(19))
        .doesNotHaveDuplicates();
  }

  @Test
  void twoWindows_keepEachOthersFiles(@TempDir Path directory) {
    var one = new RecentFiles(Remembered.in(directory, directory, Runnable::run).state());
    var other = new RecentFiles(Remembered.in(directory, directory, Runnable::run).state());
    one.add(List.of(file(1)));
    other.add(List.of(file(2)));
    one.add(List.of(file(3)));
    var next = new RecentFiles(Remembered.in(directory, directory, Runnable::run).state());
    assertThat(next.list()).containsExactly(file(3), file(2), file(1));
    next.clear();
    assertThat(next.list()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "{}", "[null, \"\", \"a\\u0000b\", \"/tmp/recordings/1.wrs\"]"})
  void whatMakesNoSense_isLeftOut(String stored) {
    store.put("recent-files", JsonParser.parseString(stored));
    assertThat(files.list()).isSubsetOf(List.of(file(1)));
    files.add(List.of(file(2)));
    assertThat(files.list()).first().isEqualTo(file(2));
  }
}
