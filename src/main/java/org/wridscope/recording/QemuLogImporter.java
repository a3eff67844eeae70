// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.verbs.ConnectionEvent;

/**
 * Makes a recording of a trace log of QEMU 7.2 ({@code -trace 'qemu_rdma*' -trace 'rdma*' -msg
 * timestamp=on}, and whatever else of {@code migration/} is traced). What the log does not tell is
 * not made up: posted receives, keys of the source's own memory, what was dirtied.
 */
final class QemuLogImporter {
  /** How far apart the lines of a log without times are shown. */
  private static final long UNTIMED_STEP = TimeUnit.MICROSECONDS.toNanos(1);

  private static final int SENT_WRID = WorkRequestId.CONTROL_SEND;

  /** Lines that QEMU itself writes when something is wrong. */
  private static final Pattern COMPLAINT =
      Pattern.compile(
          "^(?:\\S+Z )?(?:qemu-system-\\S+: |RDMA ERROR: |ibv_poll_cq |rdma_get_cm_event ).*");

  private final QemuLog log;
  private final ImportedSession session;
  private final QemuRam ram = new QemuRam();

  private long beganAt;
  private boolean pinAll;
  private long pausedAt;
  private boolean roundOpen;
  private long[] remoteAddresses = {};

  private long receivedWrid;
  private boolean readyComes;
  private @Nullable Ready readyCame;
  private boolean awaitsRegistration;
  private @Nullable Registered registered;

  /** Bytes of the writes that have not completed, by their work request ids. */
  private final Map<Long, ArrayDeque<Long>> inTransit = new HashMap<>();

  /** Zeros that were traced, and of which no COMPRESS was traced yet. */
  private long zerosFound;

  /** Zeros told with COMPRESS, for which no READY came yet. */
  private long zerosTold;

  private long strange;
  private @Nullable String firstStrange;
  private @Nullable String complaint;

  /** A source's READY of which the completion came. */
  private record Ready(long nanos, long wrid) {}

  /** What was registered just now. */
  private record Registered(long nanos, int block, int firstChunk, int chunks) {}

  private QemuLogImporter(QemuLog log, TraceWriter writer) throws IOException {
    this.log = log;
    beganAt = log.beganAt();
    session =
        new ImportedSession(
            writer,
            new SessionHead(
                log.role(),
                SessionHead.QEMU,
                isSource() ? "QEMU source" : "QEMU destination",
                log.host().isEmpty() ? "rdma:" : "rdma:" + log.host(),
                log.device().isEmpty() ? "a device that the log does not name" : log.device(),
                "as its trace log says",
                beganAt,
                beganAt,
                Instant.EPOCH.plusNanos(beganAt)),
            beganAt);
    session.phase(isSource() ? Session.CONNECT : "listen");
  }

  /** Writes the log as a recording of one session. */
  static void convert(QemuLog log, TraceWriter writer) throws IOException {
    new QemuLogImporter(log, writer).run();
  }

  private boolean isSource() {
    return log.role() == Role.SOURCE;
  }

  private void run() throws IOException {
    try (QemuLog.Lines lines = log.lines()) {
      QemuLine line;
      while ((line = lines.next()) != null) {
        if (!line.before().isBlank()) {
          foreign(line.before());
        }
        if (!line.isEvent()) {
          foreign(line.text());
          continue;
        }
        if (line.nanos() != QemuLine.NO_TIME) {
          session.advance(line.nanos());
        } else if (!log.isTimed()) {
          session.advance(lines.count() * UNTIMED_STEP);
        }
        QemuEvent event = QemuEventParser.parse(line).orElse(null);
        ready(event instanceof QemuEvent.ControlReceived);
        if (event == null || !take(event)) {
          strange(line.event() + " " + line.text());
        }
      }
      finish(lines.count());
    }
  }

  /** A line that is no trace event. */
  private void foreign(String text) {
    String known = text.strip();
    if (COMPLAINT.matcher(known).matches()) {
      complaint = known;
    } else if (!known.isEmpty() && !known.startsWith("#") && !QemuLog.namesDevice(known)) {
      strange(known);
    }
  }

  private void strange(String text) {
    strange++;
    if (firstStrange == null) {
      firstStrange = text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
  }

  private void finish(long lines) throws IOException {
    ready(false);
    settleRam();
    if (strange > 0) {
      session.note(
          "%s of %s lines were not understood; the first is: %s"
              .formatted(Format.count(strange), Format.count(lines), firstStrange));
    }
    if (!log.isTimed()) {
      session.note(
          "The log has no times (-msg timestamp=on); its lines are shown a microsecond apart.");
    }
    session.finish(outcome());
  }

  private @Nullable String outcome() {
    if (session.status() == MigrationStatus.COMPLETED) {
      return "QEMU completed it.";
    }
    if (complaint != null) {
      return "QEMU said: " + complaint;
    }
    return session.status().isEnd()
        ? "The migration ended as " + session.status().qemuName() + "."
        : null;
  }

  /**
   * Takes what an event tells.
   *
   * @return false when it cannot be so: it names a block or a chunk that is not there
   */
  private boolean take(QemuEvent event) throws IOException {
    switch (event) {
      case QemuEvent.BlockAdded block -> {
        return ram.add(block);
      }
      case QemuEvent.BlocksListed() -> {
        if (isSource()) {
          settleRam();
        }
      }
      case QemuEvent.BlockNotified(String name, int index) -> ram.order(name, index);
      case QemuEvent.BlocksAsked() -> settleRam();
      case QemuEvent.ControlSent(ControlType type) -> sent(type);
      case QemuEvent.ControlReceived(ControlType type) -> {
        // READY is told by poll_recv already; NONE is told by the line that follows.
        if (type != ControlType.NONE && type != ControlType.READY) {
          received(type);
        }
      }
      case QemuEvent.OtherReceived(ControlType type) -> received(type);
      case QemuEvent.ReadyPolled() -> readyComes = true;
      case QemuEvent.ControlCompleted(long wrid) -> controlCompleted(wrid);
      case QemuEvent.WriteCompleted(int block, long chunk) -> {
        return writeCompleted(block, chunk);
      }
      case QemuEvent.Missed(long wanted, long got) -> missed(wanted, got);
      case QemuEvent.WritePosted post -> {
        return posted(post);
      }
      case QemuEvent.Zeros(int block, long address, long bytes) -> {
        return zeros(block, address, bytes);
      }
      case QemuEvent.Registering(long bytes, long address) -> {
        return registering(bytes, address);
      }
      case QemuEvent.KeyGiven(int key) -> keyGiven(key);
      case QemuEvent.KeyReceived(int key, long chunk) -> keyReceived(key, chunk);
      case QemuEvent.WaitBegan(String what) -> session.beginWait("the peer's " + what, 0);
      case QemuEvent.WaitEnded() -> session.endWait();
      case QemuEvent.RegistrationAwaited() -> awaitsRegistration = true;
      case QemuEvent.StatusEntered(MigrationStatus status) -> entered(status);
      case QemuEvent.Pending(long bytes) -> session.set(Metric.RAM_REMAINING, bytes);
      case QemuEvent.SyncBegan() -> endRound();
      case QemuEvent.SyncEnded(long dirtyPages) -> beginRound(dirtyPages << RamBlock.PAGE_SHIFT);
      case QemuEvent.GuestStopped() -> {
        pausedAt = session.now();
        session.phase("switch-over");
        session.event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
      }
      case QemuEvent.ConnectionAwaited() -> {
        beganAt = session.now();
        session.phase(Session.CONNECT);
      }
      case QemuEvent.Connected() -> session.phase("set-up");
      case QemuEvent.PinAll(boolean granted) -> pinAll = granted;
      case QemuEvent.Disconnected() ->
          session.event(EventKind.CONNECTION, ConnectionEvent.Type.DISCONNECTED.ordinal(), 0, 0, 0);
      case QemuEvent.Silent() -> {}
    }
    return true;
  }

  private void settleRam() throws IOException {
    if (ram.settle()) {
      remoteAddresses = new long[ram.tables().size()];
      session.set(Metric.RAM_TOTAL, ram.totalLength());
      session.set(Metric.RAM_REMAINING, isSource() ? ram.totalLength() : 0);
      session.blocks(ram);
    }
  }

  // ------------------------------------------------------------------------- messages, completions

  private void sent(ControlType type) throws IOException {
    if (type == ControlType.RAM_BLOCKS_RESULT && pinAll) {
      registerAll();
    }
    if (type == ControlType.COMPRESS) {
      zerosTold += zerosFound;
      zerosFound = 0;
    }
    session.sent(type, SENT_WRID);
    session.add(Metric.SENDS_POSTED, 1);
    session.beginWait("its SEND to complete", SENT_WRID);
  }

  private void received(ControlType type) throws IOException {
    if (type == ControlType.RAM_BLOCKS_RESULT && pinAll) {
      registerAll();
    }
    session.received(type, receivedWrid);
  }

  private void controlCompleted(long wrid) throws IOException {
    if (wrid == SENT_WRID) {
      session.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid, 0);
      session.add(Metric.SENDS_COMPLETED, 1);
      session.endWait();
      if (awaitsRegistration) {
        awaitsRegistration = false;
        session.beginWait("the source's next registration message", WorkRequestId.CONTROL_RECEIVE);
      }
    } else if (readyComes) {
      readyComes = false;
      readyCame = new Ready(session.now(), wrid);
    } else {
      receiveCompleted(wrid);
      if (!isSource()) {
        session.endWait();
      }
    }
  }

  /**
   * A source's READY. Whether it was waited for is known by the next line: only then is the message
   * looked at.
   */
  private void ready(boolean waitedFor) throws IOException {
    Ready ready = readyCame;
    if (ready == null) {
      return;
    }
    readyCame = null;
    long present = session.now();
    if (waitedFor) {
      // It began after whatever was traced last.
      session.goTo(session.lastEvent());
      session.beginWait("the destination's READY", ready.wrid);
    }
    session.goTo(ready.nanos);
    receiveCompleted(ready.wrid);
    received(ControlType.READY);
    zerosArrived();
    session.endWait();
    session.goTo(present);
  }

  private void receiveCompleted(long wrid) throws IOException {
    session.event(EventKind.COMPLETION_RECEIVE_QUEUE, 0, 0, wrid, 0);
    session.add(Metric.RECEIVES_COMPLETED, 1);
    // Each was posted, when is not told.
    session.add(Metric.RECEIVES_POSTED, 1);
    receivedWrid = wrid;
  }

  private boolean writeCompleted(int block, long chunk) throws IOException {
    if (!ram.exists(block, chunk)) {
      return false;
    }
    session.event(
        EventKind.COMPLETION_SEND_QUEUE,
        0,
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk),
        0);
    session.add(Metric.WRITES_COMPLETED, 1);
    ArrayDeque<Long> writes =
        inTransit.get(WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk));
    Long bytes = writes == null ? null : writes.poll();
    if (bytes != null) {
      written(bytes);
    }
    ChunkTable table = ram.table(block);
    if (table.inTransit((int) chunk) > 0) {
      table.completed((int) chunk, true);
    }
    return true;
  }

  private void written(long bytes) {
    session.add(Metric.RAM_TRANSFERRED, bytes);
    session.add(Metric.NORMAL_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    arrived(bytes);
  }

  /** The destination has dealt with every message before the one that it is READY for. */
  private void zerosArrived() {
    arrived(zerosTold);
    zerosTold = 0;
  }

  /** A control message's completion that a wait for another one took out is lost to its own. */
  private void missed(long wanted, long got) throws IOException {
    session.event(
        EventKind.COMPLETION_DROPPED,
        session.wait("the completion of " + WorkRequestId.describe(wanted)),
        0,
        got,
        0);
  }

  private boolean posted(QemuEvent.WritePosted post) throws IOException {
    int block = ram.blockAt(post.address());
    if (!ram.exists(block, post.chunk())
        || ram.table(block).inTransit((int) post.chunk()) == Short.MAX_VALUE) {
      return false;
    }
    long base = post.remote() - ram.offset(block, post.address());
    if (remoteAddresses[block] != base) {
      remoteAddresses[block] = base;
      session.remoteAddresses(remoteAddresses);
    }
    session.event(
        EventKind.POST_WRITE,
        1,
        post.length(),
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, post.chunk()),
        post.remote());
    ram.table(block).posted((int) post.chunk());
    long bytes = Integer.toUnsignedLong(post.length());
    session.add(Metric.WRITES_POSTED, 1);
    inTransit
        .computeIfAbsent(
            WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, post.chunk()),
            _ -> new ArrayDeque<>(1))
        .add(bytes);
    return true;
  }

  // ------------------------------------------------------------------------ zeros, registrations

  private boolean zeros(int block, long address, long bytes) throws IOException {
    long offset = ram.offsetOfRamAddress(block, address);
    if (offset < 0 || bytes < 0) {
      return false;
    }
    int chunk = ChunkTable.chunkOf(offset);
    session.event(
        EventKind.ZERO,
        (int) ((offset - ChunkTable.offsetOf(chunk)) >> RamBlock.PAGE_SHIFT),
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk),
        bytes);
    session.add(Metric.DUPLICATE_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    if (isSource()) {
      zerosFound += bytes;
    } else {
      arrived(bytes);
    }
    ChunkTable table = ram.table(block);
    if (!isSource()) {
      if (table.state(chunk) == ChunkState.NOT_REGISTERED) {
        table.setState(chunk, ChunkState.ZERO);
      }
    } else if (table.inTransit(chunk) == 0) {
      table.setState(chunk, table.timesSent(chunk) == 0 ? ChunkState.ZERO : ChunkState.SENT);
    }
    return true;
  }

  private void arrived(long bytes) {
    session.add(Metric.RAM_PROCESSED, bytes);
    session.add(Metric.ROUND_PROCESSED, bytes);
    if (isSource()) {
      session.set(Metric.RAM_REMAINING, Math.max(0, session.get(Metric.RAM_REMAINING) - bytes));
    }
  }

  private boolean registering(long bytes, long address) throws IOException {
    int block = ram.blockAt(address);
    if (block < 0 || bytes < 1 || bytes > ram.length(block)) {
      return false;
    }
    long offset = ram.offset(block, address);
    int first = ChunkTable.chunkOf(offset);
    int last = ChunkTable.chunkOf(Math.min(ram.length(block), offset + bytes) - 1);
    var now = new Registered(session.now(), block, first, last - first + 1);
    registered = now;
    count(bytes);
    if (isSource()) {
      tell(now, 0);
    }
    return true;
  }

  private void count(long bytes) {
    session.add(Metric.REGISTRATIONS_TOTAL, 1);
    session.add(Metric.REGISTRATIONS_ALIVE, 1);
    session.add(Metric.REGISTERED_BYTES, bytes);
    session.raise(Metric.REGISTRATIONS_PEAK, session.get(Metric.REGISTRATIONS_ALIVE));
    session.raise(Metric.REGISTERED_BYTES_PEAK, session.get(Metric.REGISTERED_BYTES));
  }

  private void tell(Registered what, int key) throws IOException {
    session.event(
        EventKind.REGISTERED,
        0,
        what.chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, what.block, what.firstChunk),
        Integer.toUnsignedLong(key));
  }

  private void keyGiven(int key) throws IOException {
    Registered what = registered;
    if (what == null) {
      return;
    }
    registered = null;
    ChunkTable table = ram.table(what.block);
    for (int i = what.firstChunk; i < what.firstChunk + what.chunks; i++) {
      table.setRemoteKey(i, key);
      table.setState(i, ChunkState.REGISTERED);
    }
    session.add(Metric.REGISTRATION_TIME, Math.max(0, session.now() - what.nanos));
    tell(what, key);
  }

  private void keyReceived(int key, long chunk) {
    session.add(Metric.REGISTRATION_ROUND_TRIPS, 1);
    Registered what = registered;
    if (what != null && ram.exists(what.block, chunk)) {
      ram.table(what.block).setRemoteKey((int) chunk, key);
      ram.table(what.block).setState((int) chunk, ChunkState.REGISTERED);
    }
  }

  /** With pin-all no line tells of it, but the exchange of blocks does. */
  private void registerAll() throws IOException {
    for (ChunkTable table : ram.tables()) {
      count(ram.length(table.index()));
      tell(new Registered(session.now(), table.index(), 0, table.chunkCount()), 0);
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        table.setState(chunk, ChunkState.REGISTERED);
      }
    }
    registered = null;
  }

  // ----------------------------------------------------------------------------- rounds and status

  private void entered(MigrationStatus status) throws IOException {
    if (status == MigrationStatus.ACTIVE && session.get(Metric.SETUP_TIME) == 0) {
      session.set(Metric.SETUP_TIME, session.now() - beganAt);
    }
    if (status == MigrationStatus.COMPLETED) {
      // Whatever the log does not tell the completion of.
      inTransit.values().forEach(writes -> writes.forEach(this::written));
      inTransit.clear();
      zerosTold += zerosFound;
      zerosArrived();
    }
    if (status.isEnd()) {
      session.endWait();
      endRound();
      session.set(Metric.TOTAL_TIME, session.now() - beganAt);
      if (pausedAt != 0) {
        session.set(Metric.DOWNTIME, session.now() - pausedAt);
      }
      session.phase(status.qemuName());
    }
    session.enter(status);
  }

  private void beginRound(long dirtyBytes) throws IOException {
    session.add(Metric.DIRTY_SYNC_COUNT, 1);
    long round = session.get(Metric.DIRTY_SYNC_COUNT);
    long bytes = round == 1 ? session.get(Metric.RAM_TOTAL) : dirtyBytes;
    session.set(Metric.ROUND_BYTES, bytes);
    session.set(Metric.ROUND_PROCESSED, 0);
    if (pausedAt == 0) {
      session.phase("round " + round);
    }
    session.event(EventKind.ROUND_BEGIN, (int) Math.min(round, 0xffff), 0, 0, bytes);
    roundOpen = true;
  }

  private void endRound() throws IOException {
    if (roundOpen) {
      roundOpen = false;
      session.event(
          EventKind.ROUND_END,
          (int) Math.min(session.get(Metric.DIRTY_SYNC_COUNT), 0xffff),
          0,
          0,
          session.get(Metric.ROUND_PROCESSED));
    }
  }
}
