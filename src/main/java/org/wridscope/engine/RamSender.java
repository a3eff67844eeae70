// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.CompletionPolicy.Awaited;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.Residency;
import org.wridscope.memory.ZeroPages;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;
import org.wridscope.verbs.SendRequest;

/**
 * Sends dirty RAM: ranges of zeros as COMPRESS, everything else as RDMA WRITEs of at most a chunk,
 * after the destination has registered the chunk.
 *
 * <p>Two batches alternate, so that the link is not idle during the round trip of a registration:
 * the request for the next batch is sent before the writes of the current one.
 */
final class RamSender {
  /** Most chunks of one registration: long runs save round trips, short ones pin less memory. */
  static final int MAX_RUN_CHUNKS = 64;

  /**
   * Most bytes in transit of RAM that is in memory and registered only until it has been sent; less
   * keeps any link busy. It is a multiple of {@link SendQueue#SIGNAL_INTERVAL} chunks, so that one
   * of the outstanding requests is always signaled.
   */
  static final long MAX_IN_TRANSIT = WriteBatch.MAX_BYTES;

  /** Most bytes scanned between two checks for a cancel and for a heartbeat that is due. */
  private static final long MAX_SCAN = 256L << 20;

  /**
   * Most bytes of holes of one COMPRESS message to a Wridscope. It sends heartbeats while it
   * clears, and an older one, which reads what it clears, is done with them in a minute; a QEMU
   * gets no more than what is scanned.
   */
  private static final long MAX_HOLE = 16 * MAX_SCAN;

  /** How often what callers wait for is looked at between writes, in nanoseconds. */
  private static final long AWAITED_INTERVAL = TimeUnit.MILLISECONDS.toNanos(10);

  /** Writes wait for it often, so it is not created again for each. */
  private static final Wait ROOM = new Wait(Wait.Kind.SEND_CONTEXT);

  private final Endpoint endpoint;
  private final CompletionPoller poller;
  private final ControlChannel control;
  private final Registrar registrar;
  private final List<RamBlock> ram;
  private final List<ChunkTable> tables;
  private final long[] remoteOffsets;
  private final DirtyPages dirty;
  private final SessionTelemetry telemetry;
  private final Metrics metrics;
  private final Throttle throttle;
  private final SendRequest request = new SendRequest();
  private final BooleanSupplier roomForWrite = () -> hasRoom();
  private final BooleanSupplier fewInTransit;
  private final BooleanSupplier throttleOpen;

  private WriteBatch current = new WriteBatch();
  private WriteBatch next = new WriteBatch();
  private final long maxHole;
  private final boolean pinAll;
  private final boolean unregister;
  private final DestinationChunks chunks;

  private final Unregistrations unregistrations;

  private Residency residency = Residency.ALWAYS;

  /** Whether RAM stands still, so that it is sent once, by whole chunks and in order. */
  private boolean once;

  /** The range that was fetched last; -1 for none. */
  private int fetchedBlock = -1;

  private long fetchedOffset;
  private final ZeroRanges zeros = new ZeroRanges();
  private long writtenThisRound;

  /** When what callers wait for was looked at. */
  private long awaitedAt = Time.nanos();

  RamSender(
      Connected peer,
      Registrar registrar,
      List<RamBlock> ram,
      List<ChunkTable> tables,
      long[] remoteOffsets,
      boolean pinAll,
      MigrationParameters parameters,
      SessionTelemetry telemetry) {
    endpoint = peer.endpoint();
    poller = peer.poller();
    control = peer.control();
    this.registrar = registrar;
    this.ram = ram;
    this.tables = tables;
    this.remoteOffsets = remoteOffsets;
    this.telemetry = telemetry;
    this.metrics = telemetry.metrics();
    throttle = new Throttle(parameters);
    throttleOpen = throttle::isOpen;
    fewInTransit =
        () -> endpoint.sendQueue().bytesOutstanding() <= MAX_IN_TRANSIT - ChunkTable.CHUNK_SIZE;
    dirty = new DirtyPages(ram, tables);
    metrics.set(Metric.RAM_REMAINING, dirty.bytes());
    maxHole = control.extensions() ? MAX_HOLE : MAX_SCAN;
    this.pinAll = pinAll;
    unregister = parameters.get(MigrationSetting.UNREGISTER);
    chunks = new DestinationChunks(pinAll || control.extensions());
    unregistrations = new Unregistrations(poller, control, registrar, tables, chunks, telemetry);
    if (unregister) {
      poller.setChunkListener((block, chunk) -> unregistrations.signal(block, chunk));
    }
  }

  /**
   * Notes that a range of a block is not needed soon, so that the registrations that cover part of
   * it may be deregistered; from any thread. Has no effect with pin-all, where a block has one
   * registration only, nor for RAM that is sent once, which is deregistered as it has been sent.
   *
   * @param block index of the block
   * @param length at least 1, up to the end of the block
   */
  void hintUnregister(int block, long offset, long length) {
    if (!pinAll && !once) {
      unregistrations.hint(block, offset, length);
    }
  }

  /**
   * Waits until no registration covers any part of a range, at both ends; from any thread but the
   * engine's. What is still to be written is written before.
   *
   * @param block index of the block
   * @param length at least 1, up to the end of the block
   * @return the number of registrations that were given back for it
   * @throws StillRegisteredException if that is not possible within the limit
   */
  int unregister(int block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException {
    if (pinAll) {
      throw new StillRegisteredException(
          "With pin-all, RAM stays registered to the end; migrate without pin-all.");
    }
    if (once) {
      throw new StillRegisteredException(
          "The guest is read from a file; its registrations are released once their memory has been"
              + " sent.");
    }
    return unregistrations.release(block, offset, length, limit);
  }

  /** Whether a caller waits for a range to be unregistered. */
  boolean isUnregistering() {
    return unregistrations.isAwaited();
  }

  /** Notes that no more RAM will be sent, so that nobody waits any longer for a range. */
  void end() {
    unregistrations.close(
        "The session has sent all RAM or has ended; what is registered is released at its end.");
  }

  /**
   * For RAM that stands still: each chunk is fetched whole, and registered only until it has been
   * sent.
   */
  void sendOnce(Residency source) {
    residency = source;
    once = true;
  }

  /**
   * Adds the pages that the guest has written to since the last call.
   *
   * @return bytes that are dirty now
   */
  long sync(DirtyPages.Writes writes) throws IOException {
    dirty.sync(writes);
    long bytes = dirty.bytes();
    metrics.set(Metric.RAM_REMAINING, bytes);
    return bytes;
  }

  /** Bytes that are dirty. */
  long remaining() {
    return dirty.bytes();
  }

  /**
   * Sends everything that is dirty, waits until all of it has arrived, and sends REGISTER FINISHED,
   * which ends the round.
   *
   * @param limited whether the bandwidth limit applies; as in QEMU, it does not while the guest is
   *     paused
   * @return bytes sent as RDMA WRITEs
   */
  long sendRound(boolean limited) throws IOException, InterruptedException {
    dirty.rewind();
    writtenThisRound = 0;
    current.clear();
    boolean more;
    do {
      more = fill(next);
      requestKeys(next);
      if (!poller.isPipelined()) {
        awaitKeys(next);
      }
      postWrites(current, next, limited);
      awaitKeys(next);
      sendZeros();
      unregistrations.process(next);
      giveBackAwaited(current, current.pieces, next);
      WriteBatch done = current;
      current = next;
      next = done;
    } while (more || !current.isEmpty());
    poller.awaitWrites();
    unregistrations.process(current);
    giveBackAwaited(current, 0, current);
    control.payload();
    control.sendWhenReady(ControlType.REGISTER_FINISHED, 1);
    return writtenThisRound;
  }

  /**
   * Gives back what callers wait for, unless it is in use.
   *
   * @param posted how many pieces of the current batch have been posted
   * @param planned the batch after it, whose keys were requested
   */
  private void giveBackAwaited(WriteBatch batch, int posted, WriteBatch planned)
      throws IOException, InterruptedException {
    if (!unregistrations.isAwaited()) {
      return;
    }
    awaitKeys(planned);
    var busy = new BusyChunks(tables);
    busy.add(batch, posted);
    busy.add(planned, 0);
    if (unregistrations.processAwaited(busy)) {
      endpoint.sendQueue().demandSignal();
    }
    awaitedAt = Time.nanos();
  }

  /**
   * What to release once a piece of RAM that is sent once has arrived: the run of chunks that ends
   * with it, if one does.
   */
  private SendContext.@Nullable Held runEnding(WriteBatch batch, int piece) {
    int block = batch.block[piece];
    int chunk = ChunkTable.chunkOf(batch.offset[piece]);
    for (int run = 0; run < batch.runs; run++) {
      int first = batch.runFirst[run];
      int chunks = batch.runChunks[run];
      if (batch.runBlock[run] == block && first + chunks - 1 == chunk) {
        return arrived -> release(block, first, chunks, arrived);
      }
    }
    return null;
  }

  private void release(int block, int first, int chunks, boolean arrived) throws IOException {
    if (!unregister) {
      registrar.release(block, first);
    }
    if (!arrived) {
      return;
    }
    ChunkTable table = tables.get(block);
    long from = ChunkTable.offsetOf(first);
    long end = Math.min(table.length(), ChunkTable.offsetOf(first + chunks));
    residency.discard(block, from, end - from);
  }

  private void fetch(int block, long offset, int length) throws IOException {
    // The range may have been fetched for the previous batch, which was full.
    if (block != fetchedBlock || offset != fetchedOffset) {
      residency.fetch(block, offset, length);
      fetchedBlock = block;
      fetchedOffset = offset;
    }
  }

  /**
   * Fills a batch with dirty RAM, from the cursor on.
   *
   * @return whether there may be more
   */
  private boolean fill(WriteBatch batch) throws IOException, InterruptedException {
    batch.clear();
    poller.tend();
    long scanned = 0;
    long begin = Time.nanos();
    long waited = metrics.get(Metric.WAIT_READY_TIME);
    boolean more = true;
    while (!batch.isFull() && scanned < MAX_SCAN && (more = dirty.find())) {
      int block = dirty.block();
      long offset = dirty.offset();
      int length = dirty.length();
      long hole = hole(block, offset);
      if (hole > 0) {
        addZeros(block, offset, hole);
      } else {
        fetch(block, offset, length);
        if (ZeroPages.isZero(ram.get(block).memory(), offset, length)) {
          addZeros(block, offset, length);
        } else if (!addPiece(batch, block, offset, length)) {
          break;
        }
      }
      dirty.clear(hole > 0 ? hole : length);
      scanned += hole > 0 ? hole / (maxHole / MAX_SCAN) : length;
    }
    long elapsed = Time.nanos() - begin;
    metrics.add(Metric.SCAN_TIME, elapsed - (metrics.get(Metric.WAIT_READY_TIME) - waited));
    return more;
  }

  /**
   * Bytes of dirty RAM, to the end of a chunk or of what is dirty, whose pages do not exist, so
   * that they need not be read, which would allocate them: never touched, or given back since they
   * were sent. A page that comes into being later is written to then, which the dirty log tells.
   */
  private long hole(int block, long offset) {
    RamBlock ofRam = ram.get(block);
    long end = Math.min(ofRam.length(), offset + maxHole);
    long data = ofRam.holes().nextData(offset, end);
    if (data == offset) {
      return 0;
    }
    long length = dirty.length(data - offset);
    return data == end || length < data - offset
        ? length
        : Math.max(0, (data & -ChunkTable.CHUNK_SIZE) - offset);
  }

  /** Adds a piece; false if its chunk needs a registration and the batch has no room for one. */
  private boolean addPiece(WriteBatch batch, int block, long offset, int length) {
    ChunkTable table = tables.get(block);
    int chunk = ChunkTable.chunkOf(offset);
    boolean keyless = table.remoteKey(chunk) == 0 || table.localKey(chunk) == 0;
    if (keyless && !batch.isRegistering(block, chunk)) {
      if (batch.canExtend(block, chunk) && batch.lastRunChunks() < chunks.mostOfARun()) {
        batch.extendRun();
      } else if (batch.runs < control.maxCommands()) {
        batch.beginRun(block, chunk);
      } else {
        return false;
      }
    }
    batch.add(block, offset, length);
    return true;
  }

  // ------------------------------------------------------------------------------------ zeros

  private void addZeros(int block, long offset, long length)
      throws IOException, InterruptedException {
    if (zeros.extend(block, offset, length)) {
      return;
    }
    if (zeros.count == control.maxCommands()) {
      sendZeros();
    }
    zeros.add(block, offset, length);
  }

  private void sendZeros() throws IOException, InterruptedException {
    if (zeros.count == 0) {
      return;
    }
    ByteBuffer payload = control.payload();
    for (int i = 0; i < zeros.count; i++) {
      int block = zeros.block[i];
      new CompressCommand(0, block, remoteOffsets[block] + zeros.offset[i], zeros.length[i])
          .encode(payload);
    }
    control.sendWhenReady(ControlType.COMPRESS, zeros.count);
    for (int i = 0; i < zeros.count; i++) {
      noteZero(tables.get(zeros.block[i]), zeros.offset[i], zeros.length[i]);
    }
    zeros.clear();
  }

  private void noteZero(ChunkTable table, long offset, long length) {
    int first = ChunkTable.chunkOf(offset);
    telemetry.event(
        EventKind.ZERO,
        (int) ((offset - ChunkTable.offsetOf(first)) >> RamBlock.PAGE_SHIFT),
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, table.index(), first),
        length);
    for (int chunk = first; chunk <= ChunkTable.chunkOf(offset + length - 1); chunk++) {
      if (table.inTransit(chunk) == 0) {
        table.setState(chunk, table.timesSent(chunk) == 0 ? ChunkState.ZERO : ChunkState.SENT);
      }
    }
  }

  // ----------------------------------------------------------------------------- registrations

  private void requestKeys(WriteBatch batch) throws IOException, InterruptedException {
    if (needsRequest(batch)) {
      ByteBuffer payload = control.payload();
      for (int i = 0; i < batch.runs; i++) {
        int block = batch.runBlock[i];
        keyEvent(EventKind.KEY_REQUESTED, batch, i, 0);
        new RegisterCommand(
                remoteOffsets[block] + ChunkTable.offsetOf(batch.runFirst[i]),
                block,
                batch.runChunks[i] - 1L)
            .encode(payload);
      }
      control.sendWhenReady(ControlType.REGISTER_REQUEST, batch.runs);
    }
    for (int i = 0; i < batch.runs; i++) {
      registrar.register(batch.runBlock[i], batch.runFirst[i], batch.runChunks[i]);
    }
  }

  /** Whether the batch needs keys of the destination; with pin-all it has given out all. */
  private boolean needsRequest(WriteBatch batch) {
    return batch.runs > 0 && tables.get(batch.runBlock[0]).remoteKey(batch.runFirst[0]) == 0;
  }

  private void awaitKeys(WriteBatch batch) throws IOException, InterruptedException {
    if (!needsRequest(batch)) {
      return;
    }
    long begin = Time.nanos();
    Message message = control.receive(ControlType.REGISTER_RESULT, poller.limits().answer());
    metrics.add(Metric.WAIT_REGISTER_TIME, Time.nanos() - begin);
    RegisterResult.requireRepeat(message.header(), batch.runs);
    for (int i = 0; i < batch.runs; i++) {
      ChunkTable table = tables.get(batch.runBlock[i]);
      RegisterResult result = RegisterResult.decode(message.payload());
      result.requireHostAddress(table.remoteAddress());
      for (int n = 0; n < batch.runChunks[i]; n++) {
        table.setRemoteKey(batch.runFirst[i] + n, result.remoteKey());
        table.setState(batch.runFirst[i] + n, ChunkState.REGISTERED);
      }
      chunks.given(table, batch.runFirst[i]);
      keyEvent(EventKind.KEY_GIVEN, batch, i, result.remoteKey());
    }
    control.release(message);
  }

  private void keyEvent(EventKind kind, WriteBatch batch, int run, int key) {
    telemetry.event(
        kind,
        0,
        batch.runChunks[run],
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, batch.runBlock[run], batch.runFirst[run]),
        Integer.toUnsignedLong(key));
  }

  // ------------------------------------------------------------------------------------ writes

  private void postWrites(WriteBatch batch, WriteBatch planned, boolean limited)
      throws IOException, InterruptedException {
    for (int i = 0; i < batch.pieces; i++) {
      if (limited) {
        awaitThrottle(batch.length[i]);
      }
      if (once && !fewInTransit.getAsBoolean()) {
        long begin = Time.nanos();
        poller.await(
            fewInTransit, Awaited.WRITE, new Wait(Wait.Kind.WRITES), poller.limits().answer());
        metrics.add(Metric.WAIT_SEND_QUEUE_TIME, Time.nanos() - begin);
      }
      if (!hasRoom()) {
        long begin = Time.nanos();
        metrics.increment(Metric.SEND_CONTEXT_WAITS);
        poller.await(roomForWrite, Awaited.WRITE, ROOM, poller.limits().answer());
        metrics.add(Metric.WAIT_SEND_QUEUE_TIME, Time.nanos() - begin);
      }
      if (unregistrations.takeHints()) {
        endpoint.sendQueue().demandSignal();
      }
      if (unregistrations.isAwaited() && Time.nanos() - awaitedAt > AWAITED_INTERVAL) {
        giveBackAwaited(batch, i, planned);
      }
      boolean last = i == batch.pieces - 1 || (limited && !throttle.isOpen());
      postWrite(
          batch.block[i],
          batch.offset[i],
          batch.length[i],
          last,
          once ? runEnding(batch, i) : null);
      poller.poll();
    }
  }

  private boolean hasRoom() {
    return endpoint.sendQueue().hasRoomForWrite();
  }

  private void awaitThrottle(int bytes) throws IOException, InterruptedException {
    if (!throttle.isOpen()) {
      long begin = Time.nanos();
      poller.await(throttleOpen, new Wait(Wait.Kind.BANDWIDTH), Limits.OWN);
      metrics.add(Metric.WAIT_BANDWIDTH_TIME, Time.nanos() - begin);
    }
    throttle.charge(bytes);
  }

  /**
   * Posts an RDMA WRITE.
   *
   * @param last whether no other follows immediately
   * @param also to be released with it
   */
  private void postWrite(
      int block, long offset, int length, boolean last, SendContext.@Nullable Held also)
      throws IOException {
    ChunkTable table = tables.get(block);
    int chunk = ChunkTable.chunkOf(offset);
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    long remoteAddress = table.remoteAddress() + offset;
    long now = Time.nanos();
    boolean signaled =
        endpoint
            .sendQueue()
            .postWrite(
                request.rdmaWrite(
                    wrid,
                    table.localAddress() + offset,
                    length,
                    table.localKey(chunk),
                    remoteAddress,
                    table.remoteKey(chunk)),
                table,
                chunk,
                last,
                also);
    writtenThisRound += length;
    telemetry.event(now, EventKind.POST_WRITE, signaled ? 1 : 0, length, wrid, remoteAddress);
  }
}
