// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.recording.Recorder;
import org.wridscope.text.Format;

/** Summarizes a recording. */
final class RecordingSummary {
  private RecordingSummary() {}

  /** One line about a closed recorder. */
  static String of(Recorder recorder) {
    String failure = recorder.failure();
    if (failure != null) {
      return failure;
    }
    String displaced = recorder.displaced();
    return "recorded %s events in %s (%s)%s%s"
        .formatted(
            Format.count(recorder.events()),
            recorder.file(),
            Format.bytes(recorder.bytes()),
            recorder.leftOut() == 0
                ? ""
                : "; %s were left out, because the file was too slow"
                    .formatted(Format.count(recorder.leftOut())),
            displaced == null ? "" : "; " + displaced);
  }
}
