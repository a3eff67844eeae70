// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import javafx.stage.DirectoryChooser;
import javafx.stage.FileChooser;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/** The folder that was used last for one purpose, in which choosers begin. */
public final class RecentFolder {
  private final StoredJson store;
  private final String member;

  /**
   * @param purpose in lower case with hyphens
   */
  public RecentFolder(StoredJson store, String purpose) {
    this.store = store;
    member = purpose + "-folder";
  }

  /** What is remembered for several purposes. */
  public static Memory memory(StoredJson store, List<String> purposes) {
    List<RecentFolder> all =
        purposes.stream().map(purpose -> new RecentFolder(store, purpose)).toList();
    return new Memory(
        "recent-folders",
        "Folders that dialogs used last",
        store,
        all.stream().map(RecentFolder::member).toList(),
        () ->
            Format.counted(
                all.stream().filter(folder -> store.has(folder.member)).count(), "folder"));
  }

  /** The member of the store with the folder. */
  String member() {
    return member;
  }

  /** Keeps the folder of a file. */
  public void keep(Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    if (folder != null) {
      store.put(member, folder.toString());
    }
  }

  /** Lets a chooser begin in the folder, if it is still there. */
  public void begin(FileChooser chooser) {
    File folder = folder();
    if (folder != null) {
      chooser.setInitialDirectory(folder);
    }
  }

  /** Lets a chooser begin in the folder, if it is still there. */
  public void begin(DirectoryChooser chooser) {
    File folder = folder();
    if (folder != null) {
      chooser.setInitialDirectory(folder);
    }
  }

  private @Nullable File folder() {
    String stored = store.get(member, String.class);
    File folder = stored == null ? null : new File(stored);
    return folder != null && folder.isDirectory() ? folder : null;
  }
}
