// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.Signals;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;

/** A process goes on as before, whatever it does while it is asked for a userfaultfd. */
@Slow("it stops processes of their own at each system call")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
final class UserfaultInjectionTest {
  private static final int TIMES = 20;

  /** Waits in poll(2) for standard input. */
  private static final String POLL =
      "$p = IO::Poll->new; $p->mask(*STDIN => POLLIN); $p->poll(1000)";

  @TempDir private Path directory;

  /** Each with the number of the system call in which it waits, on x86-64 and on aarch64. */
  static Stream<Arguments> programs() {
    return Stream.of(
        waiting(0, 63, "cat"),
        waiting(230, 115, "sleep", "1000"),
        waiting(130, 133, "sh", "-c", "sleep 1000 & wait"),
        waiting(61, 260, "perl", "-e", "fork ? wait : sleep 1000"),
        Arguments.of("running", List.of("sh", "-c", "echo computing; while :; do :; done")),
        waiting(7, 73, "perl", "-MIO::Poll=POLLIN", "-e", POLL),
        waiting(270, 72, "perl", "-e", "select undef, undef, undef, 1000"));
  }

  private static Arguments waiting(int x86, int aarch64, String... command) {
    return Arguments.of(Integer.toString(SystemCall.X86_64 ? x86 : aarch64), List.of(command));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void program_isAskedManyTimes_andIsAsBefore(String call, List<String> command) throws Exception {
    try (Target target = Target.program(command.toArray(String[]::new))) {
      if (call.equals("running")) {
        assertThat(target.line()).isEqualTo("computing");
      }
      new TimeLimit().await("the process", () -> isIn(target.pid(), call));
      Set<String> before = target.descriptors();
      for (int i = 0; i < TIMES; i++) {
        askOnce(target.pid());
      }
      new TimeLimit().await("the process", () -> isIn(target.pid(), call));
      assertThat(target.isTraced()).isFalse();
      assertThat(target.descriptors()).isEqualTo(before);
      if (command.getFirst().equals("cat")) {
        assertThat(target.execute("still there")).isEqualTo("still there");
      }
    }
  }

  /** Whether a process is in a system call; one that was started again is restart_syscall(2). */
  private static boolean isIn(long pid, String call) throws IOException {
    String now = Files.readString(Path.of("/proc/" + pid + "/syscall")).strip().split(" ", 2)[0];
    return now.equals(call) || now.equals(SystemCall.X86_64 ? "219" : "128");
  }

  private static void askOnce(long pid) throws IOException {
    int opened = UserfaultInjection.open(pid);
    assertThat(Files.readSymbolicLink(Path.of("/proc/%d/fd/%d".formatted(pid, opened))).toString())
        .contains("userfaultfd");
    UserfaultInjection.close(pid, opened);
  }

  @Test
  void eachThread_isAskedManyTimes_andEveryWaitEndsAsItShould() throws Exception {
    try (Target target = Target.java(WaitingMain.class)) {
      assertThat(target.line()).isEqualTo("waiting");
      Set<String> before = target.descriptors();
      List<String> names = List.of("futex", "read", "poll", "accept", "epoll", "compute");
      for (String name : names) {
        long thread = thread(target.pid(), "t-" + name);
        for (int i = 0; i < TIMES; i++) {
          long opened =
              UserfaultInjection.inThread(
                  target.pid(), thread, SystemCall.USERFAULTFD, UserfaultInjection.FLAGS);
          UserfaultInjection.close(target.pid(), (int) opened);
        }
      }
      assertThat(target.descriptors()).isEqualTo(before);
      target.write("");
      assertThat(List.of(target.line(), target.line(), target.line()))
          .containsExactly("futex taken", "read read 3", "poll accepted");
      assertThat(List.of(target.line(), target.line(), target.line()))
          .containsExactly("accept accepted", "epoll selected 0", "compute right");
    }
  }

  /** Waits for a thread, which names itself a moment after it was started. */
  private static long thread(long pid, String name) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (System.nanoTime() < end) {
      try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
        for (Path thread : threads.toList()) {
          if (Files.readString(thread.resolve("comm")).strip().equals(name)) {
            return Long.parseLong(thread.getFileName().toString());
          }
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    throw new AssertionError("no thread " + name);
  }

  @Test
  void signalsThatArriveMeanwhile_reachTheProgram() throws Exception {
    assertSignalsAreToldOfEach(
        "$SIG{USR1} = sub { syswrite STDOUT, qq(signal\\n) }; syswrite STDOUT, qq(ready\\n);"
            // A signal that comes just before the call is handled after it.
            + " sleep 1 while 1");
  }

  /** The handler says nothing: only the end of the call does. */
  @Test
  void aSignalThatArrivesMeanwhile_endsTheCallThatWaitsForIt() throws Exception {
    assertSignalsAreToldOfEach(
        "use POSIX; $SIG{USR1} = sub { }; sigprocmask SIG_BLOCK, POSIX::SigSet->new(SIGUSR1);"
            + " syswrite STDOUT, qq(ready\\n);"
            + " while (1) { sigsuspend(POSIX::SigSet->new); syswrite STDOUT, qq(signal\\n) }");
  }

  private static void assertSignalsAreToldOfEach(String program) throws Exception {
    try (Target target = Target.program("perl", "-e", program)) {
      assertThat(target.line()).isEqualTo("ready");
      AtomicBoolean end = new AtomicBoolean();
      CompletableFuture<Void> asking =
          CompletableFuture.runAsync(() -> {
            while (!end.get()) {
              try {
                askOnce(target.pid());
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            }
          });
      try {
        for (int i = 0; i < TIMES; i++) {
          kill("USR1", target.pid());
          assertThat(target.line()).isEqualTo("signal");
        }
      } finally {
        end.set(true);
      }
      asking.get(60, TimeUnit.SECONDS);
      assertThat(target.isTraced()).isFalse();
    }
  }

  @Test
  void aProcessThatIsStopped_isAsked_andStaysStopped() throws Exception {
    try (Target target = Target.program("cat")) {
      kill("STOP", target.pid());
      new TimeLimit().await("the process", () -> state(target.pid()).startsWith("T"));
      askOnce(target.pid());
      new TimeLimit().await("the process", () -> state(target.pid()).startsWith("T (stopped)"));
      kill("CONT", target.pid());
      assertThat(target.execute("again")).isEqualTo("again");
    }
  }

  @Test
  void aProcessThatIsStoppedAndContinued_isAskedMeanwhile_andGoesOn() throws Exception {
    try (Target target = Target.program("cat")) {
      // It opens files for a moment when it starts.
      assertThat(target.execute("here")).isEqualTo("here");
      Set<String> before = target.descriptors();
      AtomicBoolean end = new AtomicBoolean();
      CompletableFuture<Void> stopping =
          CompletableFuture.runAsync(() -> {
            while (!end.get()) {
              kill("STOP", target.pid());
              kill("CONT", target.pid());
            }
          });
      try {
        for (int i = 0; i < TIMES; i++) {
          askOnce(target.pid());
        }
      } finally {
        end.set(true);
      }
      stopping.get(60, TimeUnit.SECONDS);
      assertThat(target.execute("again")).isEqualTo("again");
      assertThat(target.descriptors()).isEqualTo(before);
    }
  }

  private static String state(long pid) {
    return ProcessStatus.value(Path.of("/proc/" + pid + "/status"), "State").orElse("");
  }

  private static void kill(String signal, long pid) {
    try {
      boolean _ = Signals.send(signal, pid);
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aProcessThatIsTraced_isLeftAlone_andTheReasonNamesTheTracer() throws Exception {
    try (Target target = Target.program("cat")) {
      CompletableFuture<Void> refused = new CompletableFuture<>();
      // The kernel releases what a thread traces when it ends.
      Thread tracer =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  long seize = 0x4206;
                  var _ = SystemCall.PTRACE.call(seize, target.pid());
                  assertThatThrownBy(() -> UserfaultInjection.open(target.pid()))
                      .isInstanceOf(IOException.class)
                      .hasMessage(
                          "process %d is traced by process %d, a debugger or strace; end that"
                              + " first.",
                          target.pid(), ProcessHandle.current().pid());
                  refused.complete(null);
                } catch (Throwable e) {
                  refused.completeExceptionally(e);
                }
              });
      refused.get(60, TimeUnit.SECONDS);
      tracer.join();
      // A thread of Java ends a moment before that of the kernel.
      new TimeLimit().await("the process", () -> !target.isTraced());
      askOnce(target.pid());
      assertThat(target.execute("again")).isEqualTo("again");
    }
  }

  @Test
  void prepare_leavesThisProcessAlone() {
    UserfaultInjection.prepare();
    assertThat(ProcessStatus.number(ProcessHandle.current().pid(), "TracerPid")).contains(0L);
  }

  @Test
  void aChildOfThisProcess_isRefused() throws Exception {
    Process child = new ProcessBuilder("cat").start();
    try {
      assertThatThrownBy(() -> UserfaultInjection.open(child.pid()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("child of this process");
      assertThat(child.isAlive()).isTrue();
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void noSuchProcess_saysSo() {
    assertThatThrownBy(() -> UserfaultInjection.open(1L << 40))
        .isInstanceOf(IOException.class)
        .hasMessage("there is no process 1099511627776.");
  }

  @Test
  void close_ofAnotherDescriptor_isRefused() throws Exception {
    try (Target target = Target.program("cat")) {
      for (int descriptor : new int[] {0, 12345}) {
        assertThatThrownBy(() -> UserfaultInjection.close(target.pid(), descriptor))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("is not a userfaultfd");
      }
      assertThatThrownBy(() -> Descriptor.take(target.pid(), 12345))
          .isInstanceOf(IOException.class)
          .hasMessage("process %d has no descriptor 12345.", target.pid());
      assertThat(target.execute("again")).isEqualTo("again");
    }
  }

  @Test
  void aTrackerThatIsKilled_leavesNothing() throws Exception {
    Machine.assumeUserfaultfd();
    Path file = directory.resolve("ram");
    try (var content = new RandomAccessFile(file.toFile(), "rw")) {
      content.setLength(1 << 20);
    }
    try (Target target = Target.mapping(file)) {
      Set<String> before = target.descriptors();
      try (Target tracking =
          Target.java(TrackingMain.class, Long.toString(target.pid()), file.toString())) {
        assertThat(tracking.line()).isEqualTo("tracking");
        assertThat(target.hasUserfault()).isTrue();
        assertThat(target.execute("storm 1")).isEqualTo("ok");
      }
      new TimeLimit().await("the process", () -> !target.hasUserfault());
      assertThat(target.isTraced()).isFalse();
      assertThat(target.descriptors()).isEqualTo(before);
      assertThat(Long.parseLong(target.execute("calm"))).isPositive();
    }
  }
}
