// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.figures.Observation;
import org.wridscope.recording.qemu.LiveImport;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.common.Uninterrupted;

/** One end of a migration that is only watched: cancelling ends the watch, not the migration. */
final class WatchedSession implements Session {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedSession.class);

  private final String name;
  private final LiveImport log;
  private final Supplier<String> uri;
  private final MigrationReport.@Nullable Machine machine;
  private final Runnable stop;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean guestRunning;
  private volatile @Nullable String outcome;
  private volatile long endNanos;

  /**
   * @param uri of the migration, as far as it is known
   * @param machine the QEMU, null if only its log is known
   * @param stop ends the watch soon
   */
  WatchedSession(
      String name,
      LiveImport log,
      Supplier<String> uri,
      MigrationReport.@Nullable Machine machine,
      Runnable stop) {
    this.name = name;
    this.log = log;
    this.uri = uri;
    this.machine = machine;
    this.stop = stop;
  }

  void setGuestRunning(boolean running) {
    guestRunning = running;
  }

  /** Ends the session; nothing is written to its telemetry after that. */
  void end(String sentence) {
    endNanos = System.nanoTime();
    outcome = sentence;
    ended.countDown();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String uri() {
    return uri.get();
  }

  @Override
  public Observation observation() {
    return Observation.LOG;
  }

  @Override
  public String device() {
    return log.device();
  }

  @Override
  public String deviceReason() {
    return LiveImport.deviceReason();
  }

  @Override
  public SessionTelemetry telemetry() {
    return log.telemetry();
  }

  @Override
  public @Nullable SessionOutcome result() {
    String sentence = outcome;
    return sentence == null ? null : new SessionOutcome(sentence);
  }

  @Override
  public List<String> notes() {
    return log.notes();
  }

  /** A log does not tell it. */
  @Override
  public boolean tellsGuest() {
    return machine != null;
  }

  @Override
  public boolean guestRunning() {
    return guestRunning;
  }

  @Override
  public Optional<MigrationReport.Machine> machine() {
    return Optional.ofNullable(machine);
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  @Override
  public void cancel() {
    stop.run();
  }

  @Override
  public MigrationReport report() {
    return Reports.ofWatched(this, log.pinsAll(), outcome == null ? System.nanoTime() : endNanos);
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    cancel();
    if (!Uninterrupted.await(ended, END_PATIENCE)) {
      LOG.warn(
          "the watch of {} has not ended {} s after it was to", name, END_PATIENCE.toSeconds());
    }
  }
}
