// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.SavedFile;

/** Finishes what a killed process has left of a capture. */
final class RecoverCommandTest {
  @TempDir private Path folder;

  private Path target() {
    return folder.resolve("vm.mig");
  }

  private Path left(String state, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(".vm.mig.%s-0123abcd".formatted(state)), bytes);
  }

  private static CommandRun recover(Object... args) {
    String[] all = new String[args.length + 1];
    all[0] = "recover";
    for (int i = 0; i < args.length; i++) {
      all[i + 1] = args[i].toString();
    }
    return CommandRun.of(CommandRun.SUCCESS, all);
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"part", "complete"})
  void wholeGuest_getsItsName(String state) throws IOException {
    CommandRun run = recover(left(state, SavedFile.whole()));
    assertThat(run.status()).as(run.err()).isEqualTo(0);
    assertThat(run.out()).contains(target() + " holds the guest", "only if it no longer runs");
    assertThat(run.out().contains("was not marked as complete")).isEqualTo(state.equals("part"));
    assertThat(files()).containsExactly("vm.mig");
    assertThat(Files.readAllBytes(target())).isEqualTo(SavedFile.whole());
  }

  @Test
  void itsOwnName_findsWhatWasLeft_unlessThereIsMoreThanOne() throws IOException {
    left("complete", SavedFile.whole());
    Path other = Files.write(folder.resolve(".vm.mig.part-99999999"), SavedFile.cut());
    CommandRun two = recover(target());
    assertThat(two.status()).isEqualTo(2);
    assertThat(two.err())
        .contains("holds the whole guest", other + " was left behind by an earlier capture")
        .contains("name one of their files");
    Files.delete(other);
    assertThat(recover(target()).status()).isEqualTo(0);
    assertThat(files()).containsExactly("vm.mig");
  }

  @Test
  void incompleteGuest_isNoGuest_andStays() throws IOException {
    Path left = left("part", SavedFile.cut());
    CommandRun run = recover(left);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("does not hold a whole guest", "It may be deleted.");
    assertThat(files()).containsExactly(left.getFileName().toString());
  }

  @Test
  void oldMachine_getsItsName_andTheDoubtIsTold() throws IOException {
    CommandRun run = recover(left("complete", SavedFile.old()));
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("no end mark");
    assertThat(files()).containsExactly("vm.mig");
  }

  @Test
  void nameThatIsTaken_isRefused_unlessForced_andOnlyAGuestIsReplaced() throws IOException {
    Path left = left("complete", SavedFile.whole());
    Files.writeString(target(), "somebody's letters");
    CommandRun refused = recover(left);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("exists already; --force replaces it");
    CommandRun noGuest = recover(left, "--force");
    assertThat(noGuest.status()).isEqualTo(2);
    assertThat(noGuest.err()).contains("is not a captured guest");
    assertThat(target()).hasContent("somebody's letters");
    Files.write(target(), SavedFile.old());
    assertThat(recover(left, "--force").status()).isEqualTo(0);
    assertThat(Files.readAllBytes(target())).isEqualTo(SavedFile.whole());
    assertThat(files()).containsExactly("vm.mig");
  }

  @Test
  void fileThatIsBeingWritten_isLeftAlone() throws IOException {
    Path left = left("part", SavedFile.whole());
    try (FileChannel file = FileChannel.open(left, StandardOpenOption.WRITE)) {
      assertThat(file.tryLock()).isNotNull();
      CommandRun run = recover(left);
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err()).contains("is being written");
      assertThat(recover(target()).err()).contains("is not an unfinished capture");
    }
    assertThat(files()).containsExactly(left.getFileName().toString());
  }

  @Test
  void somethingElse_isRefused() throws IOException {
    Path file = Files.write(folder.resolve("other"), SavedFile.whole());
    assertThat(recover(file).status()).isEqualTo(2);
    assertThat(recover(folder.resolve("none/vm.mig")).err()).contains("does not exist");
    assertThat(recover(folder.resolve(".vm.mig.part-01234567")).status()).isEqualTo(2);
    assertThat(files()).containsExactly("other");
  }

  @Test
  void captureToTheSameName_saysWhatIsThere() throws IOException {
    Path whole = left("part", SavedFile.whole());
    CommandRun run =
        CommandRun.ofOne(
            session -> session.cancel(),
            "destination",
            "rdma:127.0.0.1:0",
            "--capture=" + target());
    assertThat(run.err())
        .contains(whole + " seems to hold the whole guest", "./wridscope recover " + whole);
  }
}
