// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
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
import org.wridscope.control.CounterSampler;
import org.wridscope.control.Session;
import org.wridscope.control.attach.TraceLine.Kind;
import org.wridscope.process.ProcessStatus;

/**
 * Shows the work requests of programs that are not ours, by probes on the functions through which
 * they post and poll. Each program is a session. The programs are not changed; while the probes are
 * in place, each post and each poll takes longer, in every process that uses the same library.
 *
 * <p>Not seen: programs that write to the device without libibverbs, and programs that have another
 * copy of the provider's library, for example in a container.
 */
public final class Attachment implements AutoCloseable {
  /** How many programs are shown; those after them are counted. */
  public static final int MAX_PROGRAMS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(Attachment.class);

  /** How often is told how many polls were empty. */
  private static final long EMPTY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often is looked for what was seen. */
  private static final Duration LOOK = Duration.ofMillis(10);

  /** Time limit for a call that is just being recorded when the probes are removed. */
  private static final Duration LAST_CALLS = Duration.ofSeconds(5);

  /** A process without a name. */
  private static final String UNNAMED = "process";

  private final AttachTarget target;
  private final Consumer<Session> found;
  private final TimeOrder order = new TimeOrder(this::take);
  private final Probes probes;
  private final Map<Long, AttachedProgram> programs = new LinkedHashMap<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Completes when nothing more will be seen: the process has ended, or this attachment has. */
  private final CompletableFuture<?> over;

  private final Thread reader = Thread.ofPlatform().daemon().name("attach").unstarted(this::read);

  /** When the first probe was placed, and when all of them were in place. */
  private final long begunNanos;

  private final long placedNanos;

  /** Until when all lines have been passed on; of the reader's thread. */
  private long passedNanos;

  /** When empty polls were told last; of the reader's thread. */
  private long emptyAt = Long.MIN_VALUE / 2;

  /** When the first probe was removed; of the reader's thread. */
  private long endNanos = Long.MAX_VALUE;

  /** The processes of that time; of others everything was seen. */
  private final Set<Long> running = new HashSet<>();

  /** Whether a process that was seen is one that is meant; of the reader's thread. */
  private final Map<Long, Boolean> meant = new HashMap<>();

  private final Map<Long, ProcessHandle> leftOut = new HashMap<>();

  private static final OpenDevices OPEN = new OpenDevices(Path.of("/"));

  private final CounterSampler counters = new CounterSampler();
  private long lost;
  private final AtomicLong notShown = new AtomicLong();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private CallCost cost = new CallCost(0, 0);

  /** Why the reader's thread gave up, a sentence; of that thread. */
  private @Nullable String defect;

  private final PeersBefore peers;
  private final RegionsBefore regions;

  private Attachment(
      AttachTarget target, Consumer<Session> found, Collection<Probe> places, PeersBefore peers)
      throws IOException, InterruptedException {
    this.target = target;
    this.found = found;
    this.peers = peers;
    over = CompletableFuture.anyOf(endOf(target), ended);
    begunNanos = System.nanoTime();
    passedNanos = begunNanos;
    probes = Probes.place(places, target.device(), this::arrived);
    placedNanos = System.nanoTime();
    ProcessHandle.allProcesses().forEach(process -> running.add(process.pid()));
    boolean done = false;
    try {
      regions = RegionsBefore.read(target.device());
      done = true;
    } finally {
      if (!done) {
        probes.close();
      }
    }
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

  /**
   * Attaches. When this returns, every probe is in place.
   *
   * @param found receives each program when it is first seen, on a thread of the attachment
   * @throws IOException if that is not possible; one sentence that says what to do
   */
  public static Attachment start(AttachTarget target, Consumer<Session> found)
      throws IOException, InterruptedException {
    if (!ProcessStatus.isOfRoot(ProcessHandle.current().pid())) {
      throw new IOException(
          "Attaching to a program needs root, because probes see every process; use sudo.");
    }
    if (target instanceof AttachTarget.OfProcess(long pid, _)
        && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
      throw new IOException("There is no process %d.".formatted(pid));
    }
    PeersBefore peers = PeersBefore.read(target.device());
    try (PollTimer timer = PollTimer.open(target.device())) {
      long without = timer.nanos();
      Set<Probe.Placed> places = Probe.find(target.device());
      Attachment attachment =
          start(target, found, places.stream().map(Probe.Placed::probe).distinct().toList(), peers);
      boolean done = false;
      try {
        requireThere(places);
        attachment.cost = new CallCost(without, timer.nanos());
        done = true;
        return attachment;
      } finally {
        if (!done) {
          attachment.close();
        }
      }
    }
  }

  /** The same, at these places. */
  static Attachment start(
      AttachTarget target, Consumer<Session> found, Collection<Probe> places, PeersBefore peers)
      throws IOException, InterruptedException {
    var attachment = new Attachment(target, found, places, peers);
    if (target instanceof AttachTarget.OfProcess(long pid, _)) {
      attachment.program(pid, UNNAMED, attachment.begunNanos);
    }
    attachment.reader.start();
    return attachment;
  }

  /** This process looks at its own copy of the functions. */
  private static void requireThere(Set<Probe.Placed> places) throws IOException {
    for (Probe.Placed place : places) {
      if (!place.isThere()) {
        Probe probe = place.probe();
        throw new IOException(
            ("There is no probe on %s at 0x%x of %s; another process may be replacing the library."
                    + " Try again.")
                .formatted(probe.verb(), probe.offset(), probe.library()));
      }
    }
  }

  // ---- for the reader's thread

  private void read() {
    try {
      do {
        look();
        takeIn();
      } while (!stopping.await(LOOK.toMillis(), TimeUnit.MILLISECONDS));
      // They are removed one after the other: of what comes now, only a part is seen.
      List<Probes.EmptyPolls> empty = probes.emptyPolls();
      endNanos = System.nanoTime();
      probes.remove();
      long deadline = System.nanoTime() + LAST_CALLS.toNanos();
      while (!look() && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      probes.finish();
      order.end();
      tell(empty, endNanos);
    } catch (IOException | InterruptedException | RuntimeException e) {
      LOG.error("what the probes see cannot be read", e);
      defect = "What the probes see could not be read (%s).".formatted(e.getMessage());
    } finally {
      probes.close();
      end();
      ended.complete(null);
    }
  }

  /** Tells the programs how many of their polls were empty. */
  private synchronized void tell(List<Probes.EmptyPolls> all, long nanos) {
    for (Probes.EmptyPolls each : all) {
      AttachedProgram program = programs.get(each.pid());
      if (program != null) {
        program.emptyPolls(nanos, each.queue(), each.count());
      }
    }
  }

  /** Reads what the probes have seen until now, and returns whether that was all. */
  private boolean look() throws IOException {
    long until = System.nanoTime();
    boolean all = probes.read();
    // What is told of later times would make lines late that are not passed on yet.
    if (all) {
      passedNanos = order.pass(until, probes.heldFrom());
      counted(passedNanos);
      if (passedNanos - emptyAt >= EMPTY_NANOS) {
        emptyAt = passedNanos;
        tell(probes.emptyPolls(), passedNanos);
      }
    }
    long more = probes.lost();
    if (more > 0) {
      lost(more, passedNanos);
    }
    return all;
  }

  /** A line of a process that is not meant is dropped, and the process left out. */
  private void arrived(TraceLine line) {
    Boolean is = meant.computeIfAbsent(line.pid(), this::isMeant);
    if (is == null) {
      notShown.incrementAndGet();
    } else if (is) {
      order.add(line);
    }
  }

  /** Null if it has ended, so that nobody knows whose it was; another may get its number. */
  private @Nullable Boolean isMeant(long pid) {
    if (target.device() != null) {
      return true;
    }
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    if (process.isEmpty()) {
      return null;
    }
    boolean is = target.includes(process.get());
    if (!is) {
      leaveOut(process.get());
    }
    return is;
  }

  private void leaveOut(ProcessHandle process) {
    try {
      probes.leaveOut(process.pid());
      leftOut.put(process.pid(), process);
    } catch (IOException e) {
      // Its calls are read, and dropped.
      LOG.info("process {} cannot be left out: {}", process.pid(), e.getMessage());
    }
  }

  /** Another process may get the number of one that has ended. */
  private void takeIn() throws IOException {
    for (ProcessHandle process : List.copyOf(leftOut.values())) {
      if (!process.isAlive()) {
        leftOut.remove(process.pid());
        meant.remove(process.pid());
        probes.takeIn(process.pid());
      }
    }
  }

  private void take(TraceLine line) {
    long nanos = line.nanos();
    if (nanos >= endNanos) {
      return;
    }
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
    // One that is still to be started is another program until then.
    String given =
        target instanceof AttachTarget.OfProcess(long of, String name) && of == pid ? name : null;
    String command = given == null ? AttachedProgram.command(pid, told) : given;
    var program =
        new AttachedProgram(
            pid, command, device == null ? "every RDMA device" : device, peers.of(pid));
    program.leaveBy(this::close);
    boolean before = given == null && running.contains(pid);
    if (before) {
      program.begunBefore();
    }
    program.registeredBefore(nanos, before ? regions : null);
    programs.put(pid, program);
    counters.begin(program.telemetry(), () -> device == null ? OPEN.of(pid) : Set.of(device));
    if (lost > 0) {
      program.unseen(nanos, 2, (int) lost);
    }
    found.accept(program);
    return program;
  }

  /** It is not known whose they were, so every session tells it. */
  private synchronized void lost(long events, long nanos) {
    lost += events;
    programs.values().forEach(program -> program.unseen(nanos, 2, (int) events));
  }

  private synchronized void counted(long until) {
    for (AttachedProgram program : programs.values()) {
      program.takeCounted(until);
      program.sample(until);
    }
  }

  private synchronized void end() {
    counters.close();
    for (AttachedProgram program : programs.values()) {
      program.takeCounted(Long.MAX_VALUE);
      program.sample(System.nanoTime());
    }
    String sentence =
        defect != null ? defect : "Wridscope was attached until the program ended or was left.";
    programs.values().forEach(program -> program.end(defect != null, sentence));
  }

  // ---- for everybody

  /** How much longer calls take meanwhile, in all processes that use the same library. */
  public CallCost cost() {
    return cost;
  }

  /**
   * Posts and completions of programs beyond {@link #MAX_PROGRAMS}, and processes that had ended
   * before it could be found out whose they were.
   */
  public long notShown() {
    return notShown.get();
  }

  /** Events that could not be put into the order of time. */
  public long late() {
    return order.late();
  }

  /**
   * Waits until the process has ended, or this attachment has.
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
    stopping.countDown();
    boolean interrupted = false;
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
}
