// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.bpf.BpfMap;
import org.wridscope.bpf.BpfProgram;
import org.wridscope.bpf.Instructions;
import org.wridscope.bpf.RingBuffer;
import org.wridscope.bpf.UserProbe;
import org.wridscope.process.SystemCallException;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/**
 * Probes that are in place, and what they see. One thread reads it; the probes end with this
 * process, however that ends.
 */
final class Probes implements AutoCloseable {
  /** Bytes of the buffer from which is read, of some tens of thousands of requests. */
  private static final int BUFFER = 1 << 24;

  /**
   * How long is waited for what a program reads of a completion, which it does at once unless it is
   * stopped. What comes after the completion waits, too.
   */
  private static final long CURRENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Of more completion queues empty polls are not counted. */
  private static final int COMPLETION_QUEUES = 1 << 14;

  /** How many processes are left out at most; the calls of others are read, and not shown. */
  private static final int PROCESSES = 1 << 12;

  /** The programs of a function. */
  private record Pair(@Nullable BpfProgram atEntry, @Nullable BpfProgram atReturn) {
    void close() {
      Stream.of(atEntry, atReturn).filter(Objects::nonNull).forEach(BpfProgram::close);
    }
  }

  private final RingBuffer buffer;
  private final BpfMap lost;
  private final BpfMap calls;
  private final BpfMap leftOut;
  private final BpfMap empty;
  private final Map<Verb, Pair> programs = new EnumMap<>(Verb.class);
  private final List<UserProbe> probes = new ArrayList<>();
  private final ProbeRecords records;
  private long lostBefore;

  private Probes(Consumer<TraceLine> sink) throws IOException {
    records = new ProbeRecords(sink);
    buffer = new RingBuffer(BUFFER);
    List<BpfMap> made = new ArrayList<>();
    boolean done = false;
    try {
      made.add(BpfMap.count());
      made.add(ProbePrograms.calls());
      made.add(BpfMap.set(PROCESSES));
      made.add(BpfMap.counts(COMPLETION_QUEUES));
      done = true;
    } finally {
      if (!done) {
        made.forEach(BpfMap::close);
        buffer.close();
      }
    }
    lost = made.get(0);
    calls = made.get(1);
    leftOut = made.get(2);
    empty = made.get(3);
  }

  /**
   * Places probes. When this returns, all of them see the calls.
   *
   * @param device whose calls are seen; null for those of all
   * @param sink receives what {@link #read} reads
   * @throws IOException if that is not possible; one sentence that says what to do
   */
  static Probes place(Collection<Probe> places, @Nullable String device, Consumer<TraceLine> sink)
      throws IOException {
    try {
      return placed(places, device, sink, true);
    } catch (SystemCallException e) {
      if (e.errno() != SystemCallException.EINVAL) {
        throw refusal(e);
      }
    }
    try {
      return placed(places, device, sink, false);
    } catch (SystemCallException e) {
      throw refusal(e);
    }
  }

  private static Probes placed(
      Collection<Probe> places, @Nullable String device, Consumer<TraceLine> sink, boolean waits)
      throws IOException {
    var placed = new Probes(sink);
    boolean done = false;
    try {
      placed.place(places, device, waits);
      done = true;
      return placed;
    } finally {
      if (!done) {
        placed.close();
      }
    }
  }

  private static IOException refusal(SystemCallException e) {
    String reason =
        e.errno() == SystemCallException.EPERM
            ? "This kernel does not let root look into programs (%s): a container without"
                + " CAP_BPF and CAP_PERFMON, or a kernel that is locked down; see"
                + " /sys/kernel/security/lockdown."
            : "The kernel places no probes (%s); it must be Linux 5.8 or later with"
                + " CONFIG_BPF_SYSCALL and CONFIG_UPROBE_EVENTS.";
    return new IOException(reason.formatted(e.getMessage()), e);
  }

  private void place(Collection<Probe> places, @Nullable String device, boolean waits)
      throws IOException {
    var write = new ProbePrograms(device, waits, buffer.map(), lost, calls, leftOut, empty);
    for (Probe probe : places) {
      Pair pair = programs.get(probe.verb());
      if (pair == null) {
        pair = load(write, probe.verb(), waits);
        programs.put(probe.verb(), pair);
      }
      // First at the return: what is kept at the entry is then taken.
      if (pair.atReturn != null) {
        probes.add(UserProbe.place(pair.atReturn, probe.library(), probe.offset(), true));
      }
      if (pair.atEntry != null) {
        probes.add(UserProbe.place(pair.atEntry, probe.library(), probe.offset(), false));
      }
    }
  }

  private static Pair load(ProbePrograms write, Verb verb, boolean waits) throws IOException {
    BpfProgram atEntry = load(write.atEntry(verb), waits);
    try {
      return new Pair(atEntry, load(write.atReturn(verb), waits));
    } catch (IOException e) {
      if (atEntry != null) {
        atEntry.close();
      }
      throw e;
    }
  }

  private static @Nullable BpfProgram load(@Nullable Instructions program, boolean waits)
      throws IOException {
    return program == null ? null : BpfProgram.load(program, waits);
  }

  /**
   * Reads what was seen before this call.
   *
   * @return whether all of it was read; otherwise a call is just being recorded
   */
  boolean read() {
    boolean all = buffer.read(records::read);
    records.tellCurrent(System.nanoTime() - CURRENT_NANOS);
    return all;
  }

  /** From when on something may still be told after everything was read. */
  long heldFrom() {
    return records.currentSince();
  }

  /** Tells what is not told yet, after everything was read. */
  void finish() {
    records.tellCurrent(Long.MAX_VALUE);
  }

  /** How many calls were not recorded since the last time, because the buffer was full. */
  long lost() throws IOException {
    long all = lost.counted();
    long more = all - lostBefore;
    lostBefore = all;
    return more;
  }

  /**
   * Polls that found no completion.
   *
   * @param queue the address of the completion queue
   * @param count since the probes were placed
   */
  record EmptyPolls(long pid, long queue, long count) {}

  /** Those of all completion queues until now. */
  List<EmptyPolls> emptyPolls() throws IOException {
    var all = new ArrayList<EmptyPolls>();
    empty.forEach((pid, queue, count) -> all.add(new EmptyPolls(pid, queue, count)));
    return all;
  }

  /** From now on the calls of a process are not looked at. */
  void leaveOut(long pid) throws IOException {
    leftOut.add(pid);
  }

  /** Looks at the calls of a process that was left out again: another one has its number now. */
  void takeIn(long pid) throws IOException {
    leftOut.remove(pid);
  }

  /** Removes the probes; what they saw can still be read. */
  void remove() {
    probes.parallelStream().forEach(UserProbe::close);
    probes.clear();
  }

  @Override
  public void close() {
    remove();
    programs.values().forEach(Pair::close);
    programs.clear();
    empty.close();
    leftOut.close();
    calls.close();
    lost.close();
    buffer.close();
  }
}
