// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.ConnectionEvent;

/**
 * Makes a recording of a trace log of QEMU 7.2 ({@code -trace 'qemu_rdma*' -trace 'rdma*' -msg
 * timestamp=on}, and whatever else of {@code migration/} is traced). What the log does not tell is
 * not made up: posted receives, keys of the source's own memory, what was dirtied.
 */
final class QemuLogImporter {
  /** How far apart the lines of a log without times are shown. */
  private static final long UNTIMED_STEP = TimeUnit.MICROSECONDS.toNanos(1);

  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int LINES_TO_RECOGNISE = 2_000;
  private static final int MAX_LINE = 1 << 14;
  private static final int SENT_WRID = WorkRequestId.CONTROL_SEND;

  private static final Pattern ADD_BLOCK =
      Pattern.compile(
          "Added Block: '(.*)':(\\d+), addr: (\\d+), offset: (\\d+) length: (\\d+) end: .*");
  private static final Pattern NOTIFIED = Pattern.compile("(.*) at (\\d+)");
  private static final Pattern RAM_BLOCK =
      Pattern.compile("(.*): @0x([0-9a-f]+)/(\\d+) host:@0x[0-9a-f]+ src_index: (\\d+)");
  private static final Pattern SENDING = Pattern.compile("CONTROL: sending (.*)\\.\\.");
  private static final Pattern RECEIVING = Pattern.compile("CONTROL: (.*) receiving\\.\\.\\.");
  private static final Pattern SURPRISE = Pattern.compile("Surprise: got (.*) \\((\\d+)\\)");
  private static final Pattern OTHER =
      Pattern.compile("other completion (.*) \\((\\d+)\\) received left (\\d+)");
  private static final Pattern READY =
      Pattern.compile("completion (.*) #(-?\\d+) received \\((\\d+)\\) left (\\d+)");
  private static final Pattern WRITTEN =
      Pattern.compile("completions (.*) \\((\\d+)\\) left (\\d+), block (\\d+), chunk: (\\d+) .*");
  private static final Pattern POSTING =
      Pattern.compile(
          "Posting chunk: (\\d+), addr: 0x([0-9a-f]+) remote: 0x([0-9a-f]+), bytes (\\d+)");
  private static final Pattern ZERO =
      Pattern.compile(
          "Entire chunk is zero, sending compress: (\\d+) for (\\d+) bytes, index: (\\d+), offset:"
              + " (\\d+)");
  private static final Pattern ZAPPING =
      Pattern.compile("Zapping zero chunk: (\\d+) bytes, index (\\d+), offset (\\d+)");
  private static final Pattern REGISTERING =
      Pattern.compile("Registering (\\d+) bytes @ 0x([0-9a-f]+)");
  private static final Pattern KEY = Pattern.compile("0x([0-9a-f]+)");
  private static final Pattern RESULT =
      Pattern.compile(
          "Received registration result: my key: 0x[0-9a-f]+ their key 0x([0-9a-f]+), chunk"
              + " (\\d+)");
  private static final Pattern WAITING = Pattern.compile("Waiting for response (.*)");
  private static final Pattern MISSED =
      Pattern.compile("A Wanted wrid (.*) \\((\\d+)\\) but got (.*) \\((\\d+)\\)");
  private static final Pattern STATE = Pattern.compile("new state (\\S+)");
  private static final Pattern PENDING = Pattern.compile("pending size (\\d+) max .*");
  private static final Pattern SYNCED = Pattern.compile("dirty_pages (\\d+)");
  private static final Pattern TRYING = Pattern.compile("Trying (.*) => (.*)");
  private static final Pattern LISTENING = Pattern.compile("(.*) => (.*)");
  private static final Pattern OPENED =
      Pattern.compile("^\\S* ?RDMA Device opened: kernel name (\\S+) .*");

  /** Lines that QEMU itself writes when something is wrong. */
  private static final Pattern COMPLAINT =
      Pattern.compile(
          "^(?:\\S+Z )?(?:qemu-system-\\S+: |RDMA ERROR: |ibv_poll_cq |rdma_get_cm_event ).*");

  private final Path log;
  private final TraceWriter writer;
  private final Role role;
  private final String device;
  private final String host;
  private final boolean timed;

  private final EventEncoder events = new EventEncoder();
  private final SampleEncoder samples = new SampleEncoder();
  private final NamesEncoder names = new NamesEncoder();
  private final Sample sample = new Sample();
  private final ByteSink block = new ByteSink(1 << 16);
  private final Map<String, Integer> waits = new HashMap<>();

  /**
   * Blocks as they were added, with their addresses in the source's or destination's own counting.
   */
  private final List<AddedBlock> added = new ArrayList<>();

  private final Map<Integer, String> sourceOrder = new TreeMap<>();
  private List<AddedBlock> blocks = List.of();
  private List<ChunkTable> tables = List.of();
  private @Nullable ChunkEncoder chunks;
  private long[] remoteAddresses = {};
  private long sampledAt = Long.MIN_VALUE;
  private long keyAt;
  private boolean changed;

  private long beganAt;
  private long now;
  private long lines;
  private long strange;
  private @Nullable String firstStrange;
  private boolean pinAll;
  private int waitingFor = -1;
  private long waitingSince;
  private long pausedAt;
  private long receivedWrid;
  private boolean readyComes;
  private @Nullable Ready readyCame;
  private long lastEvent;
  private boolean loopsBack;
  private int registeredBlock = -1;
  private int registeredChunk;
  private int registeredChunks;
  private long registeredAt;
  private MigrationStatus status = MigrationStatus.NONE;
  private @Nullable String complaint;
  private boolean roundOpen;

  private record Ready(long nanos, long wrid) {}

  private record AddedBlock(String name, long address, long offset, long length) {}

  /** What a first look at the log tells. */
  private record Look(Role role, String device, String host, boolean timed) {}

  private QemuLogImporter(Path log, TraceWriter writer, Look look) {
    this.log = log;
    this.writer = writer;
    role = look.role;
    device = look.device;
    host = look.host;
    timed = look.timed;
  }

  /** Whether a file seems to be a trace log of QEMU. */
  static boolean recognises(Path file) throws IOException {
    return look(file).isPresent();
  }

  /** Writes the log as a recording of one session. */
  static void convert(Path log, TraceWriter writer) throws IOException {
    Look look = look(log).orElseThrow(() -> new RecordingException("It is no trace log of QEMU."));
    new QemuLogImporter(log, writer, look).run();
  }

  private static Optional<Look> look(Path file) throws IOException {
    Role role = null;
    boolean timed = false;
    String device = "";
    String host = "";
    int count = 0;
    try (BufferedReader reader = reader(file)) {
      String text;
      while (count++ < LINES_TO_RECOGNISE && (text = line(reader)) != null) {
        QemuLine line = QemuLine.of(text);
        timed |= line.nanos() != QemuLine.NO_TIME;
        Boolean ofSource = line.ofSource();
        if (role == null && ofSource != null) {
          role = ofSource ? Role.SOURCE : Role.DESTINATION;
        }
        Matcher opened = OPENED.matcher(line.text());
        if (device.isEmpty() && opened.matches()) {
          device = opened.group(1);
        }
        Matcher trying =
            switch (line.event()) {
              case "qemu_rdma_resolve_host_trying" -> TRYING.matcher(line.text());
              case "qemu_rdma_dest_init_trying" -> LISTENING.matcher(line.text());
              default -> null;
            };
        if (host.isEmpty() && trying != null && trying.matches()) {
          host = trying.group(1);
        }
      }
    }
    return role == null ? Optional.empty() : Optional.of(new Look(role, device, host, timed));
  }

  private static BufferedReader reader(Path file) throws IOException {
    // Guests' names and messages may be in any encoding.
    return new BufferedReader(
        new InputStreamReader(
            Files.newInputStream(file),
            StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)));
  }

  /** The next line, of which no more than the beginning is kept; null at the end. */
  private static @Nullable String line(BufferedReader reader) throws IOException {
    var line = new StringBuilder();
    int c;
    while ((c = reader.read()) >= 0) {
      if (c == '\n') {
        return line.toString();
      }
      if (c != '\r' && line.length() < MAX_LINE) {
        line.append((char) c);
      }
    }
    return line.isEmpty() ? null : line.toString();
  }

  private void run() throws IOException {
    try (BufferedReader reader = reader(log)) {
      String text;
      while ((text = line(reader)) != null) {
        lines++;
        QemuLine line = QemuLine.of(text);
        if (!line.before().isBlank()) {
          foreign(line.before());
        }
        if (line.isEvent()) {
          tick(line);
          take(line);
        } else {
          foreign(line.text());
        }
      }
    }
    if (lines == 0 || !hasBegun()) {
      throw new RecordingException("It has no trace events.");
    }
    finish();
  }

  private boolean hasBegun() {
    return sampledAt != Long.MIN_VALUE;
  }

  // ---------------------------------------------------------------------------------- the clock

  private void tick(QemuLine line) throws IOException {
    long nanos = line.nanos();
    if (nanos == QemuLine.NO_TIME) {
      nanos = timed ? now : lines * UNTIMED_STEP;
    }
    if (!hasBegun()) {
      begin(nanos);
    }
    // Lines of several threads may be out of order by some microseconds.
    long before = now;
    now = Math.max(now, nanos);
    if (changed && before - sampledAt >= SAMPLE_NANOS && now > before) {
      sample(before);
    }
  }

  private void begin(long nanos) throws IOException {
    beganAt = nanos;
    lastEvent = nanos;
    now = nanos;
    sampledAt = nanos;
    new SessionHead(
            role,
            SessionHead.QEMU,
            role == Role.SOURCE ? "QEMU source" : "QEMU destination",
            host.isEmpty() ? "rdma:" : "rdma:" + host,
            device.isEmpty() ? "a device that the log does not name" : device,
            "as its trace log says",
            nanos,
            nanos,
            Instant.EPOCH.plusNanos(timed ? nanos : 0))
        .encode(block);
    write(BlockType.SESSION);
    phase(role == Role.SOURCE ? Session.CONNECT : "listen");
    changed = true;
  }

  private void sample(long at) throws IOException {
    sampledAt = at;
    changed = false;
    sample.nanos = at;
    // Whether the guest runs is not traced.
    sample.setPast(status, false, waitingFor);
    samples.add(sample);
    if (samples.isFull()) {
      flushSamples();
    }
    flushNames();
    ChunkEncoder encoder = chunks;
    if (encoder != null) {
      boolean key = at >= keyAt;
      if (encoder.encode(block, 0, at, key)) {
        write(BlockType.CHUNKS);
      }
      block.clear();
      if (key) {
        keyAt = at + TimeUnit.SECONDS.toNanos(1);
      }
    }
  }

  // ----------------------------------------------------------------------------------- the lines

  private void foreign(String text) {
    String known = text.strip();
    if (COMPLAINT.matcher(known).matches()) {
      complaint = known;
    } else if (!known.isEmpty() && !known.startsWith("#") && !OPENED.matcher(known).matches()) {
      strange(known);
    }
  }

  private void strange(String text) {
    strange++;
    if (firstStrange == null) {
      firstStrange = text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
  }

  private void take(QemuLine line) throws IOException {
    boolean understood;
    try {
      understood = take(line.event(), line.text());
    } catch (NumberFormatException e) {
      // A number that no QEMU writes.
      understood = false;
    }
    if (!understood) {
      strange(line.event() + " " + line.text());
    }
  }

  private boolean take(String event, String text) throws IOException {
    ready(event.equals("qemu_rdma_exchange_get_response_start"));
    return switch (event) {
      case "rdma_add_block" -> addBlock(ADD_BLOCK.matcher(text));
      case "qemu_rdma_init_ram_blocks" -> {
        if (role == Role.SOURCE) {
          useBlocks();
        }
        yield true;
      }
      case "rdma_block_notification_handle" -> notified(NOTIFIED.matcher(text));
      case "qemu_rdma_registration_handle_ram_blocks" -> {
        useBlocks();
        yield true;
      }
      case "qemu_rdma_registration_handle_ram_blocks_loop" -> RAM_BLOCK.matcher(text).matches();
      case "qemu_rdma_post_send_control" -> send(SENDING.matcher(text));
      case "qemu_rdma_exchange_get_response_start" -> response(RECEIVING.matcher(text));
      case "qemu_rdma_exchange_get_response_none" -> surprise(SURPRISE.matcher(text));
      case "qemu_rdma_poll_recv" -> {
        readyComes = true;
        yield READY.matcher(text).matches();
      }
      case "qemu_rdma_poll_other" -> completion(OTHER.matcher(text));
      case "qemu_rdma_poll_write" -> written(WRITTEN.matcher(text));
      case "qemu_rdma_block_for_wrid_miss" -> missed(MISSED.matcher(text));
      case "qemu_rdma_write_one_post" -> post(POSTING.matcher(text));
      case "qemu_rdma_write_one_zero" -> zero(ZERO.matcher(text));
      case "qemu_rdma_registration_handle_compress" -> zap(ZAPPING.matcher(text));
      case "qemu_rdma_register_and_get_keys" -> register(REGISTERING.matcher(text));
      case "qemu_rdma_registration_handle_register_rkey" -> key(KEY.matcher(text));
      case "qemu_rdma_write_one_recvregres" -> result(RESULT.matcher(text));
      case "qemu_rdma_exchange_send_waiting" -> waiting(WAITING.matcher(text));
      case "qemu_rdma_exchange_send_received" -> {
        endWait();
        yield true;
      }
      case "qemu_rdma_registration_handle_wait" -> {
        loopsBack = true;
        yield true;
      }
      case "migrate_set_state" -> state(STATE.matcher(text));
      case "migrate_pending" -> pending(PENDING.matcher(text));
      case "migration_bitmap_sync_start" -> {
        endRound();
        yield true;
      }
      case "migration_bitmap_sync_end" -> synced(SYNCED.matcher(text));
      case "migration_completion_vm_stop" -> {
        pausedAt = now;
        phase("switch-over");
        event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
        yield true;
      }
      case "rdma_start_outgoing_migration_after_rdma_connect",
          "qemu_rdma_accept_incoming_migration_accepted" -> {
        phase("set-up");
        yield true;
      }
      case "qemu_rdma_accept_incoming_migration" -> {
        beganAt = now;
        phase(RecordedSession.CONNECT);
        yield true;
      }
      case "qemu_rdma_connect_pin_all_outcome", "qemu_rdma_accept_pin_state" -> {
        pinAll = text.strip().equals("1");
        yield true;
      }
      case "qemu_rdma_resolve_host_trying" -> true;
      case "qemu_rdma_cleanup_disconnect" -> {
        event(EventKind.CONNECTION, ConnectionEvent.Type.DISCONNECTED.ordinal(), 0, 0, 0);
        yield true;
      }
      default -> QemuTrace.isSilent(event);
    };
  }

  // ----------------------------------------------------------------------------------- RAM blocks

  private boolean addBlock(Matcher m) {
    if (!m.matches() || added.size() == TraceFile.MAX_BLOCKS) {
      return false;
    }
    long length = Long.parseLong(m.group(5));
    if (length < 1 || length > TraceFile.MAX_CHUNKS << ChunkTable.CHUNK_SHIFT) {
      return false;
    }
    if (blocks.isEmpty()) {
      added.add(
          new AddedBlock(
              m.group(1), Long.parseLong(m.group(3)), Long.parseLong(m.group(4)), length));
    }
    return true;
  }

  private boolean notified(Matcher m) {
    if (!m.matches()) {
      return false;
    }
    sourceOrder.put(Integer.parseInt(m.group(2)), m.group(1));
    return true;
  }

  /** Takes the blocks as they are now, a destination those of the source's order. */
  private void useBlocks() throws IOException {
    if (!blocks.isEmpty() || added.isEmpty()) {
      return;
    }
    var ordered = new ArrayList<AddedBlock>();
    for (String name : sourceOrder.values()) {
      added.stream().filter(b -> b.name.equals(name)).findFirst().ifPresent(ordered::add);
    }
    added.stream().filter(b -> !ordered.contains(b)).forEach(ordered::add);
    long total = 0;
    long chunkCount = 0;
    var newTables = new ArrayList<ChunkTable>();
    for (AddedBlock b : ordered) {
      chunkCount += new BlockShape(b.name, b.length, b.address).chunks();
      if (chunkCount > TraceFile.MAX_CHUNKS) {
        throw RecordingException.of(
            "number of chunks of RAM", chunkCount, "at most " + TraceFile.MAX_CHUNKS);
      }
      newTables.add(new ChunkTable(newTables.size(), b.name, b.length, b.address));
      total += b.length;
    }
    blocks = List.copyOf(ordered);
    tables = List.copyOf(newTables);
    chunks = new ChunkEncoder(tables);
    remoteAddresses = new long[tables.size()];
    set(Metric.RAM_TOTAL, total);
    set(Metric.RAM_REMAINING, role == Role.SOURCE ? total : 0);
    names.blocks(
        now, ordered.stream().map(b -> new BlockShape(b.name, b.length, b.address)).toList());
    keyAt = now;
    changed = true;
    flushNames();
    sample(now);
  }

  private int blockAt(long address) {
    for (int i = 0; i < blocks.size(); i++) {
      long offset = address - blocks.get(i).address;
      if (offset >= 0 && offset < blocks.get(i).length) {
        return i;
      }
    }
    return -1;
  }

  private boolean exists(int ofBlock, long chunk) {
    return ofBlock >= 0
        && ofBlock < tables.size()
        && chunk >= 0
        && chunk < tables.get(ofBlock).chunkCount();
  }

  // ------------------------------------------------------------------------- messages, completions

  private static @Nullable ControlType type(String text) {
    return Stream.of(ControlType.values())
        .filter(type -> type.text().equals(text))
        .findFirst()
        .orElse(null);
  }

  private boolean send(Matcher m) throws IOException {
    ControlType type = m.matches() ? type(m.group(1)) : null;
    if (type == null) {
      return false;
    }
    if (type == ControlType.RAM_BLOCKS_RESULT && pinAll) {
      registerAll();
    }
    event(EventKind.CONTROL_SENT, type.value(), 0, SENT_WRID, 0);
    add(Metric.SENDS_POSTED, 1);
    sample.values[Sample.sentColumn(type)]++;
    beginWait("its SEND to complete", SENT_WRID);
    return true;
  }

  private boolean response(Matcher m) throws IOException {
    ControlType type = m.matches() ? type(m.group(1)) : null;
    if (type == null) {
      return false;
    }
    // READY is told by poll_recv already; NONE is told by the line that follows.
    if (type != ControlType.NONE && type != ControlType.READY) {
      received(type);
    }
    return true;
  }

  private boolean surprise(Matcher m) throws IOException {
    ControlType type = m.matches() ? type(m.group(1)) : null;
    if (type == null) {
      return false;
    }
    received(type);
    return true;
  }

  private void received(ControlType type) throws IOException {
    if (type == ControlType.RAM_BLOCKS_RESULT && pinAll) {
      registerAll();
    }
    event(EventKind.CONTROL_RECEIVED, type.value(), 0, receivedWrid, 0);
    sample.values[Sample.receivedColumn(type)]++;
  }

  private boolean completion(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    long wrid = Integer.parseInt(m.group(2)) & 0xffff;
    if (wrid == SENT_WRID) {
      event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid, 0);
      add(Metric.SENDS_COMPLETED, 1);
      endWait();
      if (loopsBack) {
        loopsBack = false;
        beginWait("the source's next registration message", WorkRequestId.CONTROL_RECEIVE);
      }
    } else if (readyComes) {
      readyComes = false;
      readyCame = new Ready(now, wrid);
    } else {
      receiveCompletion(wrid);
      if (role == Role.DESTINATION) {
        endWait();
      }
    }
    return true;
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
    long present = now;
    if (waitedFor) {
      // It began after whatever was traced last.
      now = lastEvent;
      beginWait("the destination's READY", ready.wrid);
    }
    now = ready.nanos;
    receiveCompletion(ready.wrid);
    received(ControlType.READY);
    endWait();
    now = present;
  }

  private void receiveCompletion(long wrid) throws IOException {
    event(EventKind.COMPLETION_RECEIVE_QUEUE, 0, 0, wrid, 0);
    add(Metric.RECEIVES_COMPLETED, 1);
    // Each was posted, when is not told.
    add(Metric.RECEIVES_POSTED, 1);
    receivedWrid = wrid;
  }

  private boolean written(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    int of = Integer.parseInt(m.group(4));
    long chunk = Long.parseLong(m.group(5));
    if (!exists(of, chunk)) {
      return false;
    }
    event(
        EventKind.COMPLETION_SEND_QUEUE,
        0,
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, of, chunk),
        0);
    add(Metric.WRITES_COMPLETED, 1);
    if (tables.get(of).inTransit((int) chunk) > 0) {
      tables.get(of).completed((int) chunk, true);
    }
    return true;
  }

  /**
   * A control message's completion that a wait for another one took out is lost to whoever waits.
   */
  private boolean missed(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    long got = Long.parseUnsignedLong(m.group(4));
    if (WorkRequestId.type(got) != WorkRequestId.RDMA_WRITE) {
      int wanted = Integer.parseInt(m.group(2));
      event(
          EventKind.COMPLETION_DROPPED,
          wait("the completion of " + WorkRequestId.describe(wanted)),
          0,
          got,
          0);
    }
    return true;
  }

  private boolean post(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    long chunk = Long.parseLong(m.group(1));
    long address = Long.parseUnsignedLong(m.group(2), 16);
    long remote = Long.parseUnsignedLong(m.group(3), 16);
    int length = Integer.parseUnsignedInt(m.group(4));
    int of = blockAt(address);
    if (!exists(of, chunk) || tables.get(of).inTransit((int) chunk) == Short.MAX_VALUE) {
      return false;
    }
    long base = remote - (address - blocks.get(of).address);
    if (remoteAddresses[of] != base) {
      remoteAddresses[of] = base;
      names.remoteAddresses(now, remoteAddresses.clone());
    }
    event(
        EventKind.POST_WRITE,
        1,
        length,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, of, chunk),
        remote);
    tables.get(of).posted((int) chunk);
    add(Metric.WRITES_POSTED, 1);
    add(Metric.RAM_TRANSFERRED, Integer.toUnsignedLong(length));
    add(Metric.NORMAL_PAGES, Integer.toUnsignedLong(length) >> RamBlock.PAGE_SHIFT);
    processed(Integer.toUnsignedLong(length));
    return true;
  }

  // ------------------------------------------------------------------------ zeros, registrations

  private boolean zero(Matcher m) throws IOException {
    return m.matches()
        && zero(
            Integer.parseInt(m.group(3)), Long.parseLong(m.group(4)), Long.parseLong(m.group(2)));
  }

  private boolean zap(Matcher m) throws IOException {
    return m.matches()
        && zero(
            Integer.parseInt(m.group(2)), Long.parseLong(m.group(3)), Long.parseLong(m.group(1)));
  }

  /**
   * @param address in QEMU's own counting of RAM, over all blocks
   */
  private boolean zero(int of, long address, long bytes) throws IOException {
    long offset = of < blocks.size() ? address - blocks.get(of).offset : -1;
    if (offset < 0 || offset >= blocks.get(of).length || bytes < 0) {
      return false;
    }
    int chunk = ChunkTable.chunkOf(offset);
    event(
        EventKind.ZERO,
        (int) ((offset - ChunkTable.offsetOf(chunk)) >> RamBlock.PAGE_SHIFT),
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, of, chunk),
        bytes);
    add(Metric.DUPLICATE_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    processed(bytes);
    ChunkTable table = tables.get(of);
    if (role == Role.DESTINATION) {
      if (table.state(chunk) == ChunkState.NOT_REGISTERED) {
        table.setState(chunk, ChunkState.ZERO);
      }
    } else if (table.inTransit(chunk) == 0) {
      table.setState(chunk, table.timesSent(chunk) == 0 ? ChunkState.ZERO : ChunkState.SENT);
    }
    return true;
  }

  private void processed(long bytes) {
    add(Metric.RAM_PROCESSED, bytes);
    add(Metric.ROUND_PROCESSED, bytes);
    if (role == Role.SOURCE) {
      set(Metric.RAM_REMAINING, Math.max(0, get(Metric.RAM_REMAINING) - bytes));
    }
  }

  private boolean register(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    long bytes = Long.parseLong(m.group(1));
    long address = Long.parseUnsignedLong(m.group(2), 16);
    int of = blockAt(address);
    if (of < 0 || bytes < 1 || bytes > blocks.get(of).length) {
      return false;
    }
    registeredBlock = of;
    registeredChunk = ChunkTable.chunkOf(address - blocks.get(of).address);
    int last =
        ChunkTable.chunkOf(
            Math.min(blocks.get(of).length, address - blocks.get(of).address + bytes) - 1);
    registeredChunks = last - registeredChunk + 1;
    registeredAt = now;
    registered(bytes);
    if (role == Role.SOURCE) {
      registeredEvent(0);
    }
    return true;
  }

  private void registered(long bytes) {
    add(Metric.REGISTRATIONS_TOTAL, 1);
    add(Metric.REGISTRATIONS_ALIVE, 1);
    add(Metric.REGISTERED_BYTES, bytes);
    set(
        Metric.REGISTRATIONS_PEAK,
        Math.max(get(Metric.REGISTRATIONS_PEAK), get(Metric.REGISTRATIONS_ALIVE)));
    set(
        Metric.REGISTERED_BYTES_PEAK,
        Math.max(get(Metric.REGISTERED_BYTES_PEAK), get(Metric.REGISTERED_BYTES)));
  }

  private void registeredEvent(int key) throws IOException {
    event(
        EventKind.REGISTERED,
        0,
        registeredChunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, registeredBlock, registeredChunk),
        Integer.toUnsignedLong(key));
  }

  /** The key that a destination gives out for what it registered just now, or has from before. */
  private boolean key(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    int key = Integer.parseUnsignedInt(m.group(1), 16);
    if (registeredBlock >= 0) {
      ChunkTable table = tables.get(registeredBlock);
      for (int i = registeredChunk; i < registeredChunk + registeredChunks; i++) {
        table.setRemoteKey(i, key);
        table.setState(i, ChunkState.REGISTERED);
      }
      add(Metric.REGISTRATION_TIME, Math.max(0, now - registeredAt));
      registeredEvent(key);
      registeredBlock = -1;
    }
    return true;
  }

  /** The key that a source got for the chunk that it registered just before. */
  private boolean result(Matcher m) {
    if (!m.matches()) {
      return false;
    }
    int key = Integer.parseUnsignedInt(m.group(1), 16);
    long chunk = Long.parseLong(m.group(2));
    add(Metric.REGISTRATION_ROUND_TRIPS, 1);
    if (registeredBlock >= 0 && exists(registeredBlock, chunk)) {
      tables.get(registeredBlock).setRemoteKey((int) chunk, key);
      tables.get(registeredBlock).setState((int) chunk, ChunkState.REGISTERED);
    }
    return true;
  }

  /** With pin-all no line tells of it, but the exchange of blocks does. */
  private void registerAll() throws IOException {
    for (int i = 0; i < tables.size(); i++) {
      registeredBlock = i;
      registeredChunk = 0;
      registeredChunks = tables.get(i).chunkCount();
      registered(blocks.get(i).length);
      registeredEvent(0);
      for (int chunk = 0; chunk < registeredChunks; chunk++) {
        tables.get(i).setState(chunk, ChunkState.REGISTERED);
      }
    }
    registeredBlock = -1;
  }

  // ---------------------------------------------------------------------- waits, rounds and status

  private boolean waiting(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    beginWait("the peer's " + m.group(1), 0);
    return true;
  }

  private int wait(String phrase) {
    Integer known = waits.get(phrase);
    if (known != null) {
      return known;
    }
    names.wait(phrase);
    waits.put(phrase, waits.size());
    return waits.size() - 1;
  }

  private void beginWait(String phrase, long wrid) throws IOException {
    endWait();
    waitingFor = wait(phrase);
    waitingSince = now;
    event(EventKind.WAIT_BEGIN, waitingFor, 0, wrid, 0);
  }

  private void endWait() throws IOException {
    if (waitingFor >= 0) {
      event(EventKind.WAIT_END, waitingFor, 0, 0, now - waitingSince);
      waitingFor = -1;
    }
  }

  private boolean state(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    MigrationStatus entered =
        Stream.of(MigrationStatus.values())
            .filter(s -> s.qemuName().equals(m.group(1)))
            .findFirst()
            .orElse(null);
    if (entered == null) {
      return false;
    }
    if (entered == MigrationStatus.ACTIVE && get(Metric.SETUP_TIME) == 0) {
      set(Metric.SETUP_TIME, now - beganAt);
    }
    status = entered;
    if (status.isEnd()) {
      endWait();
      endRound();
      set(Metric.TOTAL_TIME, now - beganAt);
      if (pausedAt != 0) {
        set(Metric.DOWNTIME, now - pausedAt);
      }
      phase(status.qemuName());
    }
    event(EventKind.STATUS, status.ordinal(), 0, 0, 0);
    return true;
  }

  private boolean pending(Matcher m) {
    if (!m.matches()) {
      return false;
    }
    set(Metric.RAM_REMAINING, Long.parseLong(m.group(1)));
    return true;
  }

  private boolean synced(Matcher m) throws IOException {
    if (!m.matches()) {
      return false;
    }
    long dirty = Long.parseLong(m.group(1)) << RamBlock.PAGE_SHIFT;
    add(Metric.DIRTY_SYNC_COUNT, 1);
    long round = get(Metric.DIRTY_SYNC_COUNT);
    long bytes = round == 1 ? get(Metric.RAM_TOTAL) : dirty;
    set(Metric.ROUND_BYTES, bytes);
    set(Metric.ROUND_PROCESSED, 0);
    if (pausedAt == 0) {
      phase("round " + round);
    }
    event(EventKind.ROUND_BEGIN, (int) Math.min(round, 0xffff), 0, 0, bytes);
    roundOpen = true;
    return true;
  }

  private void endRound() throws IOException {
    if (roundOpen) {
      roundOpen = false;
      event(
          EventKind.ROUND_END,
          (int) Math.min(get(Metric.DIRTY_SYNC_COUNT), 0xffff),
          0,
          0,
          get(Metric.ROUND_PROCESSED));
    }
  }

  // -------------------------------------------------------------------------------- what is
  // written

  private long get(Metric metric) {
    return sample.values[metric.ordinal()];
  }

  private void set(Metric metric, long value) {
    sample.values[metric.ordinal()] = value;
    changed = true;
  }

  private void add(Metric metric, long amount) {
    set(metric, get(metric) + amount);
  }

  private void phase(String name) {
    names.phase(new Phase(name, now));
  }

  private void event(EventKind kind, int detail, int length, long wrid, long argument)
      throws IOException {
    events.event(now, kind, detail, length, wrid, argument);
    lastEvent = now;
    changed = true;
    if (events.isFull()) {
      flushEvents();
    }
  }

  private void finish() throws IOException {
    ready(false);
    if (blocks.isEmpty()) {
      useBlocks();
    }
    sample(now);
    flushEvents();
    flushSamples();
    if (strange > 0) {
      names.note(
          "%s of %s lines were not understood; the first is: %s"
              .formatted(Format.count(strange), Format.count(lines), firstStrange));
    }
    if (!timed) {
      names.note(
          "The log has no times (-msg timestamp=on); its lines are shown a microsecond apart.");
    }
    flushNames();
    new SessionEnd(false, outcome(), null, 0).encode(block);
    write(BlockType.END);
  }

  private @Nullable String outcome() {
    if (status == MigrationStatus.COMPLETED) {
      return "QEMU completed it.";
    }
    if (complaint != null) {
      return "QEMU said: " + complaint;
    }
    return status.isEnd() ? "The migration ended as " + status.qemuName() + "." : null;
  }

  private void flushEvents() throws IOException {
    if (events.count() > 0) {
      events.finish(block, 0);
      write(BlockType.EVENTS);
    }
  }

  private void flushSamples() throws IOException {
    if (samples.count() > 0) {
      samples.finish(block);
      write(BlockType.SAMPLES);
    }
  }

  private void flushNames() throws IOException {
    if (!names.isEmpty()) {
      names.finish(block);
      write(BlockType.NAMES);
    }
  }

  private void write(BlockType type) throws IOException {
    writer.block(type, 0, block);
    block.clear();
  }
}
