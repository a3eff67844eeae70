// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.IOException;

/** What a guard does for one end of a migration. */
sealed interface Watch permits SourceWatch, DestinationWatch {

  /**
   * Takes a note.
   *
   * @return the answer
   */
  JsonObject take(Note note) throws IOException;

  /** How much is left to be done. */
  enum Ending {
    /** The QEMU is as it should be, or has ended. */
    RIGHT,
    /** Its settings are restored; the operator must decide which end has the guest. */
    UNDECIDED,
    /** It could not be restored. */
    FAILED
  }

  /** Does what is left to do after the process that wrote the notes has ended. */
  Ending finish() throws InterruptedException;
}
