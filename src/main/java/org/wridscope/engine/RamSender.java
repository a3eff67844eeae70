// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.DirtyLog;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.Residency;
import org.wridscope.memory.ZeroPages;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.SendRequest;

/**
 * Sends dirty RAM: zero stretches as COMPRESS, the rest as RDMA WRITEs of at most a chunk, whose
 * chunks it has the destination register before.
 *
 * <p>Two batches take turns, so that the link is never idle while a register request is answered:
 * the request of the next batch goes out before the writes of the present one.
 */
final class RamSender {
  /**
   * Chunks that one registration covers at most: long runs save round trips, short ones pin less.
   */
  static final int MAX_RUN_CHUNKS = 64;

  /**
   * Bytes in transit at most, of RAM that is in memory and registered only until it was sent. Any
   * link is busy with less. The requests of the last chunks are signaled at the latest after {@link
   * SendQueue#SIGNAL_INTERVAL}, which is a fraction of it, so that one of them always completes.
   */
  static final long MAX_IN_TRANSIT = WriteBatch.MAX_BYTES;

  /** Bytes looked at between two chances to notice a cancel and to send a heartbeat. */
  private static final long MAX_SCAN = 256L << 20;

  private final Endpoint endpoint;
  private final CompletionPoller poller;
  private final ControlChannel control;
  private final Registrar registrar;
  private final List<RamBlock> ram;
  private final List<ChunkTable> tables;
  private final long[] remoteOffsets;
  private final DirtyBitmap[] dirty;
  private final SessionTelemetry telemetry;
  private final Metrics metrics;
  private final Throttle throttle;
  private final SendRequest request = new SendRequest();
  private final BooleanSupplier roomForWrite = () -> hasRoom();
  private final BooleanSupplier fewInTransit;
  private final BooleanSupplier throttleOpen;

  private WriteBatch current = new WriteBatch();
  private WriteBatch next = new WriteBatch();
  private int cursorBlock;
  private long cursorPage;

  private final boolean pinAll;
  private final boolean unregister;

  /** Then an answer is waited for at once, as by QEMU: another wait would throw it away. */
  private final boolean sharedQueue;

  private final Unregistrations unregistrations;

  private Residency residency = Residency.ALWAYS;
  private boolean once;

  private int fetchedBlock = -1;
  private long fetchedOffset;

  private final int[] zeroBlock = new int[256];
  private final long[] zeroOffset = new long[256];
  private final long[] zeroLength = new long[256];
  private int zeros;

  private long writtenThisRound;

  /** Zeros of the last COMPRESS; the destination says READY once it has dealt with them. */
  private long zerosTold;

  RamSender(
      Endpoint endpoint,
      CompletionPoller poller,
      ControlChannel control,
      Registrar registrar,
      List<RamBlock> ram,
      List<ChunkTable> tables,
      long[] remoteOffsets,
      boolean pinAll,
      MigrationParameters parameters,
      SessionTelemetry telemetry) {
    this.endpoint = endpoint;
    this.poller = poller;
    this.control = control;
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
    dirty = new DirtyBitmap[ram.size()];
    for (int i = 0; i < dirty.length; i++) {
      dirty[i] = new DirtyBitmap(ram.get(i).pages());
      dirty[i].setAll();
    }
    metrics.set(Metric.RAM_REMAINING, dirtyBytes());
    this.pinAll = pinAll;
    unregister = parameters.unregister();
    sharedQueue = parameters.sharedQueue();
    unregistrations = new Unregistrations(poller, control, registrar, tables, telemetry);
    poller.setChunkListener(this::written);
  }

  /**
   * Says that a range of a block is not needed soon, so that the registrations that cover part of
   * it may be given back; from any thread. Without effect with pin-all, where a block has but one,
   * and for RAM that is sent once, which gives back its own as it goes.
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
   * For RAM that stands still: each chunk is fetched whole and registered only until it was sent.
   */
  void sendOnce(Residency source) {
    residency = source;
    once = true;
  }

  /**
   * Fetches what the guest wrote since the last time.
   *
   * @return bytes that are dirty now
   */
  long sync(DirtyLog log) {
    for (int block = 0; block < dirty.length; block++) {
      log.fetchAndClear(block, dirty[block]);
      markDirtyAgain(block);
    }
    long bytes = dirtyBytes();
    metrics.set(Metric.RAM_REMAINING, bytes);
    return bytes;
  }

  private void markDirtyAgain(int block) {
    DirtyBitmap bitmap = dirty[block];
    ChunkTable table = tables.get(block);
    long page = bitmap.nextSet(0);
    while (page < bitmap.pages()) {
      int chunk = ChunkTable.chunkOf(page << RamBlock.PAGE_SHIFT);
      table.setState(chunk, ChunkState.DIRTY_AGAIN);
      page = bitmap.nextSet(ChunkTable.offsetOf(chunk + 1) >> RamBlock.PAGE_SHIFT);
    }
  }

  /** Bytes that are dirty. */
  long remaining() {
    return dirtyBytes();
  }

  private long dirtyBytes() {
    long pages = 0;
    for (DirtyBitmap bitmap : dirty) {
      pages += bitmap.count();
    }
    return pages << RamBlock.PAGE_SHIFT;
  }

  /**
   * Sends everything that is dirty, waits until all of it has arrived, and tells the destination
   * that this round is over.
   *
   * @param limited whether the bandwidth limit holds; as in QEMU it does not while the guest stands
   *     still
   * @return bytes that went over the wire as RDMA WRITEs
   */
  long sendRound(boolean limited) throws IOException, InterruptedException {
    cursorBlock = 0;
    cursorPage = 0;
    writtenThisRound = 0;
    current.clear();
    boolean more;
    do {
      more = fill(next);
      requestKeys(next);
      if (sharedQueue) {
        awaitKeys(next);
      }
      postWrites(current, limited);
      awaitKeys(next);
      sendZeros();
      unregistrations.process(next);
      WriteBatch done = current;
      current = next;
      next = done;
    } while (more || !current.isEmpty());
    poller.awaitWrites();
    unregistrations.process(current);
    control.payload();
    tell(ControlType.REGISTER_FINISHED, 1);
    return writtenThisRound;
  }

  /** Sends a message once the destination is READY, which has then dealt with those before. */
  private void tell(ControlType type, int repeat) throws IOException, InterruptedException {
    control.sendWhenReady(type, repeat);
    arrived(zerosTold);
    zerosTold = 0;
  }

  /** A completion has covered an RDMA WRITE. */
  private void written(ChunkTable table, int chunk, int length, boolean arrived) {
    if (arrived) {
      metrics.add(Metric.NORMAL_PAGES, length >> RamBlock.PAGE_SHIFT);
      arrived(length);
    }
    if (unregister) {
      unregistrations.signal(table.index(), chunk);
    }
  }

  /**
   * What is to be released once this stretch was sent: the run of chunks that ends with it, if one
   * does. RAM that is sent once goes by whole chunks, in order.
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
    // A batch that is full may have left it for the next one.
    if (block != fetchedBlock || offset != fetchedOffset) {
      residency.fetch(block, offset, length);
      fetchedBlock = block;
      fetchedOffset = offset;
    }
  }

  /**
   * Fills a batch with what is dirty, from the cursor on.
   *
   * @return whether there may be more
   */
  private boolean fill(WriteBatch batch) throws IOException, InterruptedException {
    batch.clear();
    poller.tend();
    long scanned = 0;
    long begin = System.nanoTime();
    long waited = metrics.get(Metric.WAIT_READY_TIME);
    boolean more = true;
    while (!batch.isFull() && scanned < MAX_SCAN && (more = findDirty())) {
      int block = cursorBlock;
      long offset = cursorPage << RamBlock.PAGE_SHIFT;
      int chunk = ChunkTable.chunkOf(offset);
      long chunkEnd = ChunkTable.offsetOf(chunk + 1) >> RamBlock.PAGE_SHIFT;
      long end = Math.min(dirty[block].nextClear(cursorPage), chunkEnd);
      int length = (int) ((end - cursorPage) << RamBlock.PAGE_SHIFT);
      fetch(block, offset, length);
      if (ZeroPages.isZero(ram.get(block).memory(), offset, length)) {
        addZero(block, offset, length);
      } else if (!addPiece(batch, block, chunk, offset, length)) {
        break;
      }
      dirty[block].clear(cursorPage, end);
      scanned += length;
      cursorPage = end;
    }
    long elapsed = System.nanoTime() - begin;
    metrics.add(Metric.SCAN_TIME, elapsed - (metrics.get(Metric.WAIT_READY_TIME) - waited));
    return more;
  }

  /** Moves the cursor to the next dirty page; false when there is none. */
  private boolean findDirty() {
    while (cursorBlock < dirty.length) {
      long page = dirty[cursorBlock].nextSet(cursorPage);
      if (page < dirty[cursorBlock].pages()) {
        cursorPage = page;
        return true;
      }
      cursorBlock++;
      cursorPage = 0;
    }
    return false;
  }

  /** Adds a stretch; false when its chunk needs a registration and the batch can take no more. */
  private boolean addPiece(WriteBatch batch, int block, int chunk, long offset, int length) {
    ChunkTable table = tables.get(block);
    boolean keyless = table.remoteKey(chunk) == 0 || table.localKey(chunk) == 0;
    if (keyless && !batch.isRegistering(block, chunk)) {
      if (batch.canExtend(block, chunk) && batch.lastRunChunks() < MAX_RUN_CHUNKS) {
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

  private void addZero(int block, long offset, long length)
      throws IOException, InterruptedException {
    int last = zeros - 1;
    if (last >= 0 && zeroBlock[last] == block && zeroOffset[last] + zeroLength[last] == offset) {
      zeroLength[last] += length;
      return;
    }
    if (zeros == control.maxCommands()) {
      sendZeros();
    }
    zeroBlock[zeros] = block;
    zeroOffset[zeros] = offset;
    zeroLength[zeros] = length;
    zeros++;
  }

  private void sendZeros() throws IOException, InterruptedException {
    if (zeros == 0) {
      return;
    }
    ByteBuffer payload = control.payload();
    for (int i = 0; i < zeros; i++) {
      int block = zeroBlock[i];
      new CompressCommand(0, block, remoteOffsets[block] + zeroOffset[i], zeroLength[i])
          .encode(payload);
    }
    tell(ControlType.COMPRESS, zeros);
    for (int i = 0; i < zeros; i++) {
      noteZero(tables.get(zeroBlock[i]), zeroOffset[i], zeroLength[i]);
      zerosTold += zeroLength[i];
    }
    zeros = 0;
  }

  private void noteZero(ChunkTable table, long offset, long length) {
    metrics.add(Metric.DUPLICATE_PAGES, length >> RamBlock.PAGE_SHIFT);
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

  private void arrived(long bytes) {
    metrics.add(Metric.RAM_PROCESSED, bytes);
    metrics.add(Metric.ROUND_PROCESSED, bytes);
    metrics.add(Metric.RAM_REMAINING, -bytes);
  }

  // ----------------------------------------------------------------------------- registrations

  private void requestKeys(WriteBatch batch) throws IOException, InterruptedException {
    if (needsRequest(batch)) {
      ByteBuffer payload = control.payload();
      for (int i = 0; i < batch.runs; i++) {
        int block = batch.runBlock[i];
        new RegisterCommand(
                remoteOffsets[block] + ChunkTable.offsetOf(batch.runFirst[i]),
                block,
                batch.runChunks[i] - 1L)
            .encode(payload);
      }
      tell(ControlType.REGISTER_REQUEST, batch.runs);
    }
    for (int i = 0; i < batch.runs; i++) {
      registrar.register(batch.runBlock[i], batch.runFirst[i], batch.runChunks[i]);
    }
  }

  /** Whether the destination has not given out its keys: with pin-all it has, of all chunks. */
  private boolean needsRequest(WriteBatch batch) {
    return batch.runs > 0 && tables.get(batch.runBlock[0]).remoteKey(batch.runFirst[0]) == 0;
  }

  private void awaitKeys(WriteBatch batch) throws IOException, InterruptedException {
    if (!needsRequest(batch)) {
      return;
    }
    long begin = System.nanoTime();
    Message message = control.receive(ControlType.REGISTER_RESULT, poller.limits().answer());
    metrics.add(Metric.WAIT_REGISTER_TIME, System.nanoTime() - begin);
    metrics.increment(Metric.REGISTRATION_ROUND_TRIPS);
    RegisterResult.requireRepeat(message.header(), batch.runs);
    for (int i = 0; i < batch.runs; i++) {
      ChunkTable table = tables.get(batch.runBlock[i]);
      RegisterResult result = RegisterResult.decode(message.payload());
      result.requireHostAddress(table.remoteAddress());
      for (int n = 0; n < batch.runChunks[i]; n++) {
        table.setRemoteKey(batch.runFirst[i] + n, result.remoteKey());
        table.setState(batch.runFirst[i] + n, ChunkState.REGISTERED);
      }
    }
    control.release(message);
  }

  // ------------------------------------------------------------------------------------ writes

  private void postWrites(WriteBatch batch, boolean limited)
      throws IOException, InterruptedException {
    for (int i = 0; i < batch.pieces; i++) {
      if (limited) {
        awaitThrottle(batch.length[i]);
      }
      if (once && !fewInTransit.getAsBoolean()) {
        long begin = System.nanoTime();
        poller.await(fewInTransit, "RDMA writes to complete", poller.limits().answer());
        metrics.add(Metric.WAIT_SEND_QUEUE_TIME, System.nanoTime() - begin);
      }
      if (!hasRoom()) {
        long begin = System.nanoTime();
        metrics.increment(Metric.SEND_CONTEXT_WAITS);
        poller.await(roomForWrite, "a free send context", poller.limits().answer());
        metrics.add(Metric.WAIT_SEND_QUEUE_TIME, System.nanoTime() - begin);
      }
      if (unregistrations.takeHints()) {
        endpoint.sendQueue().demandSignal();
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
      long begin = System.nanoTime();
      poller.await(throttleOpen, "the bandwidth limit", Limits.OWN);
      metrics.add(Metric.WAIT_BANDWIDTH_TIME, System.nanoTime() - begin);
    }
    throttle.charge(bytes);
  }

  /**
   * Posts an RDMA WRITE.
   *
   * @param last whether no other follows at once
   * @param also what is to be released with it
   */
  private void postWrite(
      int block, long offset, int length, boolean last, SendContext.@Nullable Held also)
      throws IOException {
    ChunkTable table = tables.get(block);
    int chunk = ChunkTable.chunkOf(offset);
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    long remoteAddress = table.remoteAddress() + offset;
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
    metrics.increment(Metric.WRITES_POSTED);
    metrics.add(Metric.WRITES_SIGNALED, signaled ? 1 : 0);
    telemetry.event(EventKind.POST_WRITE, signaled ? 1 : 0, length, wrid, remoteAddress);
  }

  /** Tables for blocks of RAM, in their order. */
  static List<ChunkTable> tablesOf(List<RamBlock> ram) {
    var tables = new ArrayList<ChunkTable>(ram.size());
    for (int i = 0; i < ram.size(); i++) {
      RamBlock block = ram.get(i);
      tables.add(new ChunkTable(i, block.name(), block.length(), block.memory().address()));
    }
    return List.copyOf(tables);
  }
}
