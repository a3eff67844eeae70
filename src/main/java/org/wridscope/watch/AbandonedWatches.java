// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.UserFolder;

/** The QEMUs whose trace log processes that were killed have left changed. */
public final class AbandonedWatches {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedWatches.class);

  private final ChangedTraces notes;

  /**
   * @param state where this program keeps what must outlive a process, see {@link UserFolder#STATE}
   */
  public AbandonedWatches(Path state) {
    notes = ChangedTraces.in(state);
  }

  /** Those of this process's user. */
  public static AbandonedWatches ofUser() {
    return new AbandonedWatches(UserFolder.STATE.ofUser());
  }

  /** A sentence about each of the QEMUs; empty when there is none. */
  public List<String> sentences() {
    return notes.abandoned().stream()
        .map(changed ->
            "Process %d was killed while it watched the QEMU at %s, whose log and trace events are still changed."
                .formatted(changed.watcher().pid(), changed.address()))
        .toList();
  }

  /**
   * Puts back what was before.
   *
   * @return a sentence about each of the QEMUs
   */
  public List<String> putBack() throws InterruptedException {
    var sentences = new ArrayList<String>();
    for (ChangedTrace changed : notes.abandoned()) {
      try {
        changed.putBack();
        notes.remove(changed);
        changed.deletePipe();
        sentences.add(
            "The log of the QEMU at %s goes to %s again, and its trace events are as before."
                .formatted(changed.address(), changed.formerLog()));
      } catch (IOException e) {
        LOG.warn("{}", e.getMessage());
        sentences.add(
            "The log of the QEMU at %s could not be put back: %s"
                .formatted(changed.address(), e.getMessage()));
      }
    }
    return sentences;
  }
}
