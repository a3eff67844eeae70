// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.analysis.meaning.FirstError;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.QemuFigures;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;
import org.wridscope.recording.qemu.LiveImport;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * Watches the next migration of one QEMU, or the one that it makes already. One thread reads its
 * log, another makes a session of the lines, a third asks {@code query-migrate} and puts the log
 * back in the end. QEMU is never steered.
 */
final class QemuWatch {
  private static final Logger LOG = LoggerFactory.getLogger(QemuWatch.class);

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(50);

  /** How often what was imported is shown. */
  private static final Duration FRAME = Duration.ofMillis(20);

  /** A log to which nothing was added for so long has told the end of a migration. */
  private static final Duration QUIET = Duration.ofMillis(200);

  /** How long QEMU may take to close its connection at the end of a migration. */
  private static final Duration CLEANUP = Duration.ofSeconds(3);

  /** How long QEMU may take to close its log. */
  private static final Duration CLOSING = Duration.ofSeconds(2);

  /** What may wait to be imported, in bytes. */
  private static final long MOST_BYTES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 16, 4L << 20, 64L << 20);

  private static final End DEFECT =
      new End(MigrationStatus.UNDECIDED, "This program made an error; see its log.");

  private final QemuMonitor monitor;
  private final TraceSwitch trace;
  private final PipeLines lines;
  private final LiveImport log;
  private final Role role;
  private final MigrationReport.Machine machine;

  /** Whether the migration had begun before the log was switched on. */
  private final boolean begunBefore;

  /** What QEMU said of its migrations when the log was switched on. */
  private final String former;

  private final Semaphore wakeUps = new Semaphore(0);

  /** Open until QEMU is as before. */
  private final CountDownLatch asked = new CountDownLatch(1);

  private volatile boolean stopping;

  // From the thread that imports.
  private volatile boolean connected;
  private volatile long lastLines = System.nanoTime();
  private volatile @Nullable String defect;

  // From the thread that asks.
  private volatile MigrationStatus told = MigrationStatus.NONE;
  private volatile End end = DEFECT;

  /**
   * How the watch ended.
   *
   * @param status of the migration, unless the log tells how it ended
   * @param sentence null if the log says it
   */
  private record End(MigrationStatus status, @Nullable String sentence) {
    End and(String more) {
      return new End(status, sentence == null ? more : sentence + " " + more);
    }
  }

  private QemuWatch(QemuMonitor monitor, TraceSwitch trace, long clockShift)
      throws IOException, InterruptedException {
    this.monitor = monitor;
    this.trace = trace;
    lines = new PipeLines(trace.pipe(), MOST_BYTES);
    RunState state = monitor.status();
    role = state.status().equals("inmigrate") ? Role.DESTINATION : Role.SOURCE;
    log =
        LiveImport.ofQemu(
            role,
            System.nanoTime(),
            clockShift,
            role == Role.SOURCE ? QemuFigures.METRICS : Set.of());
    machine =
        new MigrationReport.Machine(
            "QEMU " + monitor.version(), monitor.qmp().address().toString(), null);
    MigrationInfo info = monitor.migration();
    former = info.status();
    begunBefore = info.isInProgress(state);
    if (begunBefore) {
      log.note(
          "The migration had begun before it was watched. Its RAM blocks are named only at the"
              + " beginning, so its requests cannot be told.");
    }
    if (!trace.unknown().isEmpty()) {
      log.note(
          "This QEMU has trace events of RDMA that are not known here and stay off (%s); what they tell is not shown."
              .formatted(Legible.of(String.join(", ", trace.unknown()))));
    }
  }

  /**
   * Connects and switches the trace log on.
   *
   * @param clockShift what has to be added to nanoseconds since 1970 for {@link System#nanoTime()}
   * @throws IOException when that is not possible, with one sentence
   */
  static QemuWatch begin(QmpAddress address, ChangedTraces notes, long clockShift)
      throws IOException, InterruptedException {
    Qmp qmp = Qmp.connect(address, CONNECT_LIMIT);
    try {
      var monitor = new QemuMonitor(qmp);
      TraceSwitch trace = TraceSwitch.on(monitor, notes);
      try {
        return new QemuWatch(monitor, trace, clockShift);
      } catch (IOException | InterruptedException | RuntimeException e) {
        trace.undo(monitor);
        throw e;
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      qmp.close();
      throw e;
    }
  }

  Role role() {
    return role;
  }

  LiveImport log() {
    return log;
  }

  MigrationReport.Machine machine() {
    return machine;
  }

  /** What is to be known about it, in one sentence. */
  String introduction() {
    return "watching the %s at %s, a %s; its log went to %s, and will again%s"
        .formatted(
            machine.name(),
            machine.qmp(),
            role == Role.SOURCE ? "source" : "destination",
            trace.formerLog(),
            trace.waits()
                ? ". This user may not look into its process, so it would have to wait whenever"
                    + " this program is stopped"
                : "");
  }

  void start(WatchedSession session) {
    // Never removed: the connection ends with this object.
    var _ = monitor.qmp().onEvent(_ -> wakeUps.release());
    lines.start("log of " + session.name());
    Thread.ofPlatform().daemon().name(session.name()).start(() -> importLines(session));
    Thread.ofPlatform().daemon().name("asking " + session.name()).start(() -> ask(session));
  }

  /** Ends the watch soon; from any thread. */
  void stop() {
    stopping = true;
    wakeUps.release();
  }

  /** Ends a watch that was not started. */
  void abandon() throws InterruptedException {
    trace.undo(monitor);
    monitor.qmp().close();
  }

  // ---- the thread that imports

  private void importLines(WatchedSession session) {
    String sentence = String.valueOf(DEFECT.sentence);
    try {
      while (!lines.isOver()) {
        importNext();
      }
      asked.await();
      sentence = conclude();
    } catch (InterruptedException e) {
      // Nobody interrupts this thread; it ends here all the same.
      LOG.error("the watch of {} was interrupted", session.name(), e);
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("the watch of {}", session.name(), e);
    } finally {
      stop();
      boolean _ = Uninterrupted.await(asked, Qmp.ANSWER);
      session.end(sentence);
    }
  }

  private void importNext() throws InterruptedException {
    Lines next = lines.next(FRAME);
    try {
      if (next != null && defect == null) {
        lastLines = next.nanos();
        for (String text : next.texts()) {
          log.add(text, next.nanos());
        }
      }
      if (defect == null) {
        if (begunBefore && !told.isEnd()) {
          // The log tells each further status.
          log.enter(told);
        }
        log.leftOut(lines.dropped());
        log.show(System.nanoTime());
        connected = log.isConnected();
      }
    } catch (IOException e) {
      // The rest of the log is read all the same, until QEMU has its former one again.
      defect = e.getMessage();
      stop();
    }
  }

  /** Ends the session in the telemetry; returns the outcome. */
  private String conclude() throws IOException, InterruptedException {
    if (lines.dropped() > 0) {
      log.note(
          "%s lines of QEMU's log came faster than they could be read, and were left out."
              .formatted(Format.count(lines.dropped())));
    }
    if (lines.wasFull()) {
      log.note(
          trace.waits()
              ? "The pipe with QEMU's log was full for a moment, so QEMU may have waited."
              : "The pipe with QEMU's log was full for a moment, so QEMU may have left out lines;"
                  + " how many is not known.");
    }
    log.enter(end.status);
    log.finish(System.nanoTime());
    String cause = defect;
    String said = end.sentence;
    String logged = log.outcome();
    return cause != null ? cause : said != null ? said : "" + logged;
  }

  // ---- the thread that asks

  private void ask(WatchedSession session) {
    try {
      End found = askUntilTheEnd(session);
      String notPutBack = putBack();
      end = notPutBack == null ? found : found.and(notPutBack);
      if (!lines.awaitEnd(CLOSING)) {
        LOG.info("{} has not closed its log", session.name());
      }
    } catch (InterruptedException e) {
      // Nobody interrupts this thread; it ends here all the same.
      LOG.error("the watch of {} was interrupted", session.name(), e);
    } catch (RuntimeException | Error e) {
      LOG.error("the watch of {}", session.name(), e);
    } finally {
      monitor.qmp().close();
      try {
        trace.pipe().close();
      } catch (IOException e) {
        LOG.debug("{}: {}", trace.pipe().path(), e.getMessage());
      }
      asked.countDown();
    }
  }

  private End askUntilTheEnd(WatchedSession session) throws InterruptedException {
    var figures = new QemuFigures(log.telemetry());
    boolean begun = false;
    while (!stopping) {
      try {
        MigrationInfo info = monitor.migration();
        RunState state = monitor.status();
        begun |= info.isInProgress(state) || (info.isOver() && !info.status().equals(former));
        session.setGuestRunning(state.running());
        if (begun) {
          told = status(info);
          if (role == Role.SOURCE) {
            figures.note(info, false, System.nanoTime());
          }
        }
        if (begun ? isOver(info) : log.telemetry().status().isEnd()) {
          awaitCleanup();
          askGuest(session);
          return new End(
              begun ? told : log.telemetry().status(),
              info.status().equals("failed")
                  ? FirstError.QEMU_REPORTED + info.errorDesc().orElse("it does not say why") + "."
                  : null);
        }
        if (lines.awaitEnd(Duration.ZERO)) {
          return new End(
              MigrationStatus.UNDECIDED,
              "Somebody changed where QEMU writes its log, so the watch has ended.");
        }
      } catch (QmpException e) {
        switch (e.kind()) {
          case SILENT, REFUSED -> LOG.info("{}", e.getMessage());
          case CLOSED, INVALID -> {
            return lost(e);
          }
        }
      } catch (IOException e) {
        return lost(e);
      }
      boolean _ = wakeUps.tryAcquire(POLL.toNanos(), TimeUnit.NANOSECONDS);
      int _ = wakeUps.drainPermits();
    }
    return new End(
        MigrationStatus.CANCELLED,
        begun && !told.isEnd()
            ? "The watch was ended; the migration continues without it."
            : "The watch was ended before a migration began.");
  }

  /** A destination's guest may start shortly after its migration is completed. */
  private void askGuest(WatchedSession session) throws InterruptedException {
    try {
      session.setGuestRunning(monitor.status().running());
    } catch (IOException e) {
      LOG.info("{} does not say whether its guest runs: {}", session.name(), e.getMessage());
    }
  }

  private static End lost(IOException e) {
    return new End(
        MigrationStatus.UNDECIDED,
        "The QEMU can no longer be asked, so the watch has ended: " + e.getMessage());
  }

  /** The status that QEMU tells; its further ones belong to a migration under way. */
  private static MigrationStatus status(MigrationInfo info) {
    return Stream.of(MigrationStatus.values())
        .filter(status -> status.qemuName().equals(info.status()))
        .findFirst()
        .orElse(MigrationStatus.ACTIVE);
  }

  /** QEMU reports the status shortly before the total time, which is missing or 0 until then. */
  private boolean isOver(MigrationInfo info) {
    return switch (info.status()) {
      case "failed", "cancelled" -> true;
      case "completed" ->
          role == Role.DESTINATION || info.totalTime().map(Duration::isPositive).orElse(false);
      default -> false;
    };
  }

  /** Waits until QEMU has closed the connection of its migration and given everything back. */
  private void awaitCleanup() throws InterruptedException {
    long limit = System.nanoTime() + CLEANUP.toNanos();
    long now = System.nanoTime();
    while (!stopping && now < limit && (connected || now - lastLines < QUIET.toNanos())) {
      boolean _ = wakeUps.tryAcquire(POLL.toNanos(), TimeUnit.NANOSECONDS);
      now = System.nanoTime();
    }
  }

  /** Makes the log as before; returns a sentence if that failed. */
  private @Nullable String putBack() throws InterruptedException {
    try {
      if (monitor.qmp().isOpen()) {
        trace.putBack(monitor);
      } else {
        trace.putBack();
      }
      return null;
    } catch (IOException e) {
      return "Its log and trace events were not put back (%s); './wridscope watch --put-back' does that."
          .formatted(e.getMessage());
    }
  }
}
