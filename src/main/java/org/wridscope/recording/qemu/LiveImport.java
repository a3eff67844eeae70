// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.Recording;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * Imports the lines of a log of QEMU while QEMU writes them, as {@link Recording#open} does when it
 * has written them all. For one thread, except for what says otherwise.
 */
public final class LiveImport {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long HISTORY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final long shift;
  private final boolean ofOneMigration;
  private final LiveTarget target;
  private final ImportedSession session;
  private final QemuLogImporter importer;
  private final LogFacts facts = new LogFacts();
  private long rememberedAt;
  private volatile String device = QemuLogImporter.UNNAMED_DEVICE;
  private volatile @Nullable String uri;
  private volatile boolean pinsAll;

  private LiveImport(
      Role role, long startNanos, long shift, Set<Metric> others, boolean ofOneMigration)
      throws IOException {
    this.shift = shift;
    this.ofOneMigration = ofOneMigration;
    target = new LiveTarget(role, startNanos, others);
    session = new ImportedSession(target, role, startNanos, SAMPLE_NANOS);
    importer = new QemuLogImporter(role, session, "", true, true, ofOneMigration);
    rememberedAt = startNanos;
    target.remember(startNanos);
  }

  /**
   * Begins a session of a QEMU in which a migration may begin later. Lines other than trace events
   * of a migration are ignored.
   *
   * @param role the end that writes the log
   * @param startNanos {@link System#nanoTime()} at its beginning
   * @param shift what has to be added to nanoseconds since 1970 for {@link System#nanoTime()}
   * @param others the metrics that the caller writes
   */
  public static LiveImport ofQemu(Role role, long startNanos, long shift, Set<Metric> others)
      throws IOException {
    return new LiveImport(role, startNanos, shift, others, false);
  }

  /**
   * Begins a session of a log that contains a migration, from its first line on.
   *
   * @param role the end that writes the log
   * @param recognition has seen the first lines
   * @param shift what has to be added to nanoseconds since 1970 for {@link System#nanoTime()}
   */
  public static LiveImport ofLog(Role role, LogRecognition recognition, long shift)
      throws IOException {
    long beganAt = recognition.beganAt();
    return new LiveImport(
        role, beganAt == 0 ? System.nanoTime() : beganAt + shift, shift, Set.of(), true);
  }

  /** Names of all events that an import reads match one of these, as QEMU matches names. */
  public static List<String> tracePatterns() {
    return Stream.concat(
            QemuVersions.TRACE_PATTERNS.stream(), Stream.of(QemuVersions.OLD_TRACE_PATTERN))
        .toList();
  }

  /** Whether a trace event is of RDMA as its name says, but of a newer QEMU. */
  public static boolean isNew(String event) {
    return QemuEventParser.isNewOfRdma(event);
  }

  /** Whether an import makes anything of a trace event of this name. */
  public static boolean reads(String event) {
    return QemuEventParser.reads(event);
  }

  /**
   * Imports a line.
   *
   * @param text without its end
   * @param readNanos {@link System#nanoTime()} when it was read; that is its time if it has none
   * @throws IOException when the log is of a migration that cannot be shown; one sentence
   */
  public void add(String text, long readNanos) throws IOException {
    QemuLine line = QemuLog.line(text);
    if (ofOneMigration || line.isEvent()) {
      facts.add(line);
    }
    if (!ofOneMigration && !QemuEventParser.reads(line.event())) {
      // A log has anything that QEMU was told to log.
      return;
    }
    // The wall clock may have been set meanwhile.
    long nanos =
        line.nanos() == QemuLine.NO_TIME ? readNanos : Math.min(line.nanos() + shift, readNanos);
    importer.add(line, nanos);
  }

  /** Shows everything up to the last line. To be called again and again, also without lines. */
  public void show(long nowNanos) throws IOException {
    session.settle();
    if (nowNanos - rememberedAt >= HISTORY_NANOS) {
      rememberedAt = nowNanos;
      target.remember(nowNanos);
    }
    pinsAll = importer.pinsAll();
    device = facts.device().isEmpty() ? QemuLogImporter.UNNAMED_DEVICE : facts.device();
    uri = facts.uri().equals("rdma:") ? null : facts.uri();
  }

  /** Sets how many lines were left out so far. */
  public void leftOut(long lines) {
    target.leftOut(lines);
  }

  /** Adds a sentence for the user. */
  public void note(String sentence) {
    session.note(sentence);
  }

  /** Ends the session; no line follows. */
  public void finish(long nowNanos) throws IOException {
    importer.finish(
        ofOneMigration && facts.isTraced() && facts.beganAt() == 0
            ? "The log has no times (-msg timestamp=on); its lines have those at which they were"
                + " read."
            : null);
    target.remember(nowNanos);
  }

  /**
   * To be called when nothing more is written for a while: after an error the migration has failed.
   */
  public void conclude() throws IOException {
    importer.conclude();
  }

  /** Whether a connection was established that was not closed. */
  public boolean isConnected() {
    return session.isConnected();
  }

  /** Enters a status that is known otherwise, unless the log says more. */
  public void enter(MigrationStatus status) throws IOException {
    MigrationStatus present = session.status();
    boolean more = present == MigrationStatus.NONE || (status.isEnd() && !present.isEnd());
    if (more && status != present) {
      importer.enter(status);
    }
  }

  /** What it has imported until now; any thread may read it. */
  public SessionTelemetry telemetry() {
    return target.telemetry();
  }

  /** The RDMA device, or that it is not known; for any thread. */
  public String device() {
    return device;
  }

  /** Why it is that device; a phrase. */
  public static String deviceReason() {
    return QemuLogImporter.AS_LOGGED;
  }

  /** The URI as far as the log shows it, null while it does not; for any thread. */
  public @Nullable String uri() {
    return uri;
  }

  /** Whether all RAM is pinned, as far as the log shows it; for any thread. */
  public boolean pinsAll() {
    return pinsAll;
  }

  /** Sentences for the user; for any thread. */
  public List<String> notes() {
    return List.copyOf(target.notes());
  }

  /** How the migration ended according to the log, null if it does not say; for any thread. */
  public @Nullable String outcome() {
    return target.outcome();
  }
}
