// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.wridscope.control.SimulatedQemu;

/**
 * What a killed watch has left: a QEMU that writes to nobody, and the note about it.
 *
 * @param pipe to which the QEMU was made to write, in a directory of its own
 * @param formerLog its log before
 */
public record KilledWatch(Path pipe, Path formerLog) {
  private static final String EVENT = "qemu_rdma_poll_write";

  /**
   * Leaves it.
   *
   * @param state where the note is written
   */
  public static KilledWatch leave(SimulatedQemu qemu, Path state) throws IOException {
    qemu.traceEvents().put(EVENT, true);
    var left =
        new KilledWatch(
            Files.createDirectory(state.resolve("gone")).resolve("trace"),
            state.resolve("former log"));
    ChangedTraces.in(state)
        .put(
            new ChangedTrace(
                qemu.address(),
                ChangedTrace.Running.of(ProcessHandle.current()),
                new ChangedTrace.Running(Integer.MAX_VALUE, 1),
                left.pipe,
                left.formerLog.toString(),
                List.of(EVENT)));
    return left;
  }
}
