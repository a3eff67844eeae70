// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.attach.WridLayoutFile;
import org.wridscope.telemetry.WridLayout;
import picocli.CommandLine.Option;

/** {@code --wrids FILE}: what the wr_ids of a program mean. */
final class WridsOption {
  private static final String NAME = "--wrids";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "What the bits of the program's wr_ids mean, as JSON (docs/attach.md); QEMU's are known")
  private @Nullable Path file;

  private @Nullable WridLayout layout;

  /** Whether a file is named. */
  boolean isGiven() {
    return file != null;
  }

  /** Reads the file, if one is named. */
  void read() throws InputException, IOException {
    if (file != null) {
      Path named = file;
      layout = InputException.checked(() -> WridLayoutFile.read(NAME, named));
    }
  }

  /** Applies the file that was read to a session of a program. */
  void apply(Session session) {
    if (layout != null) {
      session.telemetry().setWrids(layout);
    }
  }

  /** Applies the file that was read to those sessions that are of programs; there must be one. */
  void apply(List<? extends Session> sessions) throws InputException, IOException {
    WridLayout known = layout;
    if (known != null) {
      InputException.checked(() -> {
        WridLayoutFile.apply(NAME, known, sessions);
        return known;
      });
    }
  }
}
