// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.TimeLimit;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** Recordings that are started and ended in the window. */
final class RecordersTest {
  @TempDir Path directory;

  private final List<String> told = new ArrayList<>();
  private final Recorders recorders =
      new Recorders(
          Runnable::run, (good, sentence) -> told.add((good ? "good: " : "bad: ") + sentence));
  private final FakeSession source =
      new FakeSession("lab 1 source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("lab 1 destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final SessionPair pair = new SessionPair(source, destination);

  @Test
  void aRecording_isSaid_untilItIsStopped_andCanThenBeOpened() throws Exception {
    Path file = directory.resolve("lab.wrs");
    assertThat(recorders.text()).isEmpty();
    var _ = recorders.begin(output(file), pair);
    assertThat(recorders.isRecording(pair)).isTrue();
    assertThat(recorders.isRecording(new SessionPair(null, destination))).isTrue();
    assertThat(recorders.text()).startsWith("recording lab.wrs, ");

    recorders.end(pair);
    assertThat(recorders.isRecording(pair)).isFalse();
    assertThat(recorders.text()).isEmpty();
    assertThat(told).singleElement(STRING).startsWith("good: The recording is in " + file);
    try (var open = new OpenRecordings()) {
      OpenRecordings.Opened opened = open.open(List.of(file));
      assertThat(opened.notes()).isEmpty();
      SessionPair recorded = opened.pairs().getFirst();
      assertThat(opened.pairs()).hasSize(1);
      assertThat(recorded.leading().name()).isEqualTo("lab.wrs: lab 1 source");
      assertThat(recorded.leading().outcome()).contains("the end of the session is not in it");
      assertThat(open.sessions()).isEqualTo(recorded.sessions());
      open.remove(recorded);
      assertThat(open.sessions()).isEmpty();
    }
  }

  @Test
  void aRecording_endsWithItsMigration() {
    var _ = recorders.begin(output(directory.resolve("lab.wrs")), pair);
    source.end(MigrationStatus.COMPLETED, "Completed.");
    destination.end(MigrationStatus.COMPLETED, "Completed.");
    new TimeLimit()
        .await(
            "the end",
            () -> {
              recorders.refresh();
              return !recorders.isRecording(pair);
            });
    assertThat(told).singleElement(STRING).startsWith("good: The recording is in ");
  }

  @Test
  void aPlaceThatCannotBeWritten_isRefusedInASentence() {
    var _ = recorders.begin(output(directory), pair);
    recorders.refresh();
    assertThat(told).singleElement(STRING).startsWith("bad: ").contains("is a directory");
    assertThat(recorders.isRecording(pair)).isFalse();
  }

  @Test
  void aPipeThatNobodyReads_keepsNobodyWaiting() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    // This thread stands for the JavaFX thread, which must not wait.
    try (ExecutorService background = Executors.newCachedThreadPool()) {
      var window = new Recorders(background, (_, _) -> {});
      var _ = window.begin(output(pipe), pair);
      window.refresh();
      assertThat(window.isRecording(pair)).isTrue();
      assertThat(window.text()).isEqualTo("recording pipe, 0 B");
      window.end(pair);
      assertThat(window.isRecording(pair)).isFalse();
      var _ = window.begin(output(pipe), pair);
      window.close();
      assertThat(window.text()).isEmpty();
      // Answer now, so that the background threads end.
      try (FileChannel _ = FileChannel.open(pipe, READ, WRITE)) {
        background.shutdown();
        assertThat(background.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static Output output(Path file) {
    return Output.of("Recording", file, FileKind.RECORDING);
  }
}
