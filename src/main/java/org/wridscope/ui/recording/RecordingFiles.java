// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import javafx.stage.FileChooser;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.sessions.Migration;

/** File choosers and file names for recordings. */
public final class RecordingFiles {
  private static final String SUFFIX = ".wrs";

  private RecordingFiles() {}

  /** A dialog for all files that can be opened. */
  public static FileChooser chooser(String title) {
    var chooser = new FileChooser();
    chooser.setTitle(title);
    chooser
        .getExtensionFilters()
        .setAll(
            new FileChooser.ExtensionFilter(
                "Recordings, logs, captures and scenarios",
                "*" + SUFFIX,
                "*.log",
                "*.csv",
                "*.jsonl",
                "*.pcap",
                "*.pcapng",
                "*.json",
                "*.gz"),
            new FileChooser.ExtensionFilter("All files", "*"));
    return chooser;
  }

  /** The suggested file name for the recording of a migration. */
  public static String nameFor(@Nullable Migration migration) {
    String name = migration == null ? "migration" : migration.name();
    return name.replaceAll("[^A-Za-z0-9._-]+", "-") + SUFFIX;
  }
}
