// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.nio.file.Path;
import org.wridscope.recording.file.RecordingException;

/** A trace log of QEMU has only events that both ends write, so somebody has to name its end. */
public final class UnknownEndException extends RecordingException {
  private static final long serialVersionUID = 1;

  private final transient Path file;

  /**
   * @param named what the user calls the log's file
   */
  public UnknownEndException(QemuLog log, Path named) {
    super(
        (log.traced()
                ? "%s is a trace log of QEMU, but its events do not show whether it is that of the source or of the destination, on which their meaning depends. %s"
                : "%s is the console of a QEMU, whose lines do not show whether it is the source or the destination, on which the views depend. %s")
            .formatted(named, log.says())
            .strip());
    file = named;
  }

  /** The log. */
  public Path file() {
    return file;
  }
}
