// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.analysis.meaning.FirstError;
import org.wridscope.guest.qemu.KnownSettings;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * One migration by QEMU's own engine, with the one or two ends that this process has connected. Its
 * thread starts and steers it through QMP, asks both QEMUs how far they are, twenty times a second
 * and at each event, and says how it ended. QEMU goes on without it if this process ends.
 */
final class QemuMigrationRun implements QemuSteering {
  private static final Logger LOG = LoggerFactory.getLogger(QemuMigrationRun.class);

  private static final Duration POLL = Duration.ofMillis(50);

  /** How long to try to reach a QEMU again whose QMP connection has ended. */
  private static final Duration RECONNECT_LIMIT = Duration.ofSeconds(5);

  /** How long a destination may take to finish once its source has completed. */
  private static final Duration ARRIVAL_LIMIT = Duration.ofSeconds(60);

  /** How long to watch a destination whose source gave up: QEMU often ends it. */
  private static final Duration AFTERMATH = Duration.ofSeconds(2);

  private static final Ending DEFECT =
      new Ending(MigrationStatus.FAILED, "This program made an error; see its log.");

  private final QemuMigrationSettings settings;
  private final @Nullable QemuMigrationSession source;
  private final @Nullable QemuMigrationSession destination;
  private final LinkedBlockingQueue<Order> orders = new LinkedBlockingQueue<>();
  private @Nullable QemuEnd sourceEnd;
  private @Nullable QemuEnd destinationEnd;
  private volatile boolean cancelled;
  private volatile boolean switchingOver;

  /** Whether the source QEMU was told to migrate. */
  private boolean begun;

  /** Something to be done by the thread of the migration. */
  @FunctionalInterface
  private interface Order {
    void perform() throws IOException, InterruptedException;
  }

  /** How one end ended. */
  private record Ending(MigrationStatus status, SessionOutcome outcome) {
    Ending(MigrationStatus status, String sentence) {
      this(status, new SessionOutcome(sentence));
    }

    Ending(MigrationStatus status, String reason, String guest, Origin origin) {
      this(status, new SessionOutcome(reason, guest, origin));
    }
  }

  /** How both ends ended. */
  private record Conclusion(Ending source, Ending destination) {}

  /** The user has cancelled the migration before QEMU was told to begin. */
  private static final class NotBegunException extends IOException {
    NotBegunException() {
      super("The migration was cancelled before it began.");
    }
  }

  QemuMigrationRun(String name, QemuMigrationSettings settings, Sampler sampler) {
    this.settings = settings;
    var shown =
        new QemuMigrationSession.Shown(
            settings.uri().text(),
            settings.get(MigrationSetting.PIN_ALL),
            settings.get(MigrationSetting.BANDWIDTH),
            settings.get(MigrationSetting.DOWNTIME_LIMIT),
            settings.get(MigrationSetting.MONITORED));
    source =
        settings.source() == null
            ? null
            : new QemuMigrationSession(name + " source", Role.SOURCE, shown, this, sampler);
    destination =
        settings.destination() == null
            ? null
            : new QemuMigrationSession(
                name + " destination", Role.DESTINATION, shown, this, sampler);
  }

  /** The sessions of the ends that are connected here, the source first. */
  List<QemuMigrationSession> sessions() {
    return Stream.of(source, destination).filter(Objects::nonNull).toList();
  }

  void start(String name) {
    Thread.ofPlatform().daemon().name(name).start(this::run);
  }

  // ---- orders, from any thread

  @Override
  public void cancel() {
    if (!switchingOver) {
      cancelled = true;
      orders.add(() -> {
        if (begun && sourceEnd != null && !switchingOver) {
          sourceEnd.cancel();
        }
      });
    }
  }

  @Override
  public boolean isSwitchingOver() {
    return switchingOver;
  }

  @Override
  public void permitSwitchover() {
    orders.add(() -> {
      if (sourceEnd != null && source != null && source.heldBeforeSwitchover()) {
        sourceEnd.permitSwitchover();
      }
    });
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    if (source != null) {
      source.telemetry().limitBandwidth(bytesPerSecond);
      orders.add(() -> {
        if (sourceEnd != null) {
          sourceEnd.setBandwidthLimit(bytesPerSecond);
        }
      });
    }
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    if (source != null) {
      source.telemetry().limitDowntime(limit);
      orders.add(() -> {
        if (sourceEnd != null) {
          sourceEnd.setDowntimeLimit(limit);
        }
      });
    }
  }

  // ---- the thread

  private void run() {
    Conclusion conclusion = new Conclusion(DEFECT, DEFECT);
    try {
      conclusion = attempt();
    } catch (InterruptedException e) {
      // Nobody interrupts this thread; it ends here all the same.
      LOG.error("a migration of QEMU was interrupted", e);
    } catch (RuntimeException | Error e) {
      LOG.error("a migration of QEMU", e);
    } finally {
      switchingOver = false;
      close(sourceEnd);
      close(destinationEnd);
      end(source, conclusion.source());
      end(destination, conclusion.destination());
    }
  }

  private static void close(@Nullable QemuEnd end) {
    if (end != null) {
      try {
        end.putBack();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        end.close();
      }
    }
  }

  private static void end(@Nullable QemuMigrationSession session, Ending ending) {
    if (session != null) {
      session.end(ending.status(), ending.outcome());
    }
  }

  private Conclusion attempt() throws InterruptedException {
    try {
      begin();
    } catch (IOException e) {
      return notBegun(e);
    }
    return source == null ? watchDestination() : watchSource();
  }

  /** Connects and prepares both QEMUs, and tells them to begin. */
  private void begin() throws IOException, InterruptedException {
    for (QemuMigrationSession session : sessions()) {
      session.setStatus(MigrationStatus.SETUP);
      session.beginPhase(Phase.Kind.CONNECT);
      session.waitFor(new Wait(Wait.Kind.QEMU_ANSWER));
    }
    if (settings.source() != null && source != null) {
      sourceEnd = new QemuEnd(settings.source(), this::look);
      source.connected(sourceEnd.name(), sourceEnd.machine());
      requireNothingUnderWay(sourceEnd);
    }
    if (settings.destination() != null && destination != null) {
      destinationEnd = new QemuEnd(settings.destination(), this::look);
      destination.connected(destinationEnd.name(), destinationEnd.machine());
      requireWaiting(destinationEnd);
    }
    prepare();
    if (destinationEnd != null && destination != null) {
      notCancelled();
      destinationEnd.listen(settings.uri());
      destination.setStatus(MigrationStatus.NONE);
      destination.beginPhase(Phase.Kind.LISTEN);
      destination.waitFor(new Wait(Wait.Kind.QEMU_SOURCE));
    }
    if (sourceEnd != null && source != null) {
      notCancelled();
      source.beginPhase(Phase.Kind.SET_UP);
      source.waitFor(new Wait(Wait.Kind.QEMU_CONNECT, settings.uri().toString()));
      begun = true;
      sourceEnd.migrate(settings.uri());
    }
  }

  private void look() {
    orders.add(() -> {});
  }

  private void notCancelled() throws NotBegunException {
    if (cancelled) {
      throw new NotBegunException();
    }
  }

  private static void requireNothingUnderWay(QemuEnd end) throws IOException, InterruptedException {
    MigrationInfo info = end.migration();
    if (info.isInProgress()) {
      throw new IOException(
          "%s is migrating already (%s); wait for its end, or cancel that first."
              .formatted(end.name(), info.status()));
    }
  }

  private static void requireWaiting(QemuEnd end) throws IOException, InterruptedException {
    String status = end.status().status();
    if (!status.equals("inmigrate")) {
      throw new IOException(
          "%s does not wait for a guest (its state is %s); start it with -incoming defer."
              .formatted(end.name(), status));
    }
  }

  private void prepare() throws IOException, InterruptedException {
    requireSameChunks();
    var atSource = new TreeMap<>(settings.capabilities());
    if (sourceEnd != null) {
      sourceEnd.setNormalMode();
      withEvents(sourceEnd, atSource);
      sourceEnd.setBandwidthLimit(settings.get(MigrationSetting.BANDWIDTH));
      sourceEnd.setDowntimeLimit(settings.get(MigrationSetting.DOWNTIME_LIMIT));
    }
    if (destinationEnd != null) {
      destinationEnd.setNormalMode();
      // The others concern the source alone.
      var both = new TreeMap<String, Boolean>();
      Boolean pinAll = settings.capabilities().get(MigrationSetting.PIN_ALL.qmp());
      if (pinAll != null) {
        both.put(MigrationSetting.PIN_ALL.qmp(), pinAll);
      }
      withEvents(destinationEnd, both);
    }
  }

  /** No message has the size of chunks, and QEMU's source fails if the ends differ in it. */
  private void requireSameChunks() throws IOException, InterruptedException {
    if (sourceEnd == null || destinationEnd == null || !settings.uri().rdma()) {
      return;
    }
    long here = sourceEnd.chunkSize();
    long there = destinationEnd.chunkSize();
    if (here != there) {
      throw new IOException(
          "The parameter %s is %d in %s and %d in %s; set it to the same value in both with migrate-set-parameters."
              .formatted(
                  KnownSettings.CHUNK_SIZE, here, sourceEnd.name(), there, destinationEnd.name()));
    }
  }

  /** Sets capabilities, and events if this QEMU has them. */
  private static void withEvents(QemuEnd end, Map<String, Boolean> wanted)
      throws IOException, InterruptedException {
    end.setCapabilities(wanted);
    if (end.hasCapability(QemuMigrationSettings.EVENTS)) {
      end.setCapabilities(Map.of(QemuMigrationSettings.EVENTS, true));
    }
  }

  /** The end of a migration that QEMU was not told to begin, or refused to. */
  private Conclusion notBegun(IOException e) throws InterruptedException {
    boolean byUser = e instanceof NotBegunException;
    MigrationStatus status = byUser ? MigrationStatus.CANCELLED : MigrationStatus.FAILED;
    String sentence = sentence(e);
    String listens =
        destinationEnd != null
                && destination != null
                && destination.status() == MigrationStatus.NONE
            ? " The QEMU keeps listening at %s.".formatted(settings.uri())
            : "";
    String there = source == null ? sentence : "The source gave up before QEMU began to migrate.";
    return new Conclusion(
        new Ending(status, sentence, guestAtSource(), Origin.HERE),
        new Ending(
            status,
            there + listens,
            "The guest was not started here.",
            source == null ? Origin.HERE : Origin.PEER));
  }

  /** Where the guest is when the source has it, a sentence. */
  private String guestAtSource() throws InterruptedException {
    QemuEnd end = sourceEnd;
    if (end == null) {
      return "The guest stays at the source.";
    }
    try {
      RunState now = end.status();
      noteGuest(source, now);
      if (now.running()) {
        return "The guest keeps running at the source.";
      }
      return end.ranBefore()
          ? "The guest is paused at the source (its state is %s); if it does not run at the destination, QEMU's cont resumes it."
              .formatted(now.status())
          : "The guest stays at the source, where it did not run before.";
    } catch (IOException e) {
      return "The source cannot be asked whether the guest runs there: " + sentence(e);
    }
  }

  private static void noteGuest(@Nullable QemuMigrationSession session, RunState now) {
    if (session != null) {
      session.setGuestRunning(now.running());
    }
  }

  // ---- the source is here

  private Conclusion watchSource() throws InterruptedException {
    QemuMigrationSession here = Objects.requireNonNull(source);
    QemuEnd end = Objects.requireNonNull(sourceEnd);
    var figures = new QemuFigures(here.telemetry());
    boolean destinationLost = false;
    while (true) {
      try {
        perform();
        MigrationInfo info = end.migration();
        RunState state = end.status();
        noteGuest(here, state);
        boolean stopped = state.status().equals("finish-migrate") || isHandingOver(info);
        figures.note(info, !stopped && info.isInProgress(), System.nanoTime());
        if (isOver(info)) {
          return conclude(here, info);
        }
        show(here, info, stopped);
      } catch (QmpException e) {
        Conclusion lost = afterSilence(e, end);
        if (lost != null) {
          return lost;
        }
      } catch (IOException e) {
        return unknown(e);
      }
      destinationLost = destinationLost || !lookAtDestination();
    }
  }

  /** Performs the next order, or waits a moment. */
  private void perform() throws IOException, InterruptedException {
    Order order = orders.poll(POLL.toNanos(), TimeUnit.NANOSECONDS);
    while (order != null) {
      try {
        order.perform();
      } catch (QmpException e) {
        if (e.kind() != QmpException.Kind.REFUSED) {
          throw e;
        }
        LOG.warn("{}", e.getMessage());
      }
      order = orders.poll();
    }
  }

  private static boolean isHandingOver(MigrationInfo info) {
    return info.status().equals("device") || info.status().equals("pre-switchover");
  }

  /** QEMU reports the status shortly before the total time, which is missing or 0 until then. */
  private static boolean isOver(MigrationInfo info) {
    return switch (info.status()) {
      case "failed", "cancelled" -> true;
      case "completed" -> info.totalTime().map(Duration::isPositive).orElse(false);
      default -> false;
    };
  }

  private void show(QemuMigrationSession here, MigrationInfo info, boolean stopped) {
    boolean held = info.status().equals("pre-switchover");
    switch (info.status()) {
      case "none", "setup", "wait-unplug" -> here.setStatus(MigrationStatus.SETUP);
      case "cancelling" -> here.setStatus(MigrationStatus.CANCELLING);
      case "failing" -> here.setStatus(MigrationStatus.FAILING);
      default -> {
        if (stopped) {
          switchingOver = !held;
          here.beginPhase(Phase.Kind.SWITCH_OVER);
          here.setStatus(held ? MigrationStatus.PRE_SWITCHOVER : MigrationStatus.DEVICE);
        } else {
          here.setStatus(MigrationStatus.ACTIVE);
        }
        here.waitFor(held ? new Wait(Wait.Kind.PERMISSION) : null);
      }
    }
  }

  /** Null if the QEMU can be asked again. */
  private @Nullable Conclusion afterSilence(QmpException e, QemuEnd end)
      throws InterruptedException {
    return switch (e.kind()) {
      case SILENT -> {
        Objects.requireNonNull(source).waitFor(new Wait(Wait.Kind.QEMU_ANSWER));
        yield cancelled ? unknown(e) : null;
      }
      case CLOSED -> reconnected(end) ? null : unknown(e);
      case REFUSED, INVALID -> unknown(e);
    };
  }

  private static boolean reconnected(QemuEnd end) throws InterruptedException {
    long limit = System.nanoTime() + RECONNECT_LIMIT.toNanos();
    while (System.nanoTime() < limit) {
      try {
        end.reconnect();
        return true;
      } catch (IOException e) {
        LOG.info("{}: {}", end.name(), e.getMessage());
        Uninterrupted.sleep(POLL);
      }
    }
    return false;
  }

  /** The end if the source QEMU cannot be asked any more. */
  private Conclusion unknown(IOException e) {
    String sentence =
        "%s It is not known whether its migration continues; ask that QEMU with query-migrate, or check whether it has ended: that shows where the guest is."
            .formatted(sentence(e));
    return new Conclusion(
        new Ending(MigrationStatus.UNDECIDED, sentence),
        new Ending(
            MigrationStatus.UNDECIDED,
            "The QEMU of the source can no longer be asked, so see what the other side reports.",
            "This QEMU says in query-status whether the guest runs here.",
            Origin.UNKNOWN));
  }

  private Conclusion conclude(QemuMigrationSession here, MigrationInfo info)
      throws InterruptedException {
    here.telemetry()
        .metrics()
        .set(Metric.TOTAL_TIME, info.totalTime().orElse(Duration.ZERO).toNanos());
    return switch (info.status()) {
      case "completed" -> completed();
      case "cancelled" -> gaveUp(MigrationStatus.CANCELLED, "QEMU cancelled its migration.");
      default -> {
        String reason = info.errorDesc().map(QemuMigrationRun::asSentence).orElse("");
        yield gaveUp(
            MigrationStatus.FAILED,
            reason.isEmpty()
                ? "QEMU's migration failed, and QEMU does not say why; its standard error may."
                : FirstError.QEMU_REPORTED + reason);
      }
    };
  }

  private Conclusion gaveUp(MigrationStatus status, String sentence) throws InterruptedException {
    String there = destinationEnd == null ? null : aftermath(destinationEnd);
    String also = there == null ? "" : " The destination " + there;
    return new Conclusion(
        new Ending(status, sentence + also, guestAtSource(), Origin.HERE),
        new Ending(
            status,
            "The source's QEMU gave up; see what the other side reports.%s"
                .formatted(there == null ? "" : " This QEMU " + there),
            "The guest was not started here.",
            Origin.UNKNOWN));
  }

  /** What became of a destination whose source gave up, a sentence without its subject. */
  private @Nullable String aftermath(QemuEnd end) throws InterruptedException {
    long limit = System.nanoTime() + AFTERMATH.toNanos();
    try {
      while (System.nanoTime() < limit) {
        MigrationInfo info = end.migration();
        if (info.status().equals("failed")) {
          return "says: " + info.errorDesc().map(QemuMigrationRun::asSentence).orElse("failed.");
        }
        Uninterrupted.sleep(POLL);
      }
      return null;
    } catch (IOException e) {
      return e instanceof QmpException qmp && qmp.kind() == QmpException.Kind.CLOSED
          ? "has ended, as QEMU does when a guest does not arrive; its standard error says more."
          : "does not answer: " + sentence(e);
    }
  }

  private Conclusion completed() throws InterruptedException {
    if (destinationEnd == null || destination == null) {
      return new Conclusion(
          new Ending(
              MigrationStatus.COMPLETED,
              "QEMU handed the guest over to %s. It is not known here whether it runs there; it no longer runs at the source."
                  .formatted(settings.uri())),
          DEFECT);
    }
    switchingOver = true;
    try {
      RunState there = arrived(destinationEnd);
      boolean ran = sourceEnd != null && sourceEnd.ranBefore();
      if (!there.running() && ran && settings.get(ManagedSetting.START_GUEST)) {
        destinationEnd.startGuest();
        there = destinationEnd.status();
      }
      noteGuest(destination, there);
      String guest =
          there.running()
              ? "The guest runs at the destination."
              : "The guest is at the destination, where it does not run (its state is %s); QEMU's cont starts it."
                  .formatted(there.status());
      return new Conclusion(
          new Ending(MigrationStatus.COMPLETED, "QEMU migrated the guest. " + guest),
          new Ending(
              MigrationStatus.COMPLETED,
              "The guest has arrived. "
                  + (there.running() ? "It runs here." : "It does not run yet.")));
    } catch (IOException e) {
      String sentence =
          "QEMU says at the source that the guest was handed over, but the destination does not confirm it: %s If that QEMU has ended, QEMU's cont resumes the guest at the source; it must not run at both."
              .formatted(sentence(e));
      return new Conclusion(
          new Ending(MigrationStatus.UNDECIDED, sentence),
          new Ending(MigrationStatus.UNDECIDED, sentence));
    }
  }

  /** Waits until a destination has loaded its guest. */
  private RunState arrived(QemuEnd end) throws IOException, InterruptedException {
    long limit = System.nanoTime() + ARRIVAL_LIMIT.toNanos();
    Objects.requireNonNull(source).waitFor(new Wait(Wait.Kind.QEMU_LOAD));
    while (true) {
      MigrationInfo info = end.migration();
      RunState state = end.status();
      if (info.status().equals("failed")) {
        throw new IOException(
            info.errorDesc().map(QemuMigrationRun::asSentence).orElse("It failed to load it."));
      }
      if (!state.status().equals("inmigrate") && !state.status().equals("finish-migrate")) {
        return state;
      }
      if (System.nanoTime() > limit) {
        throw new IOException(
            "it has not finished loading the guest within %d s."
                .formatted(ARRIVAL_LIMIT.toSeconds()));
      }
      Uninterrupted.sleep(POLL);
    }
  }

  /** Shows what the destination says; false once it cannot be asked. */
  private boolean lookAtDestination() throws InterruptedException {
    QemuEnd end = destinationEnd;
    QemuMigrationSession there = destination;
    if (end == null || there == null) {
      return true;
    }
    try {
      MigrationInfo info = end.migration();
      noteGuest(there, end.status());
      if (info.status().equals("active")) {
        arriving(there);
      }
      return true;
    } catch (IOException e) {
      // The source will notice and say how the migration ends.
      there.waitFor(new Wait(Wait.Kind.QEMU_ANSWER));
      return false;
    }
  }

  private static void arriving(QemuMigrationSession there) {
    there.waitFor(null);
    there.beginPhase(Phase.Kind.ARRIVE);
    there.setStatus(MigrationStatus.ACTIVE);
  }

  // ---- the source is elsewhere

  private Conclusion watchDestination() throws InterruptedException {
    QemuMigrationSession there = Objects.requireNonNull(destination);
    QemuEnd end = Objects.requireNonNull(destinationEnd);
    while (true) {
      try {
        perform();
        MigrationInfo info = end.migration();
        RunState state = end.status();
        noteGuest(there, state);
        if (info.status().equals("active")) {
          arriving(there);
        }
        if (!state.status().equals("inmigrate")) {
          return onlyDestination(
              MigrationStatus.COMPLETED,
              state.running()
                  ? "The guest has arrived and runs here."
                  : "The guest has arrived and does not run yet (its state is %s); QEMU's cont starts it."
                      .formatted(state.status()));
        }
        if (info.status().equals("failed")) {
          return onlyDestination(
              MigrationStatus.FAILED,
              "QEMU could not take the guest: %s The guest was not started here."
                  .formatted(
                      info.errorDesc()
                          .map(QemuMigrationRun::asSentence)
                          .orElse("no reason given.")));
        }
        if (cancelled) {
          return onlyDestination(
              MigrationStatus.CANCELLED,
              "Wridscope no longer watches this QEMU, which keeps waiting at %s; only its source, or its end, stops that. The guest was not started here."
                  .formatted(settings.uri()));
        }
      } catch (IOException e) {
        return onlyDestination(
            MigrationStatus.FAILED,
            "%s The QEMU has probably ended, as QEMU does when a guest does not arrive; its standard error says more. The guest was not started here."
                .formatted(sentence(e)));
      }
    }
  }

  private static Conclusion onlyDestination(MigrationStatus status, String sentence) {
    return new Conclusion(DEFECT, new Ending(status, sentence));
  }

  // ---- sentences

  private static String sentence(IOException e) {
    String message = e.getMessage();
    return message == null || message.isBlank() ? e.toString() + "." : asSentence(message);
  }

  /** A text of QEMU, which has no full stop. */
  private static String asSentence(String text) {
    String stripped = text.strip();
    return stripped.endsWith(".") ? stripped : stripped + ".";
  }
}
