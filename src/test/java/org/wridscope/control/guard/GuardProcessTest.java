// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.ChildJvm;
import org.wridscope.Signals;
import org.wridscope.Slow;
import org.wridscope.engine.Inquiry;
import org.wridscope.guest.Handover;
import org.wridscope.guest.OtherEnd;
import org.wridscope.guest.qemu.DestinationGuard;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Role;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.guest.qemu.SourceGuard;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftNetwork;

/** A real guard of a process that is killed. */
@Slow("guards are processes of their own, which are killed")
final class GuardProcessTest {
  private static final long LIMIT_SECONDS = 60;
  private static final String READY = "ready";

  /** Between two attempts to listen. */
  private static final long PAUSE_NANOS = 200_000;

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();
  private final List<PretendedQemu> others = new ArrayList<>();
  private PretendedQemu qemu;

  @BeforeEach
  void start() throws IOException {
    qemu = new PretendedQemu(directory.resolve("qmp"));
  }

  @AfterEach
  void end() throws IOException {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    qemu.close();
    for (PretendedQemu other : others) {
      other.close();
    }
  }

  /** A process that has a guard. */
  static final class Guarded {
    private Guarded() {}

    /** Arguments: the log, and for each QEMU the stage, its pid and its socket. */
    public static void main(String[] arguments) throws Exception {
      for (int i = 1; i < arguments.length; i += 3) {
        GuardedQemu qemu =
            GuardedQemu.of(Long.parseLong(arguments[i + 1]), QmpAddress.parse(arguments[i + 2]));
        guard(new GuardProcesses(Path.of(arguments[0])), arguments[i], qemu);
      }
      System.out.println(READY);
      // Until it is killed.
      boolean _ = new CountDownLatch(1).await(10 * LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static void guard(GuardProcesses guards, String stage, GuardedQemu qemu)
        throws Exception {
      var before = new GuardedSettings(Map.of("events", false), new JsonObject(), true);
      var handover =
          new Handover(
              SoftNetwork.NAME,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
              MigrationId.random(),
              MigrationSecret.random());
      switch (stage) {
        case "leaving" -> guards.guardSource(qemu, before);
        case "stopping" -> guards.guardSource(qemu, before).stopping();
        case "handed over" -> {
          SourceGuard guard = guards.guardSource(qemu, before);
          guard.handingOver(handover);
          guard.handedOver();
        }
        case "taken back" -> {
          SourceGuard guard = guards.guardSource(qemu, before);
          guard.stopping();
          guard.handingOver(handover);
          guard.takenBack();
        }
        case "waiting" -> guards.guardDestination(qemu, before);
        case "loading" -> guards.guardDestination(qemu, before).loading();
        case "loaded" -> {
          DestinationGuard guard = guards.guardDestination(qemu, before);
          guard.loading();
          guard.loaded();
        }
        case "running" -> {
          DestinationGuard guard = guards.guardDestination(qemu, before);
          guard.loaded();
          guard.switchingOver(true);
          guard.running();
        }
        case "starting" -> {
          DestinationGuard guard = guards.guardDestination(qemu, before);
          guard.loaded();
          guard.switchingOver(true);
        }
        case "listening" -> {
          SoftDevice device = SoftNetwork.open(SoftNetwork.NAME);
          var free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          InetSocketAddress address = device.listen(free, 1).localAddress();
          DestinationGuard guard = guards.guardDestination(qemu, before);
          guard.connected(
              new Handover(
                  SoftNetwork.NAME, address, new MigrationId(1, 2), new MigrationSecret(3, 4)));
          guard.loaded();
          System.out.println(address.getPort());
        }
        case "out of heap" -> {
          guards.guardSource(qemu, before).stopping();
          System.out.println(READY);
          // Others would catch it, as a defect in what they do.
          Thread.ofPlatform().daemon().start(GuardProcessTest::exhaust);
        }
        case "userfault" -> {
          SourceGuard guard = guards.guardSource(qemu, before);
          try {
            System.out.println(guard.openUserfault());
          } catch (IOException e) {
            System.out.println(e.getMessage());
          }
          waitForLine();
          guard.closeUserfault();
          System.out.println(READY);
          waitForLine();
          int _ = guard.openUserfault();
        }
        default -> throw new IllegalArgumentException(stage);
      }
    }
  }

  private static void exhaust() {
    Object[] all = {};
    while (true) {
      all = new Object[] {all, new byte[1 << 20]};
    }
  }

  private static void waitForLine() throws IOException {
    if (System.in.read() < 0) {
      throw new EOFException("the test has ended");
    }
  }

  private Process guarded(String stage) throws IOException {
    return guarded(stage, "-Xmx64m");
  }

  private Process guarded(String stage, String... options) throws IOException {
    return guarded(List.of(stage), List.of(qemu), options);
  }

  /** One process that is at a stage with each of some QEMUs. */
  private Process guarded(List<String> stages, List<PretendedQemu> qemus, String... options)
      throws IOException {
    List<String> command = ChildJvm.command(Guarded.class, options);
    command.add(directory.resolve("guard.log").toString());
    for (int i = 0; i < stages.size(); i++) {
      GuardedQemu named = qemus.get(i).guarded();
      command.addAll(List.of(stages.get(i), Long.toString(named.pid()), named.qmp().toString()));
    }
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    started.add(process);
    return process;
  }

  private static ProcessHandle guardOf(Process guarded) throws IOException {
    return guardsOf(guarded).getFirst();
  }

  private static List<ProcessHandle> guardsOf(Process guarded) throws IOException {
    try (BufferedReader lines = guarded.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).isEqualTo(READY);
      return guarded.children().toList();
    }
  }

  /**
   * A QEMU at some stage of a migration when the process that migrates it is killed.
   *
   * @param after its status when the guard has ended
   * @param lives whether it runs then
   */
  private record Stage(String name, String status, String migration, String after, boolean lives) {}

  private static final List<Stage> STAGES =
      List.of(
          new Stage("leaving", "paused", "none", "paused", true),
          new Stage("stopping", "paused", "none", "running", true),
          new Stage("handed over", "postmigrate", "completed", "postmigrate", true),
          new Stage("taken back", "postmigrate", "completed", "running", true),
          new Stage("waiting", "inmigrate", "none", "inmigrate", true),
          new Stage("loading", "inmigrate", "failed", "inmigrate", false),
          new Stage("loaded", "paused", "completed", "paused", true),
          new Stage("starting", "paused", "completed", "running", true),
          new Stage("running", "running", "completed", "running", true));

  private List<PretendedQemu> qemus(List<Stage> stages) throws IOException {
    var qemus = new ArrayList<PretendedQemu>();
    for (Stage stage : stages) {
      var each = new PretendedQemu(directory.resolve("qmp-" + qemus.size()));
      others.add(each);
      qemus.add(each.status(stage.status).migration(stage.migration));
    }
    return qemus;
  }

  private static List<String> names(List<Stage> stages) {
    return stages.stream().map(Stage::name).toList();
  }

  private static void awaitEnds(List<ProcessHandle> guards) throws Exception {
    for (ProcessHandle guard : guards) {
      guard.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void afterKill_theGuardsLeaveTheirQemusAsTheyShouldBe() throws Exception {
    List<PretendedQemu> qemus = qemus(STAGES);
    Process guarded = guarded(names(STAGES), qemus);
    List<ProcessHandle> guards = guardsOf(guarded);
    assertThat(guards).hasSize(STAGES.size());
    assertThat(qemus).allSatisfy(each -> assertThat(each.done()).isEmpty());
    assertThat(Signals.send("KILL", guarded.pid())).isTrue();
    awaitEnds(guards);
    String log = Files.readString(directory.resolve("guard.log"));
    for (int i = 0; i < qemus.size(); i++) {
      Stage stage = STAGES.get(i);
      PretendedQemu each = qemus.get(i);
      assertThat(each.status()).as(stage.name).isEqualTo(stage.after);
      assertThat(each.isAlive()).as(stage.name).isEqualTo(stage.lives);
      if (stage.lives) {
        assertThat(each.done())
            .as(stage.name)
            .anySatisfy(done -> assertThat(done).contains("\"events\",\"state\":false"));
      }
      assertThat(log).contains("QEMU " + each.guarded().pid());
    }
  }

  /**
   * Between the end of a destination and the answer of its guard no other process can listen there,
   * and a source that has connected by then is answered.
   */
  @Test
  void theGuard_hasThePortOfItsProcess() throws Exception {
    qemu.status("paused").migration("completed");
    Process guarded = guarded("listening");
    try (BufferedReader lines = guarded.inputReader(StandardCharsets.UTF_8);
        RdmaDevice device = SoftNetwork.open("source")) {
      var address =
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(), Integer.parseInt(lines.readLine()));
      assertThat(lines.readLine()).isEqualTo(READY);
      ProcessHandle guard = guarded.children().findFirst().orElseThrow();
      var handover =
          new Handover(SoftNetwork.NAME, address, new MigrationId(1, 2), new MigrationSecret(3, 4));
      assertThat(Signals.send("KILL", guarded.pid())).isTrue();
      var asking =
          new Inquiry(device, handover, Duration.ofSeconds(30), Duration.ofSeconds(LIMIT_SECONDS));
      var answer =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return asking.ask();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> Thread.ofPlatform().daemon().start(task));
      int taken = 0;
      while (!answer.isDone()) {
        try (var squatter = new ServerSocket()) {
          squatter.bind(address);
          taken++;
        } catch (BindException e) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
      assertThat(taken).as("times that a stranger could listen").isZero();
      assertThat(answer.get()).isEqualTo(new Inquiry.Reply(Outcome.NOT_STARTED, null));
      guard.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(qemu.isAlive()).isFalse();
    } finally {
      guarded.destroyForcibly();
    }
  }

  /** With the option of the script that starts the program. */
  @Test
  void outOfHeap_theProcessEnds_andItsGuardActs() throws Exception {
    String exits =
        Files.readString(Path.of("wridscope"))
            .lines()
            .filter(line -> line.startsWith("options=("))
            .flatMap(line -> Stream.of(line.split("[ ()]")))
            .filter(option -> option.contains("OutOfMemory"))
            .collect(Collectors.joining());
    qemu.status("paused");
    Process guarded = guarded("out of heap", "-Xmx32m", exits);
    try {
      ProcessHandle guard = guardOf(guarded);
      guard.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(guarded.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(qemu.status()).isEqualTo("running");
    } finally {
      guarded.destroyForcibly();
    }
  }

  /** Program and guards at once; then by the journals. */
  @Test
  void afterTheDeathOfAll_theJournalsTellWhatIsLeft() throws Exception {
    List<Stage> stages =
        List.of(
            new Stage("stopping", "postmigrate", "completed", "running", true),
            new Stage("handed over", "postmigrate", "completed", "postmigrate", true),
            new Stage("waiting", "inmigrate", "completed", "inmigrate", true),
            new Stage("loaded", "paused", "completed", "paused", true),
            new Stage("starting", "paused", "completed", "paused", true));
    Set<String> undecided = Set.of("loaded", "starting");
    List<PretendedQemu> qemus = qemus(stages);
    Process guarded = guarded(names(stages), qemus);
    List<ProcessHandle> guards = guardsOf(guarded);
    var recovery =
        Recovery.of(
            directory.resolve("guard.log"),
            address ->
                qemus.stream()
                    .map(PretendedQemu::guarded)
                    .filter(each -> each.qmp().equals(address))
                    .mapToLong(GuardedQemu::pid)
                    .findFirst());
    for (PretendedQemu each : qemus) {
      assertThatIOException()
          .isThrownBy(() -> recovery.recover(each.guarded().qmp(), null))
          .withMessageContaining("wait for its end");
    }
    long[] all =
        LongStream.concat(
                LongStream.of(guarded.pid()), guards.stream().mapToLong(ProcessHandle::pid))
            .toArray();
    assertThat(Signals.send("KILL", all)).isTrue();
    awaitEnds(guards);
    assertThat(guarded.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < qemus.size(); i++) {
      Stage stage = stages.get(i);
      PretendedQemu each = qemus.get(i);
      assertThat(each.done()).as(stage.name).isEmpty();
      assertThat(recovery.recover(each.guarded().qmp(), null))
          .as(stage.name)
          .isEqualTo(
              undecided.contains(stage.name) ? Recovery.Result.UNDECIDED : Recovery.Result.RIGHT);
      assertThat(each.status()).as(stage.name).isEqualTo(stage.after);
      assertThat(each.done()).first().asString().contains("\"events\",\"state\":false");
    }
  }

  @Test
  void userfaultfd_isOpenInTheQemu_untilItIsClosedOrTheProcessIsKilled() throws Exception {
    Process guarded = guarded("userfault");
    try (BufferedReader lines = guarded.inputReader(StandardCharsets.UTF_8)) {
      String opened = lines.readLine();
      assumeTrue(opened.matches("\\d+"), opened);
      assertThat(userfaults()).containsExactly(opened);
      goOn(guarded);
      assertThat(lines.readLine()).isEqualTo(READY);
      assertThat(userfaults()).isEmpty();
      goOn(guarded);
      assertThat(lines.readLine()).isEqualTo(READY);
      assertThat(userfaults()).hasSize(1);
      ProcessHandle guard = guarded.children().findFirst().orElseThrow();
      assertThat(Signals.send("KILL", guarded.pid())).isTrue();
      guard.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(userfaults()).isEmpty();
      assertThat(qemu.isAlive()).isTrue();
    } finally {
      guarded.destroyForcibly();
    }
  }

  private static void goOn(Process guarded) throws IOException {
    guarded.getOutputStream().write('\n');
    guarded.getOutputStream().flush();
  }

  /** Numbers of the userfaultfds that are open in the QEMU. */
  private List<String> userfaults() throws IOException {
    var found = new ArrayList<String>();
    try (var links = Files.list(Path.of("/proc", Long.toString(qemu.guarded().pid()), "fd"))) {
      for (Path link : links.toList()) {
        if (Files.readSymbolicLink(link).toString().contains("userfaultfd")) {
          found.add(link.getFileName().toString());
        }
      }
    }
    return found;
  }

  @Test
  void guard_survivesTheSignalsOfATerminal() throws Exception {
    qemu.status("paused");
    Process guarded = guarded("stopping");
    try {
      ProcessHandle guard = guardOf(guarded);
      assertThat(session(guard.pid())).isEqualTo(guard.pid());
      for (String name : List.of("INT", "HUP", "TERM", "QUIT")) {
        assertThat(Signals.send(name, guard.pid())).isTrue();
      }
      assertThat(Signals.send("KILL", guarded.pid())).isTrue();
      guard.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(qemu.status()).isEqualTo("running");
    } finally {
      guarded.destroyForcibly();
    }
  }

  /** The session of a process; see proc(5). */
  private static long session(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3]);
  }

  private static List<ProcessHandle> children() {
    return ProcessHandle.current().children().filter(ProcessHandle::isAlive).toList();
  }

  private static List<ProcessHandle> childrenSince(List<ProcessHandle> before) {
    return children().stream().filter(child -> !before.contains(child)).toList();
  }

  @Test
  void close_endsTheGuard_andChangesNothing() throws Exception {
    var guards = new GuardProcesses(directory.resolve("guard.log"));
    List<ProcessHandle> before = children();
    SourceGuard guard =
        guards.guardSource(qemu.guarded(), new GuardedSettings(Map.of(), new JsonObject(), true));
    List<ProcessHandle> after = childrenSince(before);
    assertThat(after).hasSize(1);
    guard.close();
    guard.close();
    assertThat(after.getFirst().isAlive()).isFalse();
    assertThat(qemu.done()).isEmpty();
    assertThat(directory.resolve("guard.log")).doesNotExist();
    assertThatIOException().isThrownBy(guard::handedOver).withMessageContaining("guard");
  }

  /** Only the operator knows whether the source has handed it over. */
  @Test
  void guestThatIsKept_leavesItsJournal_untilItIsDecided() throws Exception {
    Path log = directory.resolve("guard.log");
    var journals = new Journals(directory.resolve(Journals.NAME));
    qemu.status("paused").migration("completed");
    DestinationGuard guard =
        new GuardProcesses(log)
            .guardDestination(
                qemu.guarded(),
                new GuardedSettings(Map.of("events", false), new JsonObject(), true));
    guard.loading();
    guard.kept();
    guard.close();
    assertThat(journals.left().journals())
        .singleElement()
        .satisfies(left -> assertThat(left.entry().before()).isEqualTo(GuardedSettings.NONE));
    var recovery = Recovery.of(log, _ -> OptionalLong.of(qemu.guarded().pid()));
    assertThat(recovery.recover(qemu.guarded().qmp(), null)).isEqualTo(Recovery.Result.UNDECIDED);
    assertThat(recovery.recover(qemu.guarded().qmp(), OtherEnd.GUEST_ENDED))
        .isEqualTo(Recovery.Result.RIGHT);
    assertThat(qemu.done()).containsExactly("cont");
    assertThat(journals.all().journals()).isEmpty();
  }

  /** An entry that one thread writes must not undo what another one has just noted. */
  @Test
  void notesOfSeveralThreads_areAllInTheJournal() throws Exception {
    SourceGuard guard =
        new GuardProcesses(directory.resolve("guard.log"))
            .guardSource(qemu.guarded(), new GuardedSettings(Map.of(), new JsonObject(), true));
    Journal journal = new Journals(directory.resolve(Journals.NAME)).all().journals().getFirst();
    try (var executor = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < 50; i++) {
        Path socket = directory.resolve("wridscope" + i + "/s");
        boolean stops = i % 2 == 0;
        Future<?> creating =
            executor.submit(() -> {
              guard.creating(socket);
              return null;
            });
        Future<?> pausing =
            executor.submit(() -> {
              if (stops) {
                guard.stopping();
              } else {
                guard.resumed();
              }
              return null;
            });
        creating.get();
        pausing.get();
        JournalEntry entry = Journal.open(journal.file()).entry();
        assertThat(entry.socket()).isEqualTo(socket);
        assertThat(entry.run()).isEqualTo(stops);
      }
    }
    guard.close();
  }

  @Test
  void takeOver_hasTheGuardDoWhatIsLeft() throws Exception {
    qemu.status("paused");
    List<ProcessHandle> before = children();
    SourceGuard guard =
        new GuardProcesses(directory.resolve("guard.log"))
            .guardSource(qemu.guarded(), new GuardedSettings(Map.of(), new JsonObject(), true));
    List<ProcessHandle> after = childrenSince(before);
    guard.stopping();
    guard.takeOver();
    guard.close();
    after.getFirst().onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    assertThat(qemu.status()).isEqualTo("running");
  }

  @Test
  void withoutTheQemu_thereIsNoGuard() throws Exception {
    GuardedQemu gone = qemu.guarded();
    qemu.kill();
    assertThatIOException()
        .isThrownBy(() ->
            new GuardProcesses(directory.resolve("guard.log"))
                .guardSource(gone, new GuardedSettings(Map.of(), new JsonObject(), true)))
        .withMessageContaining("has ended");
  }

  @Test
  void guardThatWasKilled_isNoticedAtTheNextNote() throws Exception {
    List<ProcessHandle> before = children();
    try (SourceGuard guard =
        new GuardProcesses(directory.resolve("guard.log"))
            .guardSource(qemu.guarded(), new GuardedSettings(Map.of(), new JsonObject(), true))) {
      List<ProcessHandle> after = childrenSince(before);
      after.getFirst().destroyForcibly();
      after.getFirst().onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThatIOException().isThrownBy(guard::handedOver).withMessageContaining("guard");
    }
    assertThat(qemu.done()).isEmpty();
  }

  @Test
  void processAheadOfNeed_becomesTheGuard() throws Exception {
    try (var guards = new GuardProcesses(directory.resolve("guard.log"))) {
      List<ProcessHandle> before = children();
      guards.ready(Role.SOURCE);
      guards.ready(Role.SOURCE);
      List<ProcessHandle> ahead = childrenSince(before);
      assertThat(ahead).hasSize(1);
      SourceGuard guard =
          guards.guardSource(qemu.guarded(), new GuardedSettings(Map.of(), new JsonObject(), true));
      List<ProcessHandle> after = childrenSince(before);
      assertThat(after).isEqualTo(ahead);
      guard.close();
      assertThat(ahead.getFirst().isAlive()).isFalse();
    }
  }

  @Test
  void processAheadOfNeed_isForTheNextQemu() throws Exception {
    try (var guards = new GuardProcesses(directory.resolve("guard.log"))) {
      List<ProcessHandle> before = children();
      guards.ready(Role.SOURCE);
      List<ProcessHandle> ahead = childrenSince(before);
      assertThat(ahead).hasSize(1);
      try (GuardProcesses first = guards.ofQemu();
          GuardProcesses second = guards.ofQemu()) {
        first.ready(Role.SOURCE);
        assertThat(childrenSince(before)).isEqualTo(ahead);
        second.ready(Role.SOURCE);
        assertThat(childrenSince(before)).hasSize(2);
      }
      ahead.getFirst().onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void processAheadOfNeed_ends_ifItIsNotUsed() throws Exception {
    var guards = new GuardProcesses(directory.resolve("guard.log"));
    List<ProcessHandle> before = children();
    guards.ready(Role.SOURCE);
    List<ProcessHandle> ahead = childrenSince(before);
    assertThat(ahead).hasSize(1);
    guards.close();
    ahead.getFirst().onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    assertThat(qemu.done()).isEmpty();
  }
}
