// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation;
import org.wridscope.analysis.meaning.FirstError;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.file.ImportedFile;
import org.wridscope.recording.file.RecordingWriter;
import org.wridscope.recording.file.SessionHead;
import org.wridscope.recording.imported.ImportedKeys;
import org.wridscope.recording.imported.ImportedRam;
import org.wridscope.recording.imported.ImportedRegistrations;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.recording.imported.ImportedTransfers;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;

/**
 * Makes a session of the lines of a trace log of QEMU ({@code -trace 'qemu_rdma*' -trace 'rdma*'
 * -msg timestamp=on}, and all other events of {@code migration/} that are traced). What the log
 * does not contain is not invented: posts of receives, keys of the source's own memory, dirtied
 * pages.
 */
public final class QemuLogImporter {
  /** The distance of lines in a log without times. */
  private static final long UNTIMED_STEP = TimeUnit.MICROSECONDS.toNanos(1);

  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** About as many samples are taken of a log without times, but not more than one for a line. */
  private static final long UNTIMED_SAMPLES = 2_000;

  /** The length of a usual line. */
  private static final long LINE_BYTES = 80;

  /** So many unknown events are named. */
  private static final int MOST_UNKNOWN = 20;

  private static final String OTHERS = "others";

  private static final int SENT_WRID = WorkRequestId.CONTROL_SEND;

  /** The receive for an answer ({@code RDMA_WRID_DATA}). */
  private static final int ANSWER_WRID = WorkRequestId.CONTROL_RECEIVE + 1;

  /** The device of a session whose log does not tell it. */
  static final String UNNAMED_DEVICE = "a device that the log does not name";

  /** Why a session has its device. */
  static final String AS_LOGGED = "as its trace log says";

  private final Role role;
  private final ImportedSession session;
  private final ImportedRam ram = new ImportedRam();

  private final ImportedBanner banner;
  private final ImportedTransfers transfers;
  private final ImportedRegistrations registrations;
  private final ImportedKeys keys;
  private final ImportedUnregistrations unregistrations;
  private final ImportedRounds rounds;

  /** Whether a source has begun to migrate. */
  private boolean begun;

  private boolean pinAllRequested;
  private boolean pinAll;

  private long receivedWrid;
  private boolean readyComes;
  private @Nullable Ready readyCame;
  private boolean awaitsRegistration;

  /** Lines that only the other end writes. */
  private long ofOther;

  private long lines;
  private long strange;
  private @Nullable String firstStrange;

  /** Events of RDMA that a newer QEMU has; how often each was written. */
  private final Map<String, Long> unknown = new TreeMap<>();

  private final FirstError errors = FirstError.ofConsole();

  /** Whether the monitor of a destination shows that its guest runs. */
  private boolean runs;

  /** The status of the completion whose failure was printed last. */
  private int failedStatus;

  /** The completion of a READY at the source. */
  private record Ready(long nanos, long wrid) {}

  /**
   * Begins a session at its present time.
   *
   * @param role the end that writes the log
   * @param device its name, empty when the log does not tell it
   * @param tracesRoute whether the log has the GIDs of the connection
   * @param timed whether durations are known
   * @param begun whether the first line belongs to a migration; otherwise one may begin later
   */
  QemuLogImporter(
      Role role,
      ImportedSession session,
      String device,
      boolean tracesRoute,
      boolean timed,
      boolean begun)
      throws IOException {
    this.role = role;
    this.session = session;
    this.begun = begun;
    session.begin();
    banner = new ImportedBanner(session, device, tracesRoute);
    transfers = new ImportedTransfers(session, ram);
    registrations = new ImportedRegistrations(session, ram, isSource());
    keys = new ImportedKeys(session, ram);
    unregistrations = new ImportedUnregistrations(session, registrations);
    rounds = new ImportedRounds(session, session.now(), timed);
    session.phase(
        begun && isSource()
            ? Phase.Kind.CONNECT
            : isSource() ? Phase.Kind.IDLE : Phase.Kind.LISTEN);
  }

  private static long sampleNanos(QemuLog log) throws IOException {
    return log.isTimed()
        ? SAMPLE_NANOS
        : UNTIMED_STEP * Math.max(1, Files.size(log.file()) / LINE_BYTES / UNTIMED_SAMPLES);
  }

  /**
   * Writes logs as a recording with a session for each.
   *
   * @param end the end that wrote the only log if it does not show that
   */
  public static void convert(List<QemuLog> logs, @Nullable Role end, RecordingWriter writer)
      throws IOException {
    for (int i = 0; i < logs.size(); i++) {
      Role role = logs.get(i).end() == null ? end : logs.get(i).end();
      convert(logs.get(i), Objects.requireNonNull(role, "an end"), writer, i);
    }
  }

  private static void convert(QemuLog log, Role role, RecordingWriter writer, int number)
      throws IOException {
    long beganAt = log.beganAt();
    var head =
        new SessionHead(
            role,
            SessionHead.QEMU,
            name(role),
            log.uri(),
            log.device().isEmpty() ? UNNAMED_DEVICE : log.device(),
            AS_LOGGED,
            beganAt,
            beganAt,
            Instant.EPOCH.plusNanos(beganAt));
    var session =
        new ImportedSession(
            new ImportedFile(writer, head, number), role, beganAt, sampleNanos(log));
    session.set(Metric.COMPLETION_QUEUE_SHARED, log.sharesCompletionQueue() ? 1 : 0);
    var importer =
        new QemuLogImporter(role, session, log.device(), log.tracesRoute(), log.isTimed(), true);
    try (QemuLog.Lines lines = log.lines()) {
      QemuLine line;
      while ((line = lines.next()) != null) {
        importer.add(line, log.isTimed() ? line.nanos() : lines.count() * UNTIMED_STEP);
      }
    }
    log.notes().forEach(session::note);
    if (!log.traced()) {
      session.note(
          "These are the lines of a console without trace events (-trace 'qemu_rdma*'), so requests and messages are not shown.");
    }
    importer.finish(
        log.isTimed() || !log.traced()
            ? null
            : "The log has no times (-msg timestamp=on); its lines are shown one microsecond"
                + " apart.");
  }

  static String name(Role role) {
    return role == Role.SOURCE ? "QEMU source" : "QEMU destination";
  }

  private boolean isSource() {
    return role == Role.SOURCE;
  }

  /**
   * Adds the next line.
   *
   * @param nanos when it was written, {@link QemuLine#NO_TIME} when that is not known
   */
  void add(QemuLine line, long nanos) throws IOException {
    lines++;
    before(line.before());
    if (!line.isEvent()) {
      if (line.nanos() != QemuLine.NO_TIME) {
        session.advance(nanos);
      }
      foreign(line.text());
      return;
    }
    if (nanos != QemuLine.NO_TIME) {
      session.advance(nanos);
    }
    Role writer = QemuEventParser.end(line);
    if (writer != null && writer != role) {
      ofOther++;
    }
    if (QemuEventParser.isNewOfRdma(line.event())) {
      unknown(line.event());
      return;
    }
    QemuEvent event = QemuEventParser.parse(line).orElse(null);
    handleReady(event instanceof QemuEvent.ControlReceived);
    if (event == null || !handle(event)) {
      strange(line.event() + " " + line.text());
    }
  }

  /** Handles a text before a trace event in the same line. */
  private void before(String text) throws IOException {
    if (!QemuConsole.isPrefix(text)) {
      foreign(text);
    }
  }

  /** Handles a line that is not a trace event. */
  private void foreign(String text) throws IOException {
    String shown = QemuConsole.message(text);
    banner.printed(shown);
    String known = QemuConsole.withoutPrompt(shown);
    boolean error = QemuConsole.mayBeSaid(known) && errors.add(lines, known);
    OptionalInt status = QemuConsole.failedStatus(known);
    String type = QemuConsole.failedType(known);
    if (status.isPresent()) {
      failedStatus = status.getAsInt();
    } else if (type != null) {
      boolean outstanding = failed(failedStatus, type);
      if (!outstanding && session.get(Metric.SENDS_POSTED) > 0) {
        strange(known);
      }
    } else if (!error && !QemuConsole.isComplaint(known) && !QemuConsole.isUsual(shown)) {
      strange(shown);
    }
    ended(known);
  }

  /** A line of libvirt or of the monitor tells how it ended. */
  private void ended(String text) throws IOException {
    MigrationStatus told = QemuConsole.status(text);
    if ("migrated".equals(QemuConsole.ending(text)) && isSource()) {
      told = MigrationStatus.COMPLETED;
    }
    // "info status" at a destination: the guest was loaded.
    runs |= !isSource() && text.equals("VM status: running");
    if (told != null && told != session.status() && !session.status().isEnd()) {
      enter(told);
    }
  }

  private void unknown(String event) {
    boolean named = unknown.containsKey(event) || unknown.size() < MOST_UNKNOWN;
    unknown.merge(named ? event : OTHERS, 1L, Long::sum);
  }

  private void strange(String text) {
    strange++;
    if (firstStrange == null) {
      firstStrange = text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
  }

  /**
   * Ends the session; no line follows.
   *
   * @param remark a further sentence for the user, null for none
   */
  void finish(@Nullable String remark) throws IOException {
    handleReady(false);
    settleRam();
    registrations.flush();
    conclude();
    if (session.status().isEnd()) {
      session.completeAll(false);
    }
    if (strange > 0) {
      session.note(
          "%s of %s lines were not understood; the first one is: %s"
              .formatted(Format.count(strange), Format.count(lines), firstStrange));
    }
    if (!unknown.isEmpty()) {
      session.note(
          "Events of QEMU's RDMA migration that are not known here were passed over: %s. A newer QEMU wrote the log; what these events tell is not shown."
              .formatted(
                  unknown.entrySet().stream()
                      .map(event ->
                          "%s (%s)".formatted(event.getKey(), Format.count(event.getValue())))
                      .collect(Collectors.joining(", "))));
    }
    if (ofOther > 0) {
      session.note(
          "%s of %s lines are ones that only a %s writes; they may be misread. Give each end a log of its own."
              .formatted(
                  Format.count(ofOther),
                  Format.count(lines),
                  isSource() ? "destination" : "source"));
    }
    if (remark != null) {
      session.note(remark);
    }
    session.finishWith(outcome());
  }

  /**
   * A log that ends with an error, and does not show how the migration ended, is of one that
   * failed.
   */
  void conclude() throws IOException {
    if (begun && !runs && !session.status().isEnd() && errors.get().isPresent()) {
      enter(MigrationStatus.FAILED);
    }
  }

  private @Nullable SessionOutcome outcome() {
    if (session.status() == MigrationStatus.COMPLETED) {
      return new SessionOutcome("QEMU reports: completed.");
    }
    FirstError.Said error = errors.get().orElse(null);
    if (error != null && !runs) {
      boolean isCause = error.explanation().weight() == Explanation.Weight.CAUSE;
      return new SessionOutcome(error.sentence(), "", isCause ? Origin.HERE : Origin.UNKNOWN);
    }
    return session.status().isEnd()
        ? new SessionOutcome("The migration ended with status " + session.status().qemuName() + ".")
        : null;
  }

  /**
   * Handles an event.
   *
   * @return false when it is impossible because it names a block or a chunk that does not exist
   */
  private boolean handle(QemuEvent event) throws IOException {
    if (!belongsToUnregistration(event)) {
      unregistrations.otherEvent();
    }
    switch (event) {
      case QemuEvent.BlockAdded block -> {
        return ram.add(
            new ImportedRam.Block(block.name(), block.address(), block.offset(), block.length()));
      }
      case QemuEvent.DeviceOpened(String printed) -> banner.printed(printed);
      case QemuEvent.Failed(String why) -> errors.addError(lines, why);
      case QemuEvent.BlocksListed() -> {
        if (isSource()) {
          settleRam();
        }
      }
      case QemuEvent.BlockNotified(String name, int index) -> ram.order(name, index);
      case QemuEvent.BlocksAsked() -> settleRam();
      case QemuEvent.ControlSent(ControlType type) -> sent(type);
      case QemuEvent.ControlReceived(ControlType type) -> {
        // READY was reported by poll_recv already; NONE is followed by the real type.
        if (type != ControlType.NONE && type != ControlType.READY) {
          received(type);
        }
      }
      case QemuEvent.OtherReceived(ControlType type) -> received(type);
      case QemuEvent.ReadyPolled() -> readyComes = true;
      case QemuEvent.ControlCompleted(long wrid) -> controlCompleted(wrid);
      case QemuEvent.WriteCompleted(int block, long chunk) -> {
        unregistrations.writeCompleted(block, chunk);
        return transfers.writeCompleted(block, chunk);
      }
      case QemuEvent.Missed(long wanted, long got) -> missed(wanted, got);
      case QemuEvent.WritePosted post -> {
        return transfers.posted(post.chunk(), post.address(), post.remote(), post.length());
      }
      case QemuEvent.Zeros(int block, long address, long bytes) -> {
        return transfers.zeros(block, address, bytes);
      }
      case QemuEvent.Registering(long bytes, long address) -> {
        return registrations.registering(bytes, address);
      }
      case QemuEvent.KeyRequested(int block, long address, long bytes) -> {
        return keys.requested(block, address, bytes);
      }
      case QemuEvent.KeyGiven(int key) -> {
        registrations.keyed(key);
        keys.given(key);
      }
      case QemuEvent.KeyReceived(int key, long chunk) ->
          keys.received(key, chunk, registrations.newestBlock());
      case QemuEvent.UnregisterQueued(long chunk, int position) -> {
        return unregistrations.queued(chunk, position, false);
      }
      case QemuEvent.UnregisterQueuedAlready(long chunk) -> {
        return unregistrations.queued(chunk, 0, true);
      }
      case QemuEvent.UnregisterTaken(long chunk, int position) ->
          unregistrations.taken(chunk, position);
      case QemuEvent.UnregisterPostponed() -> unregistrations.postponed();
      case QemuEvent.Unregistering(long chunk) -> {
        return unregistrations.unregistering(chunk);
      }
      case QemuEvent.UnregisterConfirmed() -> unregistrations.confirmed();
      case QemuEvent.UnregisterAsked(int request, int block, long chunk) ->
          unregistrations.asked(request, block, chunk);
      case QemuEvent.Unregistered(long chunk) -> {
        return unregistrations.unregistered(chunk);
      }
      case QemuEvent.WriteAwaited(int block, long chunk) -> {
        return transfers.writeAwaited(block, chunk);
      }
      case QemuEvent.RoomAwaited() -> transfers.roomAwaited();
      case QemuEvent.WaitBegan(ControlType answer) ->
          session.beginWait(
              answer == null
                  ? new Wait(Wait.Kind.UNKNOWN_MESSAGE)
                  : new Wait(Wait.Kind.MESSAGE, answer.value()),
              ANSWER_WRID);
      case QemuEvent.WaitEnded() -> session.endWait();
      case QemuEvent.RegistrationAwaited() -> awaitsRegistration = true;
      case QemuEvent.StatusEntered(MigrationStatus status) -> enter(status);
      case QemuEvent.Pending(long bytes) -> session.set(Metric.RAM_REMAINING, bytes);
      case QemuEvent.LastPending(long bytes) -> {
        session.set(Metric.RAM_REMAINING, bytes);
        rounds.notCounted();
      }
      case QemuEvent.SyncBegan() -> rounds.endRound();
      case QemuEvent.SyncEnded(long dirtyPages) ->
          rounds.beginRound(dirtyPages << RamBlock.PAGE_SHIFT);
      case QemuEvent.GuestStopped() -> rounds.guestPaused();
      case QemuEvent.ConnectionAwaited() -> rounds.connecting();
      case QemuEvent.Connected() -> {
        session.phase(Phase.Kind.SET_UP);
        var agreement = new Agreement(pinAllRequested || pinAll, pinAll, false);
        session.event(EventKind.ESTABLISHED, agreement.detail(), 0, 0, 0);
      }
      case QemuEvent.PinAllRequested() -> pinAllRequested = true;
      case QemuEvent.PinAll(boolean granted) -> pinAll = granted;
      case QemuEvent.PinsAll() -> registrations.registerAll();
      case QemuEvent.BlockDeleted(long address) -> {
        int block = ram.blockAt(address);
        if (block >= 0) {
          registrations.release(block);
        }
      }
      case QemuEvent.Disconnected() -> session.event(EventKind.DISCONNECTING, 0, 0, 0, 0);
      case QemuEvent.Gids(String where, String source, String destination) ->
          banner.gids(where, source, destination);
      case QemuEvent.Silent() -> {}
    }
    return true;
  }

  /** Whether all RAM is pinned, as far as the lines show it. */
  boolean pinsAll() {
    return pinAll;
  }

  /** The migration has a status from now on. */
  void enter(MigrationStatus status) throws IOException {
    if (!isSource() && status == MigrationStatus.SETUP) {
      // A destination that listens has this status in QEMU 10.0 and 11.1, and none in 7.2.
      return;
    }
    if (isSource() && !begun) {
      begun = true;
      rounds.connecting();
    }
    if (!isSource() && status == MigrationStatus.COMPLETED) {
      registrations.arrived();
    }
    rounds.entered(status);
  }

  private static boolean belongsToUnregistration(QemuEvent event) {
    return switch (event) {
      case QemuEvent.WriteCompleted _,
          QemuEvent.UnregisterPostponed _,
          QemuEvent.UnregisterQueued _,
          QemuEvent.UnregisterQueuedAlready _,
          QemuEvent.Silent _ ->
          true;
      default -> false;
    };
  }

  private void settleRam() throws IOException {
    if (ram.settle()) {
      transfers.blocksKnown();
      session.set(Metric.RAM_TOTAL, ram.totalLength());
      session.set(Metric.RAM_REMAINING, isSource() ? ram.totalLength() : 0);
      session.blocks(ram);
    }
  }

  // ------------------------------------------------------------------------- messages, completions

  private void sent(ControlType type) throws IOException {
    if (type == ControlType.RAM_BLOCKS_RESULT && pinAll) {
      registrations.registerAll();
    }
    session.sent(type, SENT_WRID);
    session.beginWait(new Wait(Wait.Kind.ITS_SEND), SENT_WRID);
  }

  private void received(ControlType type) throws IOException {
    if (isSource() && type == ControlType.RAM_BLOCKS_RESULT && pinAll) {
      session.allKeysKnown();
    }
    // It came before the completion of the SEND, after which it would be awaited.
    awaitsRegistration = false;
    session.received(type, receivedWrid);
  }

  private void controlCompleted(long wrid) throws IOException {
    if (wrid == SENT_WRID) {
      session.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid, 0);
      session.endWait();
      if (awaitsRegistration) {
        awaitsRegistration = false;
        session.beginWait(new Wait(Wait.Kind.REGISTRATION_MESSAGE), WorkRequestId.CONTROL_RECEIVE);
      }
    } else if (readyComes) {
      readyComes = false;
      readyCame = new Ready(session.now(), wrid);
    } else {
      receiveCompleted(0, wrid);
      if (!isSource() && !session.isWaiting(Wait.Kind.ITS_SEND)) {
        session.endWait();
      }
    }
  }

  /**
   * Handles the completion of a READY at the source, once the next line shows whether the source
   * was waiting for it.
   */
  private void handleReady(boolean waitedFor) throws IOException {
    Ready ready = readyCame;
    if (ready == null) {
      return;
    }
    readyCame = null;
    long present = session.now();
    if (waitedFor) {
      // The wait began after the previous event.
      session.goTo(session.lastEvent());
      session.beginWait(new Wait(Wait.Kind.READY), ready.wrid);
    }
    session.goTo(ready.nanos);
    receiveCompleted(0, ready.wrid);
    received(ControlType.READY);
    if (waitedFor) {
      session.endWait();
    }
    session.goTo(present);
  }

  private void receiveCompleted(int status, long wrid) throws IOException {
    session.event(EventKind.COMPLETION_RECEIVE_QUEUE, status, 0, wrid, 0);
    // It was posted, but the log does not say when.
    session.add(Metric.RECEIVES_POSTED, 1);
    receivedWrid = wrid;
  }

  /**
   * A completion failed; QEMU prints its status and its type. It is the oldest of its queue.
   *
   * @return false when nothing of the kind is outstanding
   */
  private boolean failed(int status, String type) throws IOException {
    handleReady(false);
    if (type.equals(WorkRequestId.describe(SENT_WRID))) {
      session.event(EventKind.COMPLETION_SEND_QUEUE, status, 0, SENT_WRID, 0);
      return true;
    }
    if (WorkRequestId.describe(WorkRequestId.CONTROL_RECEIVE).startsWith(type)) {
      receiveCompleted(status, WorkRequestId.CONTROL_RECEIVE);
      return true;
    }
    boolean known = transfers.failed(status);
    // Of a request that no line has told of there is no event.
    session.add(Metric.FAILED_COMPLETIONS, known ? 0 : 1);
    return known;
  }

  /**
   * A wait for another completion took out this one. Like QEMU: an RDMA WRITE counts as completed
   * all the same, and while one is awaited, a receive can only be that of a READY, which is noted.
   * Any other completion is lost for its own wait.
   */
  private void missed(long wanted, long got) throws IOException {
    if (QemuLog.isOfOneQueue(wanted, got)) {
      session.set(Metric.COMPLETION_QUEUE_SHARED, 1);
    }
    boolean harmless = wanted == WorkRequestId.RDMA_WRITE || got == WorkRequestId.RDMA_WRITE;
    long wrid = got == WorkRequestId.RDMA_WRITE ? transfers.lastCompleted() : got;
    if (wrid == 0) {
      // The log does not say which write it was.
      return;
    }
    session.missed(
        harmless ? EventKind.COMPLETION_MET : EventKind.COMPLETION_DROPPED,
        switch ((int) wanted) {
          case WorkRequestId.RDMA_WRITE -> Wait.Kind.ANY_WRITE;
          case SENT_WRID -> Wait.Kind.ITS_SEND;
          default -> Wait.Kind.ANY_MESSAGE;
        },
        wrid,
        wanted);
  }
}
