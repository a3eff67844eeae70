// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.engine.Inquiry;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.RunState;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.soft.SoftNetwork;

/** What a guard does at the end of its notes, in this process. */
@Slow("real time limits of guards")
final class GuardTest {
  private static final String CAPABILITIES =
      "migrate-set-capabilities"
          + " {\"capabilities\":[{\"capability\":\"x-ignore-shared\",\"state\":false}]}";
  private static final String PARAMETERS = "migrate-set-parameters {\"max-bandwidth\":134217728}";

  /** Both are in this process, where no answer is lost. */
  private static final Duration AGAIN = Duration.ofMillis(100);

  @TempDir private Path directory;
  private PretendedQemu qemu;
  private Path log;

  @BeforeEach
  void start() throws IOException {
    qemu = new PretendedQemu(directory.resolve("qmp"));
    log = directory.resolve("guard.log");
  }

  @AfterEach
  void end() throws Exception {
    qemu.close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("limit")) {
        assertThat(thread.join(Duration.ofSeconds(20)))
            .as("the limit of a guard that has finished ends")
            .isTrue();
      }
    }
  }

  private static GuardedSettings before(boolean starts) {
    var parameters = new JsonObject();
    parameters.addProperty("max-bandwidth", 134217728);
    return new GuardedSettings(Map.of("x-ignore-shared", false), parameters, starts);
  }

  private Note source() throws IOException {
    return Note.of(Note.Kind.SOURCE, qemu.guarded(), before(false));
  }

  private Note destination(boolean starts) throws IOException {
    return Note.of(Note.Kind.DESTINATION, qemu.guarded(), before(starts));
  }

  /** Gives a guard these notes and then their end; returns its answers. */
  private List<String> guard(Note... notes) throws IOException {
    var lines = new StringBuilder();
    for (Note note : notes) {
      lines.append(note.line()).append('\n');
    }
    var answers = new ByteArrayOutputStream();
    try (var reader = new BufferedReader(new StringReader(lines.toString()))) {
      new Guard(new GuardLog(log), AGAIN)
          .watch(reader, new PrintStream(answers, true, StandardCharsets.UTF_8));
    }
    List<String> all = answers.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(all).hasSize(notes.length);
    return all;
  }

  private String logged() throws IOException {
    try {
      return Files.readString(log);
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  private static Handover nobody() throws IOException {
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new Handover(
          SoftNetwork.NAME,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), free.getLocalPort()),
          MigrationId.random(),
          MigrationSecret.random());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatItDid_isKeptForTheNextStart_ifItsProgramWasKilled(boolean killed) throws IOException {
    ProcessIdentity self = ProcessIdentity.of(ProcessHandle.current().pid());
    ProcessIdentity program = killed ? new ProcessIdentity(Integer.MAX_VALUE, 7) : self;
    Journal journal =
        new Journals(directory.resolve(Journals.NAME))
            .begin(
                JournalEntry.first(
                    JournalEntry.Role.SOURCE,
                    Journals.boot(),
                    qemu.guarded(),
                    List.of(program, self),
                    before(false)));
    guard(Note.of(Note.Kind.SOURCE, qemu.guarded(), before(false), journal.file()));
    assertThat(journal.file()).doesNotExist();
    List<List<String>> told = Deeds.beside(log).all();
    if (killed) {
      assertThat(told).hasSize(1);
      assertThat(String.join(" ", told.getFirst())).contains("Its settings are restored.");
    } else {
      assertThat(told).isEmpty();
    }
  }

  // ----------------------------------------------------------------------------- a source

  @ParameterizedTest
  @CsvSource({
    "running, none, true",
    "paused, none, true",
    "paused, active, true",
    "finish-migrate, pre-switchover, true",
    "finish-migrate, cancelling, true",
    "postmigrate, completed, true",
    "paused, none, false"
  })
  void source_beforeTheHandOver_isAsBefore(String status, String migration, boolean stopping)
      throws Exception {
    qemu.status(status).migration(migration);
    List<Note> notes = new ArrayList<>(List.of(source()));
    if (stopping) {
      notes.add(Note.of(Note.Kind.STOPPING));
    }
    assertThat(guard(notes.toArray(Note[]::new))).containsOnly("{}");
    List<String> expected = new ArrayList<>();
    if (MigrationInfo.isInProgress(migration, new RunState(status, false))) {
      expected.add("migrate_cancel");
    }
    if (migration.equals("cancelling")) {
      expected.add("migrate-continue cancelling");
    }
    expected.addAll(List.of(CAPABILITIES, PARAMETERS));
    if (stopping && !status.equals("running") && !status.equals("finish-migrate")) {
      expected.add("cont");
    }
    assertThat(qemu.done()).containsExactlyElementsOf(expected);
    assertThat(qemu.status()).isEqualTo(stopping ? "running" : status);
    assertThat(logged()).contains("before the guest was handed over").hasLineCount(1);
  }

  /** What somebody else has done with the guest, while it ran, is not undone. */
  @ParameterizedTest
  @ValueSource(strings = {"paused", "running"})
  void source_afterAPauseOfItsOwn_leavesTheGuestAsItIs(String status) throws Exception {
    qemu.status(status);
    guard(source(), Note.of(Note.Kind.STOPPING), Note.of(Note.Kind.RESUMED));
    assertThat(qemu.done()).containsExactly(CAPABILITIES, PARAMETERS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"io-error", "shutdown", "guest-panicked"})
  void guestThatStoppedByItself_isLeftAsItIs(String status) throws Exception {
    qemu.status(status);
    guard(source(), Note.of(Note.Kind.STOPPING));
    assertThat(qemu.done()).containsExactly(CAPABILITIES, PARAMETERS);
    assertThat(logged()).contains("does not run (" + status + ")");
  }

  @Test
  void settingThatIsRefused_doesNotKeepTheGuestPaused() throws Exception {
    qemu.status("postmigrate").refuse("migrate-set-parameters");
    guard(source(), Note.of(Note.Kind.STOPPING));
    assertThat(qemu.done()).containsExactly(CAPABILITIES, "cont");
    assertThat(logged()).contains("QEMU refused migrate-set-parameters: no").contains("runs");
  }

  @Test
  void leave_changesNothing() throws Exception {
    qemu.status("paused");
    guard(source(), Note.of(Note.Kind.LEAVE));
    assertThat(qemu.done()).isEmpty();
    assertThat(logged()).isEmpty();
  }

  @Test
  void source_afterTheHandOver_staysPaused() throws Exception {
    qemu.status("postmigrate");
    guard(source(), Note.of(Note.Kind.HANDING_OVER, nobody()), Note.of(Note.Kind.HANDED_OVER));
    assertThat(qemu.done()).containsExactly(CAPABILITIES, PARAMETERS);
  }

  @Test
  void source_thatTookTheGuestBack_continuesWithoutAsking() throws Exception {
    qemu.status("postmigrate");
    guard(
        source(),
        Note.of(Note.Kind.STOPPING),
        Note.of(Note.Kind.HANDING_OVER, nobody()),
        Note.of(Note.Kind.TAKEN_BACK));
    assertThat(qemu.status()).isEqualTo("running");
  }

  @Test
  void source_thatCannotAsk_staysPausedAndSaysSo() throws Exception {
    qemu.status("postmigrate");
    Handover nobody = nobody();
    guard(
        source(),
        Note.of(
            Note.Kind.HANDING_OVER,
            new Handover(nobody.device(), nobody.destination(), null, null)));
    assertThat(qemu.status()).isEqualTo("postmigrate");
    assertThat(logged()).contains("cannot be asked").contains("kept paused here");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void socketThatIsLeft_isDeletedWithItsDirectory(boolean left) throws Exception {
    Path socket = Files.createDirectory(directory.resolve("private")).resolve("s");
    Files.createFile(socket);
    Note gone = Note.creating(directory.resolve("gone/s"));
    Note created = Note.creating(socket);
    if (left) {
      guard(source(), gone, created);
      assertThat(socket.getParent()).doesNotExist();
    } else {
      guard(source(), gone, created, Note.of(Note.Kind.LEAVE));
      assertThat(socket).exists();
    }
  }

  // -------------------------------------------------------------------------- a destination

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void destination_beforeLoading_goesOnWaiting(boolean starts) throws Exception {
    qemu.status("inmigrate");
    guard(destination(starts));
    assertThat(qemu.done())
        .containsExactlyElementsOf(
            starts ? List.of(CAPABILITIES, PARAMETERS, "cont") : List.of(CAPABILITIES, PARAMETERS));
    assertThat(qemu.isAlive()).isTrue();
  }

  @Test
  void destination_thatWasLoading_ends() throws Exception {
    qemu.status("inmigrate").migration("failed");
    guard(destination(true), Note.of(Note.Kind.LOADING));
    assertThat(qemu.done()).containsExactly("quit");
    assertThat(qemu.isAlive()).isFalse();
  }

  /** The source hands its guest over only after LOADED, and goes on. */
  @Test
  void destination_thatHasLoaded_ends_ifTheSourceWaitsToBeTold() throws Exception {
    qemu.status("paused").migration("completed");
    guard(destination(true), Note.of(Note.Kind.CONNECTED, nobody()), Note.of(Note.Kind.LOADING));
    assertThat(qemu.done()).containsExactly("quit");
    assertThat(qemu.isAlive()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void destination_ofASourceThatCannotAsk_keepsTheGuestPaused(boolean noted) throws Exception {
    qemu.status("paused").migration("completed");
    List<Note> notes = new ArrayList<>(List.of(destination(true), Note.of(Note.Kind.LOADING)));
    if (noted) {
      notes.add(Note.of(Note.Kind.LOADED));
    }
    guard(notes.toArray(Note[]::new));
    assertThat(qemu.done()).containsExactly(CAPABILITIES, PARAMETERS);
    assertThat(logged()).contains("cannot be asked").contains("does not run (paused)");
  }

  /** Its guest may be the only one that is left. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void destination_thatCannotBeAskedAtOnce_isNotEnded(boolean loaded) throws Exception {
    qemu.status("paused").migration(loaded ? "completed" : "failed").hangUp(3);
    guard(destination(true), Note.of(Note.Kind.LOADING));
    assertThat(qemu.isAlive()).isEqualTo(loaded);
    assertThat(qemu.done()).isEqualTo(loaded ? List.of(CAPABILITIES, PARAMETERS) : List.of("quit"));
  }

  @Test
  void qemuThatDoesNotQuit_isKilled() throws Exception {
    qemu.refuse("quit");
    qemu.migration("failed");
    guard(destination(true), Note.of(Note.Kind.LOADING));
    assertThat(qemu.isAlive()).isFalse();
  }

  // ------------------------------------------------------------------- both ends, both guards

  @ParameterizedTest
  @CsvSource({
    "LOADED, paused, false, postmigrate, running",
    "SWITCHING_OVER, paused, true, running, postmigrate",
    "SWITCHING_OVER, running, true, running, postmigrate",
    "RUNNING, running, true, running, postmigrate"
  })
  void bothEndsDie_andTheirGuardsAgree(
      Note.Kind stage, String status, boolean lives, String there, String here) throws Exception {
    Handover handover = nobody();
    qemu.status("postmigrate");
    CompletableFuture<List<String>> asks =
        inBackground(
            source(), Note.of(Note.Kind.STOPPING), Note.of(Note.Kind.HANDING_OVER, handover));
    try (var destination = new PretendedQemu(directory.resolve("destination"))) {
      destination.status(status).migration("completed");
      List<Note> notes =
          new ArrayList<>(
              List.of(
                  Note.of(Note.Kind.DESTINATION, destination.guarded(), before(true)),
                  Note.of(Note.Kind.CONNECTED, handover),
                  Note.of(Note.Kind.LOADING),
                  Note.of(Note.Kind.LOADED)));
      if (stage != Note.Kind.LOADED) {
        notes.add(Note.switchingOver(true));
      }
      if (stage == Note.Kind.RUNNING) {
        notes.add(Note.of(Note.Kind.RUNNING));
      }
      guard(notes.toArray(Note[]::new));
      asks.get(60, TimeUnit.SECONDS);
      assertThat(destination.isAlive()).isEqualTo(lives);
      if (lives) {
        assertThat(destination.status()).isEqualTo(there);
      }
      assertThat(qemu.status()).isEqualTo(here);
    }
  }

  /** What a QEMU does not answer must not keep a source waiting that can be told. */
  @ParameterizedTest
  @CsvSource({"SWITCHING_OVER, false", "SWITCHING_OVER, true", "RUNNING, true"})
  void source_isAnswered_beforeTheSettingsAreRestored(Note.Kind stage, boolean run)
      throws Exception {
    Handover handover = nobody();
    qemu.status("paused").migration("completed").slowAt("migrate-set-capabilities");
    List<Note> notes =
        new ArrayList<>(
            List.of(
                destination(true),
                Note.of(Note.Kind.CONNECTED, handover),
                Note.of(Note.Kind.LOADED),
                Note.switchingOver(run)));
    if (stage == Note.Kind.RUNNING) {
      qemu.status("running");
      notes.add(Note.of(Note.Kind.RUNNING));
    }
    CompletableFuture<List<String>> guards = inBackground(notes.toArray(Note[]::new));
    try (RdmaDevice device = GuardDevice.open(SoftNetwork.NAME)) {
      var inquiry = new Inquiry(device, handover, Duration.ofSeconds(10), Duration.ofSeconds(60));
      assertThat(inquiry.ask().outcome()).isEqualTo(Outcome.RUNNING);
    }
    assertThat(qemu.status()).isEqualTo(run ? "running" : "paused");
    assertThat(guards).as("the QEMU has not answered").isNotDone();
    qemu.goOn();
    guards.get(60, TimeUnit.SECONDS);
    assertThat(qemu.done()).endsWith(CAPABILITIES, PARAMETERS);
  }

  /** Another client may have changed its settings since. */
  @Test
  void qemuThatIsRestored_isNotTouched_andTheSourceIsAnswered() throws Exception {
    Handover handover = nobody();
    qemu.status("running").migration("active");
    CompletableFuture<List<String>> guards =
        inBackground(
            destination(true),
            Note.of(Note.Kind.CONNECTED, handover),
            Note.of(Note.Kind.LOADED),
            Note.switchingOver(true),
            Note.of(Note.Kind.RUNNING),
            Note.of(Note.Kind.RESTORED));
    try (RdmaDevice device = GuardDevice.open(SoftNetwork.NAME)) {
      var inquiry = new Inquiry(device, handover, Duration.ofSeconds(10), Duration.ofSeconds(60));
      assertThat(inquiry.ask().outcome()).isEqualTo(Outcome.RUNNING);
    }
    guards.get(60, TimeUnit.SECONDS);
    assertThat(qemu.done()).isEmpty();
  }

  @Test
  void guestThatCannotBeStarted_goesBackToTheSource() throws Exception {
    Handover handover = nobody();
    qemu.status("postmigrate");
    CompletableFuture<List<String>> asks =
        inBackground(
            source(), Note.of(Note.Kind.STOPPING), Note.of(Note.Kind.HANDING_OVER, handover));
    try (var destination = new PretendedQemu(directory.resolve("destination"))) {
      destination.status("paused").migration("completed").refuse("cont");
      guard(
          Note.of(Note.Kind.DESTINATION, destination.guarded(), before(true)),
          Note.of(Note.Kind.CONNECTED, handover),
          Note.of(Note.Kind.LOADED),
          Note.switchingOver(true));
      asks.get(60, TimeUnit.SECONDS);
      assertThat(destination.isAlive()).isFalse();
      assertThat(qemu.status()).isEqualTo("running");
    }
  }

  private CompletableFuture<List<String>> inBackground(Note... notes) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return guard(notes);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> Thread.ofPlatform().daemon().start(task));
  }

  // ------------------------------------------------------------------------ another process

  @Test
  void qemuThatHasEnded_isNotGuarded() throws Exception {
    Note note = source();
    qemu.kill();
    assertThat(guard(note)).first().asString().contains("has ended");
    assertThat(qemu.done()).isEmpty();
  }

  @Test
  void processWithTheSameId_isNotTouched() throws Exception {
    GuardedQemu own = qemu.guarded();
    var earlier =
        new GuardedQemu(new ProcessIdentity(own.pid(), own.start() - 1), own.qmp(), "", "");
    assertThat(guard(Note.of(Note.Kind.SOURCE, earlier, before(true))))
        .first()
        .asString()
        .contains("has ended");
    var repair = new QemuRepair(earlier, before(true), new GuardLog(log));
    assertThat(repair.restore(true, "Test.")).isEqualTo(QemuRepair.Result.FAILED);
    assertThat(repair.end("Test.")).isTrue();
    assertThat(qemu.done()).isEmpty();
    assertThat(qemu.isAlive()).isTrue();
  }

  @Test
  void noteThatMakesNoSense_isRefusedAndChangesNothing() throws Exception {
    assertThat(
            guard(
                Note.of(Note.Kind.HANDED_OVER),
                source(),
                Note.of(Note.Kind.LOADING),
                Note.of(Note.Kind.LEAVE)))
        .satisfiesExactly(
            answer -> assertThat(answer).contains("no QEMU was named"),
            answer -> assertThat(answer).isEqualTo("{}"),
            answer -> assertThat(answer).contains("no note about a source"),
            answer -> assertThat(answer).isEqualTo("{}"));
    assertThat(qemu.done()).isEmpty();
  }
}
