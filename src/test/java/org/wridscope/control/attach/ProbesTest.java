// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Session;
import org.wridscope.process.ProcessStatus;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;

/** Real probes on a real program, on a device that does not exist. */
@Slow("probes on programs, which are processes of their own")
@EnabledIf(
    value = "isPossible",
    disabledReason = "needs root, a kernel with uprobes and BPF, gcc and libibverbs-dev")
final class ProbesTest {
  /** How often a program is attached to; {@code lab/nightly} does it more often. */
  private static final int TIMES = Integer.getInteger("wridscope.attaches", 3);

  /** Hundreds of requests, several times as many as the buffer has room for. */
  private static final int TOO_MANY = 1000;

  @TempDir private static Path folder;

  private static ScriptedProgram scripted;
  private static List<Probe> places = List.of();

  static boolean isPossible() throws Exception {
    return ProcessStatus.isOfRoot(ProcessHandle.current().pid())
        && Files.exists(Path.of("/sys/bus/event_source/devices/uprobe/type"))
        && Files.exists(Path.of("/usr/include/infiniband/verbs.h"))
        && Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, "gcc")));
  }

  @BeforeAll
  static void compile() throws Exception {
    scripted = ScriptedProgram.compiled(folder);
    places = scripted.places();
  }

  /** Every field of every request and completion, of any length, refused anywhere. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void whatAProgramPostsAndPolls_isWhatItWrites(long seed) throws Exception {
    Path file = folder.resolve("log" + seed);
    List<Session> found = new CopyOnWriteArrayList<>();
    AttachTarget target = new AttachTarget.OfDevice(ScriptedProgram.DEVICE);
    Process program;
    try (var _ = Attachment.start(target, found::add, places, PeersBefore.NONE)) {
      program = scripted.start(file.toString(), seed, 400);
      program.getOutputStream().write('\n');
      program.getOutputStream().close();
      assertThat(program.waitFor()).isZero();
    }
    assertThat(found).hasSize(1);
    Session session = found.getFirst();
    assertThat(session.name()).isEqualTo("scripted " + program.pid());
    List<String> expected = Files.readAllLines(file);
    List<String> seen = lines(session);
    for (int i = 0; i < expected.size() && i < seen.size(); i++) {
      assertThat(seen.get(i)).as("line " + i).isEqualTo(expected.get(i));
    }
    assertThat(seen).hasSameSizeAs(expected);
    assertThat(new Requests(session.telemetry()).readAll().sends().peer(0))
        .isEqualTo("192.0.2.1:4444");
  }

  /** The process that is attached to is a shell, whose child posts. */
  @Test
  void childrenOfAProcess_areSessionsOfTheirOwn() throws Exception {
    Path file = folder.resolve("child");
    Process shell =
        new ProcessBuilder(
                "sh", "-c", "read go; " + scripted.shellCommand(file, 5, 50) + "; exit 7")
            .start();
    List<Session> found = new CopyOnWriteArrayList<>();
    try (var _ =
        Attachment.start(
            new AttachTarget.OfProcess(shell.pid(), null), found::add, places, PeersBefore.NONE)) {
      assertThat(found).hasSize(1);
      shell.getOutputStream().write("go\ngo\n".getBytes(StandardCharsets.UTF_8));
      shell.getOutputStream().flush();
      awaitSessions(found, 2);
      shell.getOutputStream().close();
      assertThat(shell.waitFor()).isEqualTo(7);
    }
    assertThat(found).hasSize(2);
    assertThat(lines(found.getFirst()))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("regions "),
            line -> assertThat(line).isEqualTo("unseen 5 0"));
    assertThat(found.getLast().name()).startsWith("scripted ");
    assertThat(lines(found.getLast())).isEqualTo(Files.readAllLines(file));
  }

  @Test
  void processesOfAName_areTaken_whenTheyBegin() throws Exception {
    Path file = folder.resolve("named");
    List<Session> found = new CopyOnWriteArrayList<>();
    try (var _ =
        Attachment.start(
            new AttachTarget.OfName("scripted"), found::add, places, PeersBefore.NONE)) {
      Process program = scripted.start(file.toString(), 6, 50);
      program.getOutputStream().write('\n');
      program.getOutputStream().flush();
      awaitSessions(found, 1);
      program.getOutputStream().close();
      assertThat(program.waitFor()).isZero();
    }
    assertThat(found).hasSize(1);
    assertThat(lines(found.getFirst())).isEqualTo(Files.readAllLines(file));
  }

  /** A process that ends within some milliseconds may be gone before its parents are known. */
  private static void awaitSessions(List<Session> found, int count) throws InterruptedException {
    var limit = new TimeLimit(Duration.ofSeconds(20));
    while (found.size() < count && limit.lasts()) {}
  }

  private static List<String> lines(Session session) {
    return KnownProgram.lines(
        session.telemetry().log().read(0, Integer.MAX_VALUE),
        event -> EventText.wait(event.detail(), session.telemetry()));
  }

  /** Another device of another program, and another process, are not looked at. */
  @Test
  void whatTheFilterLeavesOut_isNotSeen() throws Exception {
    Process program = scripted.start(folder.resolve("other").toString(), 4, 50);
    List<Session> found = new CopyOnWriteArrayList<>();
    try (var _ =
            Attachment.start(
                new AttachTarget.OfDevice("scripted01"), found::add, places, PeersBefore.NONE);
        var _ =
            Attachment.start(
                new AttachTarget.OfDevice("scripted"), found::add, places, PeersBefore.NONE)) {
      program.getOutputStream().close();
      program.waitFor();
    }
    assertThat(found).isEmpty();
  }

  /** A program at full speed: what is seen of it has neither a gap that is not told nor a shift. */
  @ParameterizedTest
  @ValueSource(ints = {1, 24})
  void attachingToAProgramThatRuns_manyTimes_neverMatchesWrongly(int depth) throws Exception {
    Process program = scripted.start("-", depth, 0);
    int before = 0;
    try {
      for (int i = 0; i < TIMES; i++) {
        before = attached(program.pid(), before, depth);
      }
    } finally {
      program.getOutputStream().close();
    }
    String posted = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat((int) Long.parseLong(posted.strip()) - before).isNotNegative();
  }

  /**
   * The lengths of its requests and completions are their numbers, of which the lower half is left.
   *
   * @return the last of them
   */
  private static int attached(long pid, int before, int depth) throws Exception {
    List<Session> found = new CopyOnWriteArrayList<>();
    final Requests requests;
    try (var attachment =
        Attachment.start(
            new AttachTarget.OfProcess(pid, null), found::add, places, PeersBefore.NONE)) {
      requests = new Requests(found.getFirst().telemetry());
      new TimeLimit().await("requests", () -> requests.readAll().sends().end() >= 1000);
      assertThat(attachment.late()).isZero();
    }
    WorkRequests sends = requests.readAll().sends();
    Map<Long, Integer> completed = new HashMap<>();
    for (Event event : found.getFirst().telemetry().log().read(0, Integer.MAX_VALUE)) {
      if (event.kind() == EventKind.PROGRAM_COMPLETION) {
        completed.put(event.number(), event.length());
      }
    }
    Set<Integer> numbers = Set.copyOf(completed.values());
    int last = before;
    long open = 0;
    for (long id = sends.first(); id < sends.end(); id++) {
      int number = sends.length(id);
      if (sends.isPostKnown(id)) {
        assertThat(number - last).isPositive();
        last = number;
      }
      if (sends.isOpen(id)) {
        open++;
        if (sends.knowsOpen()) {
          assertThat(numbers).as("request %d, without a completion", id).doesNotContain(number);
        }
      } else if (sends.isPostKnown(id)) {
        assertThat(completed.get(sends.endEvent(id))).as("request %d", id).isEqualTo(number);
      }
    }
    if (sends.knowsOpen() && requests.unseen().lost() + requests.missed() == 0) {
      assertThat(sends.unmatched()).isLessThanOrEqualTo(depth);
      assertThat(open).isLessThanOrEqualTo(2L * depth);
    }
    return last;
  }

  /** What is lost has no time: what was seen before and is told after it keeps its own. */
  @Test
  void whatIsSeen_hasItsTime_alsoIfSomethingIsLostMeanwhile() throws Exception {
    List<Session> found = new CopyOnWriteArrayList<>();
    var program = new CompletableFuture<Process>();
    AttachTarget target = new AttachTarget.OfDevice(ScriptedProgram.DEVICE);
    try (var _ =
        Attachment.start(
            target,
            session -> {
              found.add(session);
              // Nothing is read until it has ended.
              program.join().onExit().join();
            },
            places,
            PeersBefore.NONE)) {
      program.complete(scripted.start("-", 1, TOO_MANY));
      assertThat(program.join().waitFor()).isZero();
      awaitSessions(found, 1);
    }
    Requests requests = new Requests(found.getFirst().telemetry()).readAll();
    WorkRequests sends = requests.sends();
    assertThat(requests.unseen().lost()).isPositive();
    assertThat(requests.missed()).isZero();
    assertThat(sends.completions()).isGreaterThan(1000);
    for (long id = sends.first(); id < sends.end(); id++) {
      if (!sends.isOpen(id)) {
        assertThat(sends.endedNanos(id)).isGreaterThan(sends.postedNanos(id));
      }
    }
  }
}
