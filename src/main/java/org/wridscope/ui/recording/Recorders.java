// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.recording.Recorder;
import org.wridscope.text.Format;

/**
 * The running recordings; their files are opened and closed in the background. For the JavaFX
 * thread only.
 */
public final class Recorders {
  private final List<Running> running = new ArrayList<>();

  /** What is in files, or is being written to them; sessions are not kept in memory by this. */
  private final Set<Session> saved =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final Executor background;
  private final BiConsumer<Boolean, String> done;

  /**
   * @param background opens and closes files
   * @param done receives whether a recording succeeded, and a sentence about it, on any thread
   */
  public Recorders(Executor background, BiConsumer<Boolean, String> done) {
    this.background = background;
    this.done = done;
  }

  /**
   * A running recording.
   *
   * @param recorder available once the file is open
   * @param unwanted whether to end the recording as soon as it begins
   */
  private record Running(
      Output file,
      List<Session> sessions,
      CompletableFuture<Recorder> recorder,
      AtomicBoolean unwanted) {
    /** Null while the file is being opened, or if it could not be opened. */
    @Nullable Recorder begun() {
      return recorder.isCompletedExceptionally() ? null : recorder.getNow(null);
    }

    boolean isDone() {
      Recorder begun = begun();
      return begun == null ? recorder.isDone() : begun.isDone();
    }
  }

  /**
   * Starts to record a migration, including its past as far as it is still in memory.
   *
   * @return done when the file is open and the recording has begun, or cannot begin
   */
  public CompletableFuture<Recorder> begin(Output file, SessionPair pair) {
    List<Session> sessions = pair.sessions();
    var unwanted = new AtomicBoolean();
    CompletableFuture<Recorder> recorder =
        CompletableFuture.supplyAsync(
            () -> {
              Recorder begun = begin(file);
              sessions.forEach(begun::add);
              if (unwanted.get()) {
                begun.close();
              }
              return begun;
            },
            background);
    running.add(new Running(file, sessions, recorder, unwanted));
    saved.addAll(sessions);
    return recorder;
  }

  /** Whether a migration is in no file of this window, as far as its recordings have come. */
  public boolean isUnsaved(SessionPair pair) {
    return pair.sessions().stream().noneMatch(saved::contains);
  }

  private static Recorder begin(Output file) {
    try {
      return Recorder.begin(file);
    } catch (OutputException e) {
      throw new CompletionException(e);
    }
  }

  /** Whether a migration is being recorded. */
  public boolean isRecording(@Nullable SessionPair pair) {
    return pair != null && running.stream().anyMatch(each -> isOf(each, pair));
  }

  private static boolean isOf(Running recording, SessionPair pair) {
    return pair.sessions().stream().anyMatch(recording.sessions::contains);
  }

  /** Ends the recording of a migration; the migration goes on. */
  public void end(SessionPair pair) {
    List.copyOf(running).stream().filter(each -> isOf(each, pair)).forEach(this::close);
  }

  /** Ends the recordings of ended migrations, and those that could not begin. */
  public void refresh() {
    List.copyOf(running).stream().filter(Running::isDone).forEach(this::close);
  }

  private void close(Running recording) {
    running.remove(recording);
    background.execute(() -> {
      try {
        Recorder recorder = recording.recorder.join();
        recorder.close();
        if (recorder.failure() != null) {
          recording.sessions.forEach(saved::remove);
        }
        done.accept(isWhole(recorder), sentence(recorder));
      } catch (CompletionException e) {
        recording.sessions.forEach(saved::remove);
        done.accept(false, sentence(e.getCause()));
      }
    });
  }

  private static String sentence(@Nullable Throwable failure) {
    return failure instanceof OutputException && failure.getMessage() != null
        ? failure.getMessage()
        : "The recording could not begin because of an error in this program: %s"
            .formatted(failure);
  }

  private static boolean isWhole(Recorder recorder) {
    return recorder.failure() == null && recorder.displaced() == null && recorder.leftOut() == 0;
  }

  private static String sentence(Recorder recorder) {
    String failure = recorder.failure();
    if (failure != null) {
      return failure;
    }
    String displaced = recorder.displaced();
    if (displaced != null) {
      return displaced;
    }
    return recorder.leftOut() == 0
        ? "The recording is in %s (%s).".formatted(recorder.file(), Format.bytes(recorder.bytes()))
        : "The recording %s lacks %s events, because the disk was too slow or it began too late."
            .formatted(recorder.file(), Format.count(recorder.leftOut()));
  }

  /** A phrase about the running recordings; empty if there are none. */
  public String text() {
    if (running.isEmpty()) {
      return "";
    }
    long bytes =
        running.stream()
            .map(Running::begun)
            .filter(Objects::nonNull)
            .mapToLong(Recorder::bytes)
            .sum();
    return "recording %s, %s"
        .formatted(
            String.join(
                ", ", running.stream().map(each -> "" + each.file.path().getFileName()).toList()),
            Format.bytes(bytes));
  }

  /** Ends all recordings, and waits until the open files are written. */
  public void close() {
    for (Running recording : running) {
      // A file that is not open yet is still empty, so there is nothing to wait for.
      recording.unwanted.set(true);
      Recorder begun = recording.begun();
      if (begun != null) {
        begun.close();
      }
    }
    running.clear();
  }
}
