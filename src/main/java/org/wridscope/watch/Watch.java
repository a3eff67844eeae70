// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.recording.LiveImport;
import org.wridscope.recording.SessionPair;
import org.wridscope.telemetry.Role;

/**
 * The watch of a migration from one QEMU to another, or of the end that is on this machine. The
 * migration is whoever's: it is started, steered and ended elsewhere.
 */
public final class Watch {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
  private static final AtomicInteger STARTED = new AtomicInteger();

  private final SessionPair sessions;
  private final List<String> introductions;

  private Watch(SessionPair sessions, List<String> introductions) {
    this.sessions = sessions;
    this.introductions = introductions;
  }

  /**
   * Switches the trace logs of one or two QEMUs on, and watches their next migration. Each is a
   * source or a destination, whichever it is now.
   *
   * @throws IOException when that is not possible, with one sentence; nothing is changed then
   */
  public static Watch of(List<QmpAddress> addresses) throws IOException, InterruptedException {
    return of(addresses, ChangedTraces.ofUser());
  }

  static Watch of(List<QmpAddress> addresses, ChangedTraces notes)
      throws IOException, InterruptedException {
    long clockShift = System.nanoTime() - ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    var watches = new ArrayList<QemuWatch>();
    try {
      for (QmpAddress address : addresses) {
        watches.add(QemuWatch.begin(address, notes, clockShift));
      }
      if (watches.size() == 2 && watches.getFirst().role() == watches.getLast().role()) {
        throw new IOException(
            watches.getFirst().role() == Role.SOURCE
                ? "Neither QEMU waits for a guest; start the destination with -incoming first."
                : "Both QEMUs wait for a guest; name one that has a guest.");
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      for (QemuWatch watch : watches) {
        watch.abandon();
      }
      throw e;
    }
    return start(watches);
  }

  private static Watch start(List<QemuWatch> watches) {
    String name = "watch " + STARTED.incrementAndGet();
    List<LiveImport> logs = watches.stream().map(QemuWatch::log).toList();
    String place = "qmp:" + watches.getFirst().machine().qmp();
    Supplier<String> uri =
        () ->
            logs.stream()
                .map(LiveImport::uri)
                .filter(text -> text != null)
                .findFirst()
                .orElse(place);
    Runnable stop = () -> watches.forEach(QemuWatch::stop);
    WatchedSession source = null;
    WatchedSession destination = null;
    for (QemuWatch watch : watches) {
      boolean isSource = watch.role() == Role.SOURCE;
      var session =
          new WatchedSession(
              name + (isSource ? " source" : " destination"),
              watch.log(),
              uri,
              watch.machine(),
              stop);
      watch.start(session);
      if (isSource) {
        source = session;
      } else {
        destination = session;
      }
    }
    return new Watch(
        new SessionPair(source, destination),
        watches.stream().map(QemuWatch::introduction).toList());
  }

  /** Its sessions, which end with the migration. */
  public SessionPair sessions() {
    return sessions;
  }

  /** What is to be known about each QEMU, a phrase. */
  public List<String> introductions() {
    return introductions;
  }

  /** A sentence about each QEMU whose log a process that was killed has left changed. */
  public static List<String> leftBehind() {
    return ChangedTraces.ofUser().abandoned().stream()
        .map(changed ->
            "Process %d was killed while it watched the QEMU at %s, whose log and trace events are still changed; './wridscope watch --put-back' puts them back."
                .formatted(changed.watcher().pid(), changed.address()))
        .toList();
  }

  /**
   * Puts back what processes that were killed have left changed.
   *
   * @return a sentence about each QEMU
   */
  public static List<String> putBack() throws InterruptedException {
    return putBack(ChangedTraces.ofUser());
  }

  static List<String> putBack(ChangedTraces notes) throws InterruptedException {
    var sentences = new ArrayList<String>();
    for (ChangedTrace changed : notes.abandoned()) {
      try {
        changed.putBack();
        notes.remove(changed);
        changed.deletePipe();
        sentences.add(
            "The log of the QEMU at %s goes to %s again, and its trace events are as before."
                .formatted(changed.address(), changed.formerLog()));
      } catch (IOException e) {
        LOG.warn("{}", e.getMessage());
        sentences.add(
            "The log of the QEMU at %s could not be put back: %s"
                .formatted(changed.address(), e.getMessage()));
      }
    }
    return sentences;
  }
}
