// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.stream.Stream;
import org.wridscope.control.SessionPair;
import org.wridscope.files.WholeFile;

/**
 * Two migrations in one trace for Perfetto, as they are aligned.
 *
 * @param left whose times are those of the trace
 * @param rightLaterNanos added to the times of the right one
 * @param alignment how both are aligned, a sentence
 */
public record ComparedTrace(
    SessionPair left, SessionPair right, long rightLaterNanos, String alignment) {

  /**
   * Writes the file on the caller's thread. Recorded sessions are exported completely.
   *
   * @param file gets its name once it is complete; the caller closes it
   * @throws ExportCancelledException when {@code progress} cancelled it
   * @throws IOException when the file cannot be written, or a recording cannot be read; its message
   *     is a sentence for the user
   */
  public void write(WholeFile file, Progress progress) throws IOException {
    Export.write(
        file,
        out -> {
          var whole =
              new ComparedTrace(
                  left.atTheirEnds(), right.atTheirEnds(), rightLaterNanos, alignment);
          PerfettoTrace.write(whole, new Meter(progress, 2 * whole.events()), out);
        });
  }

  private long events() {
    return Stream.of(left, right)
        .flatMap(pair -> pair.sessions().stream())
        .mapToLong(EventFeed::count)
        .sum();
  }
}
