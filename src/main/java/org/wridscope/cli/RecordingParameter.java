// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Role;
import picocli.CommandLine.Parameters;

/** The recording that a command reads. */
final class RecordingParameter {
  static final String NAME = "FILE";

  @Parameters(
      paramLabel = NAME,
      description = "A recording, captured packets (.pcap, .pcapng), or a trace log of QEMU")
  private Path file = Path.of("");

  Path file() {
    return file;
  }

  /**
   * Opens it, and shows what the reader noted about it.
   *
   * @param end the end that wrote it, if it is a trace log that does not show that
   */
  Recording open(Terminal terminal, @Nullable Role end) throws InputException, IOException {
    Recording recording = EndOption.open(List.of(file), end).getFirst();
    recording.notes().forEach(terminal::message);
    return recording;
  }
}
