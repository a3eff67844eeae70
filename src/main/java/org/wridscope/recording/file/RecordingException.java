// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;

/** A file is not a recording, or is damaged. The message says why, in one sentence. */
public class RecordingException extends IOException {
  private static final long serialVersionUID = 1;

  public RecordingException(String sentence) {
    super(sentence);
  }

  public RecordingException(String sentence, Throwable cause) {
    super(sentence, cause);
  }

  /** Names a field, its value and the allowed values. */
  public static RecordingException of(String field, Object value, String allowed) {
    return new RecordingException("%s is %s; allowed is %s.".formatted(field, value, allowed));
  }
}
