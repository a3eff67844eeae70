// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/** The files that were opened last, and the directory in which file choosers begin. */
public final class RecentFiles {
  private static final String FILES = "recent-files";

  /** More would make a menu hard to read. */
  private static final int MOST = 12;

  private final StoredJson store;
  private final RecentFolder folder;
  private Runnable changed = () -> {};
  private final Runnable teller = () -> changed.run();

  public RecentFiles(StoredJson store) {
    this.store = store;
    folder = new RecentFolder(store, "recordings");
    store.onForget(FILES, teller);
  }

  /** The list and the directory. */
  public Memory memory() {
    return new Memory(
        "recent-files",
        "Files that were opened last",
        store,
        List.of(FILES, folder.member()),
        () -> Format.counted(list().size(), "file"));
  }

  /** Runs an action whenever the list has changed. */
  public void onChange(Runnable action) {
    changed = action;
  }

  /** The latest first; they may be gone. */
  public List<Path> list() {
    String[] stored = store.get(FILES, String[].class);
    return Stream.of(stored == null ? new String[0] : stored)
        .map(RecentFiles::path)
        .filter(Objects::nonNull)
        .limit(MOST)
        .toList();
  }

  private static @Nullable Path path(@Nullable String text) {
    try {
      return text == null || text.isEmpty() ? null : Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** Adds files that were opened, or made; the first one becomes the latest. */
  public void add(List<Path> files) {
    List<String> names =
        files.stream().map(file -> file.toAbsolutePath().normalize().toString()).toList();
    store.change(object -> putFirst(object, names));
    folder.keep(files.getFirst());
    changed.run();
  }

  /** What other windows have added stays. */
  private static void putFirst(JsonObject object, List<String> names) {
    var all = new ArrayList<>(names);
    if (object.get(FILES) instanceof JsonArray before) {
      for (JsonElement each : before) {
        if (each instanceof JsonPrimitive name && !all.contains(name.getAsString())) {
          all.add(name.getAsString());
        }
      }
    }
    var latest = new JsonArray();
    all.stream().limit(MOST).forEach(latest::add);
    object.add(FILES, latest);
  }

  /** Forgets all files and the directory. */
  public void clear() {
    Runnable _ = memory().forget();
  }

  /** Where the latest file is. */
  public RecentFolder folder() {
    return folder;
  }
}
