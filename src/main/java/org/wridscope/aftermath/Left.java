// SPDX-License-Identifier: Apache-2.0
package org.wridscope.aftermath;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One thing that ran when a process was killed.
 *
 * @param what ran; one sentence
 * @param guest where its guest is, or that this is not known; one or more sentences, or empty if it
 *     has none
 * @param toDo what the user can do; a sentence, or empty
 * @param recording that shows it; null if there is none
 */
public record Left(Kind kind, String what, String guest, String toDo, @Nullable Path recording) {
  /** How it is known. */
  public enum Kind {
    /** From the journal of a QEMU that is still to be put right. */
    QEMU,
    /** From the note about a QEMU whose log and trace events are still changed. */
    WATCH,
    /** From a guard that has put its QEMU right. */
    GUARD,
    /** From the file of a captured guest that does not have its final name. */
    CAPTURE,
    /** From a recording that nobody closed. */
    RECORDING
  }

  /** Whether this program can put something right about it by itself, as far as it is known how. */
  public boolean isRepairable() {
    return kind == Kind.QEMU || kind == Kind.WATCH;
  }

  /** All of it. */
  public String sentence() {
    return String.join(" ", what, guest, toDo).replace("  ", " ").strip();
  }
}
