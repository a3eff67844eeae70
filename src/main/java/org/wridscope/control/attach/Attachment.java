// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.attach.TraceLine.Kind;
import org.wridscope.process.ProcessStatus;

/**
 * Shows the work requests of programs that are not ours, by probes on the functions through which
 * they post and poll. Each program is a session. The programs are not changed; while the probes are
 * in place, each post and each poll takes longer, in every process that uses the same library.
 *
 * <p>Not seen: completions through {@code ibv_start_poll}, programs that write to the device
 * without libibverbs, and programs that have another copy of the provider's library, for example in
 * a container.
 */
public final class Attachment implements AutoCloseable {
  /** How many programs are shown; those after them are counted. */
  public static final int MAX_PROGRAMS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(Attachment.class);

  /** An emulated machine that is busy takes minutes to compile and place the probes. */
  private static final Duration START = Duration.ofMinutes(5);

  /** Time limit for what bpftrace has seen and not printed yet when the attachment ends. */
  private static final Duration LAST_EVENTS = Duration.ofSeconds(10);

  /** A process without a name. */
  private static final String UNNAMED = "process";

  private static final Path UPTIME = Path.of("/proc/uptime");

  private final AttachTarget target;
  private final Consumer<Session> found;
  private final ProbeTool tool;
  private final Tracer tracer;
  private final TimeOrder order = new TimeOrder(this::take, Attachment::isOnline);
  private final Map<Long, AttachedProgram> programs = new LinkedHashMap<>();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Completes when nothing more will be seen: the process has ended, or the tracer has. */
  private final CompletableFuture<?> over;

  private final Thread reader;
  private long shift;

  /** When the probes began to see, before all that they saw; before {@link #begun}. */
  private long begunNanos;

  /** When all of the probes were in place. */
  private long placedNanos;

  /** The processes of that time; of others everything was seen. */
  private final Set<Long> running = new HashSet<>();

  private long lost;
  private final AtomicLong notShown = new AtomicLong();
  private volatile boolean stopping;

  /**
   * All that happened before this time has been read, on the clock of {@link System#nanoTime()}.
   */
  private long readUntil = Long.MIN_VALUE;

  /** Whether the attachment ended before all that had happened was read. */
  private boolean incomplete;

  private CallCost cost = new CallCost(0, 0);

  /** Why the reader's thread gave up, a sentence; of that thread. */
  private @Nullable String defect;

  /** Addresses of the peers of connections that exist already, by process and queue pair. */
  private final Map<Long, Map<Integer, String>> connections;

  private Attachment(
      AttachTarget target,
      Consumer<Session> found,
      ProbeTool tool,
      Tracer tracer,
      Map<Long, Map<Integer, String>> connections) {
    this.target = target;
    this.found = found;
    this.tool = tool;
    this.tracer = tracer;
    this.connections = connections;
    over = CompletableFuture.anyOf(endOf(target), ended);
    reader = Thread.ofPlatform().daemon().name("attach").unstarted(this::read);
  }

  /** Completes at the end of a single process; several are awaited forever. */
  private static CompletableFuture<?> endOf(AttachTarget target) {
    if (!(target instanceof AttachTarget.OfProcess(long pid, _))) {
      return new CompletableFuture<>();
    }
    return ProcessHandle.of(pid)
        .<CompletableFuture<?>>map(ProcessHandle::onExit)
        .orElse(CompletableFuture.completedFuture(null));
  }

  /** Attaches by bpftrace if it is installed, otherwise by the kernel alone. */
  public static Attachment start(AttachTarget target, Consumer<Session> found)
      throws IOException, InterruptedException {
    return start(target, ProbeTool.installed(), found);
  }

  /**
   * Attaches. When this returns, every probe is in place.
   *
   * @param found receives each program when it is first seen, on a thread of the attachment
   * @throws IOException if that is not possible; one sentence that says what to do
   */
  public static Attachment start(AttachTarget target, ProbeTool tool, Consumer<Session> found)
      throws IOException, InterruptedException {
    if (!ProcessStatus.isOfRoot(ProcessHandle.current().pid())) {
      throw new IOException(
          "Attaching to a program needs root, because probes see every process; use sudo.");
    }
    if (target instanceof AttachTarget.OfProcess(long pid, _)
        && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
      throw new IOException("There is no process %d.".formatted(pid));
    }
    TracingInstance.removeLeftover();
    try (PollTimer timer = PollTimer.open(target.device())) {
      return start(target, tool, found, timer);
    }
  }

  private static Attachment start(
      AttachTarget target, ProbeTool tool, Consumer<Session> found, PollTimer timer)
      throws IOException, InterruptedException {
    Map<Long, Map<Integer, String>> connections = connections();
    long without = timer.nanos();
    Set<Probe.Placed> places = Probe.find(target.device());
    List<Probe> probes = places.stream().map(Probe.Placed::probe).distinct().toList();
    Tracer tracer = tool.start(probes, target.filter());
    var attachment = new Attachment(target, found, tool, tracer, connections);
    boolean done = false;
    try {
      attachment.begin(places);
      attachment.cost = new CallCost(without, timer.nanos());
      done = true;
      return attachment;
    } finally {
      if (!done) {
        attachment.close();
      }
    }
  }

  /** Without the program rdma, only the peers of later connections are known. */
  private static Map<Long, Map<Integer, String>> connections() throws InterruptedException {
    try {
      return PeerAddress.ofConnections();
    } catch (IOException e) {
      LOG.info("the peers of existing connections are not known: {}", e.getMessage());
      return Map.of();
    }
  }

  /**
   * Waits until all probes are in place. bpftrace prints nothing, not even what BEGIN has printed,
   * before it has placed all of them; the kernel does so at once. This process looks at its own
   * copy of the functions, too.
   */
  private void begin(Set<Probe.Placed> places) throws IOException, InterruptedException {
    reader.start();
    if (!begun.await(START.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException(
          "%s has not placed its probes within %d minutes: %s."
              .formatted(tool.subject(), START.toMinutes(), tracer.reason()));
    }
    if (ended.isDone()) {
      throw new IOException(ending());
    }
    for (Probe.Placed place : places) {
      if (!place.isThere()) {
        Probe probe = place.probe();
        throw new IOException(
            "%s has placed no probe on %s at 0x%x of %s; another process may be replacing"
                    .formatted(tool.subject(), probe.verb(), probe.offset(), probe.library())
                + " the library. Try again.");
      }
    }
    if (target instanceof AttachTarget.OfProcess(long pid, _)) {
      program(pid, UNNAMED, begunNanos);
    }
  }

  private String ending() {
    return "%s ended: %s.".formatted(tool.subject(), tracer.reason());
  }

  // ---- for the reader's thread

  private void read() {
    try {
      TraceLine line;
      while ((line = tracer.next()) != null) {
        line(line);
      }
      order.end();
    } catch (IOException | RuntimeException e) {
      LOG.error("the output of {} cannot be read", tool.subject(), e);
      defect = "The output of %s could not be read (%s).".formatted(tool.subject(), e.getMessage());
      tracer.stop();
    } finally {
      end();
      ended.complete(null);
      begun.countDown();
    }
  }

  private void line(TraceLine line) {
    switch (line.kind()) {
      case LOST -> lost(line.integer(1));
      case BEGIN -> {
        shift = shift(line.nanos(), System.nanoTime(), uptimeNanos());
        begunNanos = line.nanos() + shift;
        // The kernel's mark comes last; bpftrace prints that of its beginning when all are placed.
        placedNanos = tool == ProbeTool.UPROBES ? begunNanos : System.nanoTime();
        ProcessHandle.allProcesses().forEach(process -> running.add(process.pid()));
        begun.countDown();
      }
      case BEAT -> {
        order.add(line);
        readUntil(order.readUntil() + shift);
      }
      default -> order.add(line);
    }
  }

  private synchronized void readUntil(long nanos) {
    readUntil = nanos;
    notifyAll();
  }

  /**
   * What to add to bpftrace's times. It counts from the start of the machine, and some versions
   * include the time during which it was suspended, which {@link System#nanoTime()} does not.
   */
  static long shift(long bpftraceNanos, long nanos, Optional<Long> uptimeNanos) {
    long suspended = uptimeNanos.map(uptime -> uptime - nanos).orElse(0L);
    boolean includes =
        Math.abs(bpftraceNanos - suspended - nanos) < Math.abs(bpftraceNanos - nanos);
    return includes ? -suspended : 0;
  }

  /** The time since the start of the machine, including suspension; in steps of 10 ms. */
  private static Optional<Long> uptimeNanos() {
    try {
      String seconds = Files.readString(UPTIME, StandardCharsets.US_ASCII).split(" ", 2)[0];
      return Optional.of((long) (Double.parseDouble(seconds) * 1e9));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Whether a processor is in use; what one has seen that is not has been read long ago. */
  private static boolean isOnline(long processor) {
    Path folder = Path.of("/sys/devices/system/cpu/cpu" + processor);
    try {
      return Files.readString(folder.resolve("online"), StandardCharsets.US_ASCII).startsWith("1");
    } catch (IOException e) {
      // One that cannot be taken offline has no such file.
      return Files.isDirectory(folder);
    }
  }

  private void take(TraceLine line) {
    long nanos = line.nanos() + shift;
    String name = line.kind() == Kind.NAME ? line.text() : UNNAMED;
    AttachedProgram program = program(line.pid(), name, nanos);
    if (program == null) {
      notShown.incrementAndGet();
    } else if (nanos < placedNanos) {
      program.early(line, nanos);
    } else {
      program.take(line, nanos);
    }
  }

  /**
   * @param told its name, in case that it has ended and nobody else knows it any more
   */
  private synchronized @Nullable AttachedProgram program(long pid, String told, long nanos) {
    AttachedProgram known = programs.get(pid);
    if (known != null || programs.size() == MAX_PROGRAMS) {
      return known;
    }
    String device = target.device();
    String name =
        target instanceof AttachTarget.OfProcess(_, String given) && given != null
            ? given
            : AttachedProgram.command(pid, told);
    var program =
        new AttachedProgram(
            pid,
            name,
            device == null ? "every RDMA device" : device,
            connections.getOrDefault(pid, Map.of()));
    program.leaveBy(this::close);
    boolean isPaused = target instanceof AttachTarget.OfProcess(_, String given) && given != null;
    if (!isPaused && running.contains(pid)) {
      program.begunBefore();
    }
    programs.put(pid, program);
    if (tool == ProbeTool.UPROBES) {
      program.countsCompletions(nanos);
    }
    if (lost > 0) {
      program.unseen(nanos, 2, (int) lost);
    }
    found.accept(program);
    return program;
  }

  /** It is not known whose they were, so every session tells it. */
  private synchronized void lost(int events) {
    lost += events;
    long nanos = Math.max(begunNanos, order.passed() + shift);
    programs.values().forEach(program -> program.unseen(nanos, 2, events));
  }

  private synchronized void end() {
    boolean ownEnd = stopping || begun.getCount() > 0;
    String cause = defect != null || ownEnd ? defect : ending();
    String sentence =
        cause != null
            ? cause
            : "Wridscope was attached until the program ended or was left%s."
                .formatted(
                    incomplete
                        ? "; the last events are missing, because %s did not tell them in time"
                            .formatted(tool.subject())
                        : "");
    programs.values().forEach(program -> program.end(cause != null, sentence));
    readUntil(Long.MAX_VALUE);
  }

  // ---- for everybody

  /** How much longer calls take meanwhile, in all processes that use the same library. */
  public CallCost cost() {
    return cost;
  }

  /** Posts and completions of programs beyond {@link #MAX_PROGRAMS}. */
  public long notShown() {
    return notShown.get();
  }

  /** Events that could not be put into the order of time. */
  public long late() {
    return order.late();
  }

  /**
   * Waits until the process has ended, or the tracer has.
   *
   * @return whether one of them has ended within the limit
   */
  public boolean await(Duration limit) throws InterruptedException {
    try {
      over.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Removes the probes, and waits until everything that they saw is in the sessions. */
  @Override
  public void close() {
    boolean throwsAway = tool == ProbeTool.BPFTRACE && begun.getCount() == 0;
    boolean interrupted = throwsAway && !awaitLastEvents();
    stopping = true;
    tracer.close();
    while (reader.isAlive()) {
      try {
        reader.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits until everything that has happened so far is read: bpftrace throws away what it has not
   * printed when it is asked to end.
   *
   * @return false if the thread was interrupted
   */
  private synchronized boolean awaitLastEvents() {
    // Processors that have not told the time yet do so within this time.
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TraceScript.BEAT_MILLIS);
    long deadline = System.nanoTime() + LAST_EVENTS.toNanos();
    try {
      while (readUntil < until) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          incomplete = true;
          return true;
        }
        wait(left);
      }
      return true;
    } catch (InterruptedException e) {
      incomplete = true;
      return false;
    }
  }
}
