// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.wridscope.recording.Recording;
import picocli.CommandLine.Parameters;

/** The recording that a command reads. */
final class RecordingParameter {
  static final String NAME = "FILE";

  @Parameters(paramLabel = NAME, description = "A recording, or a trace log of QEMU")
  private Path file = Path.of("");

  Path file() {
    return file;
  }

  /** Opens it, and shows what the reader noted about it. */
  Recording open(Terminal terminal) throws InputException, IOException {
    Recording recording = InputException.checked(() -> Recording.open(NAME, file));
    recording.notes().forEach(terminal::message);
    return recording;
  }
}
