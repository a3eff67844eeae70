// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process does with its queue pairs, without probes: its queue pairs, read twice, and what
 * its threads wait in.
 *
 * @param program its name
 * @param seconds between the two readings
 */
public record Snapshot(
    long pid, String program, double seconds, List<Pair> queuePairs, List<ThreadReading> threads) {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshot.class);

  /** Long enough for a device to send again what was not acknowledged, with usual timeouts. */
  private static final Duration BETWEEN = Duration.ofSeconds(1);

  public Snapshot {
    queuePairs = List.copyOf(queuePairs);
    threads = List.copyOf(threads);
  }

  /** What a queue pair does. */
  public enum Verdict {
    MOVING("moving"),
    STILL("still: no packet sequence number changed"),
    IN_ERROR("in error: what is posted is flushed"),
    NOT_CONNECTED("not connected"),
    CREATED("created meanwhile"),
    DESTROYED("destroyed meanwhile"),
    NOT_KNOWN("not known: the kernel tells no state, or no packet sequence number");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    /** A phrase. */
    public String text() {
      return text;
    }
  }

  /**
   * A queue pair; what the kernel does not tell is null.
   *
   * @param type such as {@code RC}
   * @param state such as {@code RTS}
   * @param peer address and port of the peer; only librdmacm's connections have them
   * @param peerQueuePair the number of the peer's queue pair
   * @param sqPsn packet sequence number of the send queue, at the first reading
   * @param sqPsnLater the same at the second one
   * @param rqPsn that of the receive queue
   */
  public record Pair(
      String device,
      long number,
      @Nullable String type,
      @Nullable String state,
      @Nullable String peer,
      @Nullable Long peerQueuePair,
      @Nullable Long sqPsn,
      @Nullable Long sqPsnLater,
      @Nullable Long rqPsn,
      @Nullable Long rqPsnLater,
      Verdict verdict) {}

  /**
   * Reads a process; takes a second.
   *
   * @throws IOException if there is no such process, or it may not be read; one sentence
   */
  public static Snapshot take(long pid) throws IOException, InterruptedException {
    if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
      throw new IOException("There is no process %d.".formatted(pid));
    }
    List<QueuePairReading> before = of(pid);
    long begin = System.nanoTime();
    Thread.sleep(BETWEEN);
    List<QueuePairReading> after = of(pid);
    double seconds = (System.nanoTime() - begin) / 1e9;
    return new Snapshot(
        pid,
        AttachedProgram.command(pid, "process"),
        seconds,
        compare(before, after, connections(pid)),
        ThreadReading.of(pid));
  }

  private static List<QueuePairReading> of(long pid) throws IOException, InterruptedException {
    return QueuePairReading.list().stream().filter(each -> each.pid() == pid).toList();
  }

  /** Peers that librdmacm knows, by queue pair; some kernels tell none. */
  private static Map<QueuePairReading.Key, String> connections(long pid)
      throws InterruptedException {
    try {
      return PeerAddress.ofConnections().getOrDefault(pid, Map.of());
    } catch (IOException e) {
      LOG.info("the addresses of peers are not known: {}", e.getMessage());
      return Map.of();
    }
  }

  /** Two readings of the queue pairs of one process, in the order of the first. */
  static List<Pair> compare(
      List<QueuePairReading> before,
      List<QueuePairReading> after,
      Map<QueuePairReading.Key, String> peers) {
    var pairs = new ArrayList<Pair>();
    Map<QueuePairReading.Key, QueuePairReading> left = new LinkedHashMap<>();
    after.forEach(each -> left.put(each.key(), each));
    before.forEach(each -> pairs.add(pair(each, left.remove(each.key()), peers)));
    left.values().forEach(each -> pairs.add(pair(null, each, peers)));
    return pairs;
  }

  private static Pair pair(
      @Nullable QueuePairReading before,
      @Nullable QueuePairReading after,
      Map<QueuePairReading.Key, String> peers) {
    QueuePairReading last =
        Stream.of(after, before).filter(Objects::nonNull).findFirst().orElseThrow();
    return new Pair(
        last.device(),
        last.number(),
        last.type(),
        last.state(),
        peers.get(last.key()),
        last.isConnected() ? last.remote() : null,
        before == null ? null : before.sendPsn(),
        after == null ? null : after.sendPsn(),
        before == null ? null : before.receivePsn(),
        after == null ? null : after.receivePsn(),
        verdict(before, after));
  }

  private static Verdict verdict(
      @Nullable QueuePairReading before, @Nullable QueuePairReading after) {
    if (after == null) {
      return Verdict.DESTROYED;
    }
    if (after.hasFailed()) {
      return Verdict.IN_ERROR;
    }
    if (before == null) {
      return Verdict.CREATED;
    }
    if (after.isNotConnected()) {
      return Verdict.NOT_CONNECTED;
    }
    if (!after.isConnected()) {
      return Verdict.NOT_KNOWN;
    }
    if (isOther(before.sendPsn(), after.sendPsn())
        || isOther(before.receivePsn(), after.receivePsn())) {
      return Verdict.MOVING;
    }
    boolean known =
        (before.sendPsn() != null && after.sendPsn() != null)
            || (before.receivePsn() != null && after.receivePsn() != null);
    return known ? Verdict.STILL : Verdict.NOT_KNOWN;
  }

  /** Whether both are known, and differ. */
  private static boolean isOther(@Nullable Long before, @Nullable Long after) {
    return before != null && after != null && !before.equals(after);
  }
}
