// SPDX-License-Identifier: Apache-2.0
package org.wridscope.aftermath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.aftermath.Left.Kind;
import org.wridscope.control.guard.Deeds;
import org.wridscope.guest.Handover;
import org.wridscope.guest.SavedFile;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Stage;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.RunningRecordings;
import org.wridscope.watch.AbandonedWatches;

/** What is said after a process was killed, and that nothing is guessed. */
final class AftermathTest {
  /** Process ids of Linux are smaller. */
  private static final ProcessIdentity NOBODY = new ProcessIdentity(Integer.MAX_VALUE, 7);

  @TempDir private Path directory;

  private Aftermath aftermath() {
    return new Aftermath(
        new Journals(directory.resolve(Journals.NAME)),
        new Deeds(directory.resolve("guarded")),
        List.of(directory),
        new RunningRecordings(directory.resolve("recordings")),
        new AbandonedWatches(directory));
  }

  private JournalEntry entry(Stage stage, boolean run, ProcessIdentity process) throws IOException {
    var to = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 9, 0, 2}), 4444);
    return new JournalEntry(
        stage,
        Instant.now(),
        Journals.boot(),
        new GuardedQemu(process, QmpAddress.parse("unix:/run/vm.qmp"), "", "vm7"),
        List.of(NOBODY),
        GuardedSettings.NONE,
        run,
        new Handover("mlx5_0", to, null, null),
        null,
        null);
  }

  @Test
  void withoutACrash_nothingIsSaid() {
    assertThat(aftermath().find()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "LEAVING, false, The guest is in this QEMU., has ended",
    "LEAVING, true, was paused for the switch-over, has ended",
    "HANDING_OVER, true, not known which end has the guest: the destination (10.9.0.2:4444), not known",
    "HANDED_OVER, true, The guest is at the destination (10.9.0.2:4444)., The guest is at the destination",
    "WAITING, true, Nothing of a guest was loaded here, has ended",
    "LOADING, true, what is loaded here is incomplete, at its source",
    "LOADED, true, not known which end has the guest, not known which end",
    "SWITCHING_OVER, true, whether it was started here is not known, is not known",
    "RUNNING, true, The guest is in this QEMU., and the guest with it"
  })
  void qemu_isSaidByItsStage(Stage stage, boolean run, String alive, String ended)
      throws IOException {
    ProcessIdentity self = ProcessIdentity.of(ProcessHandle.current().pid());
    Journal _ = aftermath().journals().begin(entry(stage, run, self));
    Left left = aftermath().find().getFirst();
    assertThat(left.kind()).isEqualTo(Kind.QEMU);
    assertThat(left.isRepairable()).isTrue();
    assertThat(left.what()).contains("QEMU %d of vm7 (unix:/run/vm.qmp)".formatted(self.pid()));
    assertThat(left.what())
        .contains("the %s of a migration".formatted(stage.role().name().toLowerCase(Locale.ROOT)));
    assertThat(left.guest()).contains(alive).doesNotContain("has ended");
    assertThat(left.toDo()).contains("recover --qemu 'unix:/run/vm.qmp'");
    assertThat(Aftermath.guest(entry(stage, run, NOBODY))).contains(ended).contains("ended");
  }

  @Test
  void recordingThatNobodyClosed_tellsWhatRan_andNotWhereItsGuestIsNow() throws Exception {
    Path file = directory.resolve("cut.wrs");
    RecordedLab.record(file, 16 << 20);
    RunningRecordings notes = aftermath().recordings();
    Path _ = notes.note(file, ProcessIdentity.of(ProcessHandle.current().pid()));
    assertThat(aftermath().find()).as("its process still runs").isEmpty();
    Path _ = notes.note(file, NOBODY);
    assertThat(aftermath().find().getFirst().guest())
        .as("its end was still written")
        .contains("The guest runs at the destination");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
    Left left = aftermath().find().getFirst();
    assertThat(left.kind()).isEqualTo(Kind.RECORDING);
    assertThat(left.recording()).isEqualTo(file);
    assertThat(left.what()).contains("lab 1 source (rdma:", "lab 1 destination", "round");
    assertThat(left.guest())
        .contains("At the last moment in it the guest ran at the source.", "is not known")
        .doesNotContain("runs at");
    byte[] all = Files.readAllBytes(file);
    int length = 0;
    do {
      Files.write(file, Arrays.copyOf(all, ++length));
    } while (aftermath().find().getFirst().recording() == null);
    assertThat(aftermath().find().getFirst().guest())
        .as("nothing was measured yet")
        .contains("Whether the guest ran at the source then is not in it.");
    Files.write(file, new byte[] {1, 2, 3});
    assertThat(aftermath().find().getFirst().guest())
        .startsWith("What ran, and where its guest is, is not known");
    aftermath().forget();
    assertThat(aftermath().find()).isEmpty();
    Path _ = notes.note(file, NOBODY);
    Files.delete(file);
    assertThat(aftermath().find()).as("there is nothing to be opened").isEmpty();
  }

  @Test
  void captureAndGuard_areSaid_andTheGuardUntilItIsForgotten() throws IOException {
    Files.write(directory.resolve(".vm.mig.complete-0123abcd"), SavedFile.whole());
    Files.write(directory.resolve(".vm.mig.part-0123abcd"), SavedFile.cut());
    aftermath().deeds().add(entry(Stage.LEAVING, true, NOBODY), List.of("Its guest runs."));
    assertThat(aftermath().find())
        .extracting(Left::kind)
        .containsExactly(Kind.GUARD, Kind.CAPTURE, Kind.CAPTURE);
    assertThat(aftermath().find())
        .extracting(Left::guest)
        .satisfiesExactly(
            guard -> assertThat(guard).isEqualTo("Its guest runs."),
            whole ->
                assertThat(whole).contains("Whether the guest still runs at its source is not"),
            part -> assertThat(part).isEqualTo("The guest was not captured; look at its source."));
    aftermath().forget();
    assertThat(aftermath().find()).extracting(Left::kind).doesNotContain(Kind.GUARD).hasSize(2);
  }

  @Test
  void journalThatCannotBeRead_isNotKnown() throws IOException {
    Journal journal = aftermath().journals().begin(entry(Stage.LEAVING, false, NOBODY));
    Files.writeString(journal.file(), "?");
    assertThat(aftermath().find().getFirst().guest()).contains("is not known");
  }
}
