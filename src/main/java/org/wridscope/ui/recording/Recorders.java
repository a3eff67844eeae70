// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.recording.Recorder;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.SessionPair;

/** The recordings that are being made. For the JavaFX thread only. */
public final class Recorders {
  private final Map<Recorder, List<Session>> running = new LinkedHashMap<>();
  private final Executor background;
  private final Consumer<String> done;

  /**
   * @param background closes files
   * @param done is told in a sentence what came of a recording, by any thread
   */
  public Recorders(Executor background, Consumer<String> done) {
    this.background = background;
    this.done = done;
  }

  /**
   * Begins to record a migration, from as early on as is still known of it.
   *
   * @throws IllegalArgumentException when the file cannot be written, with a sentence for the user
   */
  public void begin(Path file, SessionPair pair) {
    Recorder recorder = Recorder.begin("Recording", file);
    pair.sessions().forEach(recorder::add);
    running.put(recorder, new ArrayList<>(pair.sessions()));
  }

  /** Whether a migration is being recorded. */
  public boolean isRecording(@Nullable SessionPair pair) {
    return pair != null && find(pair) != null;
  }

  private @Nullable Recorder find(SessionPair pair) {
    for (Map.Entry<Recorder, List<Session>> entry : running.entrySet()) {
      if (pair.sessions().stream().anyMatch(entry.getValue()::contains)) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Ends the recording of a migration, which itself goes on. */
  public void end(SessionPair pair) {
    Recorder recorder = find(pair);
    if (recorder != null) {
      close(recorder);
    }
  }

  /** Ends the recordings of what has ended. */
  public void refresh() {
    List.copyOf(running.keySet()).stream().filter(Recorder::isDone).forEach(this::close);
  }

  private void close(Recorder recorder) {
    running.remove(recorder);
    background.execute(() -> {
      recorder.close();
      done.accept(sentence(recorder));
    });
  }

  private static String sentence(Recorder recorder) {
    String failure = recorder.failure();
    if (failure != null) {
      return failure;
    }
    return recorder.leftOut() == 0
        ? ""
        : "The recording %s lacks %s events, because the file was too slow or it began too late."
            .formatted(recorder.file(), Format.count(recorder.leftOut()));
  }

  /** A phrase about what is being recorded, empty when nothing is. */
  public String text() {
    if (running.isEmpty()) {
      return "";
    }
    long bytes = running.keySet().stream().mapToLong(Recorder::bytes).sum();
    return "recording "
        + String.join(
            ", ", running.keySet().stream().map(r -> "" + r.file().getFileName()).toList())
        + ", "
        + Format.bytes(bytes);
  }

  /** Ends all, and waits for the files. */
  public void close() {
    running.keySet().forEach(Recorder::close);
    running.clear();
  }
}
