// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.telemetry.Role;

final class LogSearchTest {
  /** A file that even root, who passes each check of permissions, cannot open for reading. */
  private static final Path CANNOT_BE_OPENED = Path.of("/sys/bus/cpu/uevent");

  @TempDir private Path folder;

  @Test
  void logsAreFound_besideAFileThatCannotBeOpened() throws Exception {
    assumeThat(CANNOT_BE_OPENED).exists();
    Files.createSymbolicLink(folder.resolve("a"), CANNOT_BE_OPENED);
    for (String name :
        List.of("handwritten-7.2-unregister.source.log", "qemu-7.2-unregister.dest.log")) {
      try (InputStream log =
          getClass().getResourceAsStream("/org/wridscope/recording/qemu/" + name)) {
        Files.write(folder.resolve(name), Objects.requireNonNull(log, name).readAllBytes());
      }
    }

    try (var search = new LogSearch(List.of(folder))) {
      Map<Role, LogWatch> found = search.await(null);
      assertThat(found).containsOnlyKeys(Role.SOURCE, Role.DESTINATION);
      found.values().forEach(LogWatch::close);
    }
  }
}
