// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Endings;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** What a QEMU or libvirt printed without trace events, as people save and quote it. */
final class ConsoleLogTest {
  private static final String REFUSED_REGISTRATION =
      """
      qemu-system-x86_64: cannot get rkey
      qemu-system-x86_64: error while loading state section id 2(ram)
      qemu-system-x86_64: load of migration failed: Operation not permitted
      """;
  private static final String LOST_PEER =
      """
      qemu-system-x86_64: rdma migration: recv polling control error!
      qemu-system-x86_64: RDMA is in an error state waiting migration to abort!
      qemu-system-x86_64: failed to save SaveStateEntry with id(name): 2(ram): -1
      qemu-system-x86_64: Channel error: Operation not permitted
      """;

  @TempDir Path directory;

  /** A console, and what its session is to show. */
  record Console(
      String name, String text, Role role, String uri, MigrationStatus status, String says) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Console> consoles() {
    return Stream.of(
        new Console(
            "monitor on stdio, without the program's name",
            """
            QEMU 8.2.0 monitor - type 'help' for more information
            (qemu) migrate_set_capability rdma-pin-all on
            (qemu) migrate -d rdma:198.51.100.4:4444
            rdma migration: recv polling control error!
            RDMA is in an error state waiting migration to abort!
            (qemu) info migrate
            Migration status: failed
            """,
            Role.SOURCE,
            "rdma:198.51.100.4:4444",
            MigrationStatus.FAILED,
            "recv polling control error!"),
        new Console(
            "command of the monitor at a destination",
            """
            (qemu) migrate_incoming rdma:0.0.0.0:4444
            (qemu) qemu-kvm: rdma: Too many requests in this message (3638950032).Bailing.
            qemu-kvm: error while loading state section id 2(ram)
            qemu-kvm: load of migration failed: Operation not permitted
            """,
            Role.DESTINATION,
            "rdma:0.0.0.0:4444",
            MigrationStatus.FAILED,
            "Too many requests"),
        new Console(
            "quoted in a mail, indented",
            REFUSED_REGISTRATION.replaceAll("(?m)^", "> > "),
            Role.DESTINATION,
            "rdma:",
            MigrationStatus.FAILED,
            "cannot get rkey"),
        new Console(
            "journald",
            REFUSED_REGISTRATION.replaceAll("(?m)^", "Mar 04 10:11:12 host-b qemu-kvm[4711]: "),
            Role.DESTINATION,
            "rdma:",
            MigrationStatus.FAILED,
            "cannot get rkey"),
        new Console(
            "sentences that only a source prints",
            LOST_PEER,
            Role.SOURCE,
            "rdma:",
            MigrationStatus.FAILED,
            "recv polling control error!"),
        new Console(
            "a command line without -incoming",
            """
            $ sudo qemu-system-aarch64 -M virt -m 4G -qmp stdio
            {"execute": "migrate", "arguments": {"uri": "rdma:[fe80::1%eth0]:7777"}}
            qemu-system-aarch64: RDMA ERROR: Error: could not rdma_getaddrinfo address fe80::1
            """,
            Role.SOURCE,
            "rdma:[fe80::1%eth0]:7777",
            MigrationStatus.FAILED,
            "could not rdma_getaddrinfo"),
        new Console(
            "libvirt, the last start of three, whose command line has no -incoming",
            """
            2026-02-01 08:00:00.000+0000: starting up libvirt version: 10.0.0, hostname: host-a
            /usr/bin/qemu-system-x86_64 \\
            -incoming rdma:0.0.0.0:49152 \\
            2026-02-01T08:00:01.000000Z qemu-system-x86_64: cannot get rkey
            2026-02-01T08:00:01.100000Z qemu-system-x86_64: load of migration failed: Operation not permitted
            2026-02-01 08:00:02.000+0000: shutting down, reason=failed
            2026-02-01 09:00:00.000+0000: starting up libvirt version: 10.0.0, hostname: host-a
            /usr/bin/qemu-system-x86_64 \\
            -m size=2097152k \\
            2026-02-01T09:30:00.000000Z qemu-system-x86_64: Failed to register local dest ram block!: Cannot allocate memory
            2026-02-01T09:30:00.200000Z qemu-system-x86_64: RDMA is in an error state waiting migration to abort!
            2026-02-01T10:00:00.000000Z qemu-system-x86_64: terminating on signal 15 from pid 812 (/usr/sbin/libvirtd)
            2026-02-01 10:00:00.200+0000: shutting down, reason=destroyed
            2026-02-01 11:00:00.000+0000: starting up libvirt version: 10.0.0, hostname: host-a
            /usr/bin/qemu-system-x86_64 \\
            -m size=2097152k \\
            """,
            Role.SOURCE,
            "rdma:",
            MigrationStatus.FAILED,
            "Failed to register local dest ram block!"),
        new Console(
            "libvirt, a migration that completed",
            """
            2026-02-01 09:00:00.000+0000: starting up libvirt version: 10.0.0, hostname: host-a
            /usr/bin/qemu-system-x86_64 -name guest=vm1 -msg timestamp=on
            source_resolve_host RDMA Device opened: kernel name rxe0 uverbs device name uverbs0, infiniband_verbs class device path /sys/class/infiniband_verbs/uverbs0, infiniband class device path /sys/class/infiniband/rxe0, transport: (2) Ethernet
            2026-02-01T09:20:00.000000Z qemu-system-x86_64: terminating on signal 15 from pid 812 (/usr/sbin/libvirtd)
            2026-02-01 09:20:00.200+0000: shutting down, reason=migrated
            """,
            Role.SOURCE,
            "rdma:",
            MigrationStatus.COMPLETED,
            "QEMU reports: completed."),
        new Console(
            "a sentence of QEMU that is not known, before the general ones",
            """
            $ qemu-system-x86_64 -incoming rdma:192.0.2.1:9000
            qemu-system-x86_64: rdma: the frobnicator failed
            qemu-system-x86_64: load of migration failed: Input/output error
            """,
            Role.DESTINATION,
            "rdma:192.0.2.1:9000",
            MigrationStatus.FAILED,
            "the frobnicator failed"));
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("console.log"), text);
  }

  private static Explanation explained(RecordedMigration migration) {
    Ending ending = Endings.of(migration.source(), migration.destination());
    return Explainer.explain(
        requests(migration.source()), requests(migration.destination()), 0, ending);
  }

  private static @Nullable Requests requests(@Nullable RecordedSession session) {
    return session == null ? null : new Requests(session.telemetry()).readAll();
  }

  @ParameterizedTest
  @MethodSource("consoles")
  void console_opensAsASession(Console console) throws Exception {
    try (Recording recording = Recording.open("file", file(console.text))) {
      RecordedSession session = recording.sessions().getFirst();
      assertThat(recording.sessions()).hasSize(1);
      assertThat(session.role()).isEqualTo(console.role);
      assertThat(session.uri()).isEqualTo(console.uri);
      assertThat(session.status()).isEqualTo(console.status);
      assertThat(session.outcome()).contains(console.says);
      assertThat(recording.notes()).anyMatch(note -> note.contains("without trace events"));
    }
  }

  @Test
  void explanation_isThatOfTheFirstError() throws Exception {
    try (Recording recording = Recording.open("file", file(LOST_PEER + "(qemu) \n"))) {
      RecordedSession source = recording.sessions().getFirst();
      var migration = new RecordedMigration(source, null, List.of(recording));
      assertThat(explained(migration).state()).isEqualTo(Explanation.State.FAILED);
      assertThat(explained(migration).summary()).contains("waited for a control message");
      assertThat(explained(migration).remedy()).contains("The first error in the other end's log");
    }
  }

  @Test
  void times_areThoseBeforeTheLines() throws Exception {
    try (Recording recording =
        Recording.open(
            "file",
            file(
                """
                2026-05-06 09:20:11.500+0200: starting up libvirt version: 9.0.0, hostname: host-b
                /usr/bin/qemu-system-x86_64 -incoming rdma:[::]:8089
                2026-05-06T07:20:12.000000Z qemu-system-x86_64: -incoming rdma:[::]:8089: RDMA ERROR: Error: could not rdma_bind_addr
                """))) {
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.start()).isEqualTo(Instant.parse("2026-05-06T07:20:11.5Z"));
      assertThat(session.lastNanos() - session.firstNanos()).isEqualTo(500_000_000);
    }
  }

  // --------------------------------------------------------------------------- consoles of others

  /** Consoles that somebody wrote who had not seen this program, from QEMU's sources. */
  static Stream<String> consolesOfOthers() throws IOException {
    try (InputStream in = ConsoleLogTest.class.getResourceAsStream("consoles/expected.tsv")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines().filter(row -> !row.startsWith("#")).toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("consolesOfOthers")
  void consoleOfOthers_saysWhatIsKnown_andNoMore(String row) throws Exception {
    String[] want = row.split("\t", -1);
    Path file = directory.resolve(want[0]);
    try (InputStream in = ConsoleLogTest.class.getResourceAsStream("consoles/" + want[0])) {
      Files.write(file, Objects.requireNonNull(in, want[0]).readAllBytes());
    }
    String cause =
        want[4].equals("-") ? "" : QemuConsole.withoutPrompt(QemuConsole.message(want[4]));
    if (want[6].equals("no")) {
      assertThatThrownBy(() -> Recording.open("file", file))
          .isInstanceOf(RecordingException.class)
          .hasMessageContaining("shows no migration over RDMA")
          .hasMessageContaining(cause);
      return;
    }
    try (Recording recording = Recording.open("file", file)) {
      List<RecordedSession> sessions = recording.sessions();
      assertThat(sessions.stream().map(session -> session.role().text()))
          .containsExactlyElementsOf(
              want[1].equals("both") ? List.of("source", "destination") : List.of(want[1]));
      assertThat(sessions)
          .anyMatch(
              session -> session.uri().equals("rdma:" + (want[2].equals("-") ? "" : want[2])));
      assertThat(sessions)
          .anyMatch(session ->
              session
                  .device()
                  .equals(want[3].equals("-") ? QemuLogImporter.UNNAMED_DEVICE : want[3]));
      assertThat(sessions)
          .allMatch(session ->
              switch (want[5]) {
                case "no" -> session.status() == MigrationStatus.FAILED;
                case "yes" -> session.status() == MigrationStatus.COMPLETED;
                default -> !session.status().isEnd();
              });
      assertThat(sessions).anyMatch(session -> String.valueOf(session.outcome()).contains(cause));
    }
  }

  // ------------------------------------------------------------------------------------ both ends

  /**
   * Ways to quote both consoles: the destination's is refused registration, the source's follows.
   */
  static Stream<String> both() {
    return Stream.of(
        REFUSED_REGISTRATION + LOST_PEER,
        LOST_PEER + REFUSED_REGISTRATION,
        "Source side:\n"
            + LOST_PEER
            + "\nand on the other host\n\nDestination side:\n"
            + REFUSED_REGISTRATION,
        "## dst log\n" + REFUSED_REGISTRATION + "\n## src log\n" + LOST_PEER,
        "> # qemu-system-x86_64 -incoming rdma:192.0.2.7:8888\n"
            + REFUSED_REGISTRATION.replaceAll("(?m)^", "> ")
            + "> # qemu-system-x86_64 -m 2G\n> (qemu) migrate -d rdma:192.0.2.7:8888\n"
            + LOST_PEER.replaceAll("(?m)^", "> "),
        interleaved());
  }

  /** One journal of two hosts. */
  private static String interleaved() {
    var lines = new ArrayList<String>();
    List<String> there =
        REFUSED_REGISTRATION.lines().map(line -> "Mar 04 10:11:12 b qemu[12]: " + line).toList();
    List<String> here =
        LOST_PEER.lines().map(line -> "Mar 04 10:11:12 a qemu[7]: " + line).toList();
    for (int i = 0; i < here.size(); i++) {
      lines.add(here.get(i));
      if (i < there.size()) {
        lines.add(there.get(i));
      }
    }
    return String.join("\n", lines);
  }

  @ParameterizedTest
  @MethodSource("both")
  void bothConsolesInOneText_areBothEnds(String text) throws Exception {
    try (Recording recording = Recording.open("file", file(text))) {
      RecordedMigration migration =
          RecordedMigration.find(List.of(recording), new ArrayList<>()).getFirst();
      assertThat(migration.source()).isNotNull();
      assertThat(migration.destination()).isNotNull();
      assertThat(migration.source().outcome()).contains("recv polling control error!");
      assertThat(migration.destination().outcome()).contains("cannot get rkey");
      assertThat(explained(migration).headline())
          .startsWith("The destination says: QEMU said: ")
          .contains("cannot get rkey");
      assertThat(explained(migration).summary())
          .startsWith("The destination could not register the memory of a chunk");
    }
  }

  @Test
  void mixedLinesOfBothEnds_areRefused_withAWayToDivideThem() throws Exception {
    Path file =
        file(
            """
            qemu-system-x86_64: failed to save SaveStateEntry with id(name): 2(ram): -1
            qemu-system-x86_64: cannot get rkey
            qemu-system-x86_64: RDMA is in an error state waiting migration to abort!
            qemu-system-x86_64: rdma migration: write error! -22
            qemu-system-x86_64: error while loading state section id 2(ram)
            """);
    assertThatThrownBy(() -> Recording.open("file", file))
        .isInstanceOf(RecordingException.class)
        .hasMessageContaining("cannot be told apart")
        .hasMessageContaining("\"source:\"");
  }

  /** A line without a time has that of the event before it, and follows it. */
  @Test
  void explanation_tellsWhatHappenedAtOneTime_inTheOrderOfTheLog() throws Exception {
    Path file =
        file(
            """
            100@1700000000.100000:rdma_start_outgoing_migration_after_rdma_connect
            100@1700000000.200000:qemu_rdma_post_send_control CONTROL: sending RAM BLOCKS REQUEST..
            rdma migration: recv polling control error!
            """);
    try (Recording recording = Recording.open("file", file)) {
      RecordedMigration migration =
          RecordedMigration.find(List.of(recording), new ArrayList<>()).getFirst();
      assertThat(explained(migration).steps())
          .extracting(Explanation.Step::text)
          .containsExactly(
              "The source starts to wait for its SEND to complete.",
              "The source changes to status failed.");
    }
  }

  // ------------------------------------------------------------------------------------- not known

  @Test
  void consoleOfNoEnd_saysWhatItSays_andOpensAsWhatSomebodyNames() throws Exception {
    Path file = file("rdma migration: recv polling control error!\n");
    assertThatThrownBy(() -> Recording.open("file", file))
        .isInstanceOf(UnknownEndException.class)
        .hasMessageContaining("do not show whether it is the source or the destination")
        .hasMessageContaining("QEMU waited for a control message of the other end");
    try (Recording recording = Recording.open("file", file, Role.DESTINATION)) {
      assertThat(recording.sessions().getFirst().role()).isEqualTo(Role.DESTINATION);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "qemu-system-x86_64: load of migration failed: Input/output error\n",
        """
        $ qemu-system-x86_64 -incoming tcp:0:4444
        qemu-system-x86_64: Size mismatch: pc.ram: 0x4000000 != 0x3000000: Invalid argument
        """
      })
  void consoleWithoutRdma_isRefused_withWhatItSays(String text) throws Exception {
    Path file = file(text);
    assertThatThrownBy(() -> Recording.open("file", file))
        .isInstanceOf(RecordingException.class)
        .hasMessageContaining("shows no migration over RDMA")
        .hasMessageContaining("It says: ");
  }

  @Test
  void prose_isNoConsole() throws Exception {
    Path file =
        file("We migrate guests over RDMA.\nSource:\nIt failed with an error, and I lost it.\n");
    assertThatThrownBy(() -> Recording.open("file", file))
        .isInstanceOf(RecordingException.class)
        .hasMessageContaining("neither a recording nor");
  }

  // ----------------------------------------------------------------------------------------
  // watched

  @Test
  void followedConsole_hasFailed_onceNothingFollowsItsError() throws Exception {
    var recognition = new LogRecognition();
    REFUSED_REGISTRATION.lines().forEach(recognition::add);
    assertThat(recognition.end()).isEqualTo(Role.DESTINATION);
    LiveImport live = LiveImport.ofLog(Role.DESTINATION, recognition, 0);
    for (String line : REFUSED_REGISTRATION.lines().toList()) {
      live.add(line, 1);
    }
    live.show(2);
    assertThat(live.telemetry().status()).isNotEqualTo(MigrationStatus.FAILED);
    live.conclude();
    live.show(3);
    assertThat(live.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
    live.finish(4);
    assertThat(live.outcome()).contains("cannot get rkey");
  }
}
