// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.UserFolder;

/** What the window remembers: what the user has decided, and what was noticed meanwhile. */
public final class Remembered {
  private final StoredJson choices;
  private final StoredJson state;

  private Remembered(StoredJson choices, StoredJson state) {
    this.choices = choices;
    this.state = state;
  }

  /** What this user's windows have remembered; waits for the disk. */
  public static Remembered ofUser(Executor background) {
    return in(UserFolder.CONFIG.ofUser(), UserFolder.STATE.ofUser(), background);
  }

  /**
   * What is remembered in two directories, which may not exist; waits for the disk.
   *
   * @param config for what the user has decided
   * @param state for everything else
   * @param background writes the files
   */
  public static Remembered in(Path config, Path state, Executor background) {
    return new Remembered(
        new StoredJson(config.resolve("settings.json"), background),
        new StoredJson(state.resolve("window.json"), background));
  }

  /** Remembers until this object is gone. */
  public static Remembered inMemory() {
    return new Remembered(new StoredJson(null, Runnable::run), new StoredJson(null, Runnable::run));
  }

  /** What the user has decided, such as the theme. */
  public StoredJson choices() {
    return choices;
  }

  /** What was noticed, such as the size of the window. */
  public StoredJson state() {
    return state;
  }

  /** The files with what is remembered; none if it is kept in memory. */
  public List<Path> files() {
    return Stream.of(choices, state).map(StoredJson::file).flatMap(Stream::ofNullable).toList();
  }

  /** What went wrong and has not been told yet, a sentence; null if nothing did. */
  public @Nullable String takeProblem() {
    String first = choices.takeProblem();
    return first != null ? first : state.takeProblem();
  }

  /** Writes what is not written yet; from any thread but the JavaFX thread. */
  public void write() {
    choices.write();
    state.write();
  }
}
