// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Writes the events of a recorded session as QEMU 7.2 would trace them, so that logs of both can be
 * compared. The formats are those of QEMU's {@code migration/trace-events}. Events without a trace
 * event in QEMU are omitted, or written under names of our own.
 */
public final class QemuTraceText {
  private static final String ANSWER_WAIT = "the peer's ";
  private static final String READY_WAIT = "the destination's READY";

  private final RecordedSession session;
  private final Names names;
  private final Form form;
  private final Out out;
  private List<BlockShape> blocks = List.of();
  private long[] remote = {};
  private int generation = -1;
  private int writesLeft;
  private long waitedWrid;
  private boolean waitsForReady;
  private @Nullable Received pending;

  /**
   * The format of lines.
   *
   * @param times whether each line starts with thread and time, as with {@code -msg timestamp=on}
   * @param comparable whether values that differ between runs are replaced: addresses become
   *     relative to their block; keys and receive buffers are omitted
   * @param all whether events without a trace event in QEMU are written as well
   */
  public record Form(boolean times, boolean comparable, boolean all) {}

  /** Receives lines without line ends. */
  @FunctionalInterface
  public interface Out {
    void line(String line) throws IOException;
  }

  /** The completion of a receive, which is written once its message is known. */
  private record Received(long nanos, int status, long wrid) {}

  private QemuTraceText(RecordedSession session, Form form, Out out) {
    this.session = session;
    this.names = session.names();
    this.form = form;
    this.out = out;
  }

  /** Writes all events of a session, independently of its position. */
  public static void write(RecordedSession session, Form form, Out out) throws IOException {
    var text = new QemuTraceText(session, form, out);
    session.forEachEvent(event ->
        text.event(
            event.nanos(),
            event.kind(),
            event.detail(),
            event.length(),
            event.wrid(),
            event.argument()));
    text.completePending(false);
  }

  private void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument)
      throws IOException {
    learn(nanos);
    if (kind != EventKind.CONTROL_RECEIVED) {
      completePending(false);
    }
    switch (kind) {
      case CONTROL_SENT ->
          line(nanos, "qemu_rdma_post_send_control CONTROL: sending %s..".formatted(text(detail)));
      case COMPLETION_SEND_QUEUE -> sendCompletion(nanos, detail, wrid);
      case COMPLETION_RECEIVE_QUEUE -> pending = new Received(nanos, detail, wrid);
      case CONTROL_RECEIVED -> received(nanos, detail, argument);
      case POST_WRITE -> posted(nanos, length, wrid, argument);
      case REGISTERED -> registered(nanos, length, wrid, argument);
      case ZERO -> zero(nanos, detail, wrid, argument);
      case STATUS ->
          line(nanos, "migrate_set_state new state %s".formatted(EventText.status(detail)));
      // QEMU reports no dirty pages for the first round.
      case ROUND_BEGIN -> roundBegins(nanos, detail == 1 ? 0 : argument >> RamBlock.PAGE_SHIFT);
      case GUEST_PAUSED -> line(nanos, "migration_completion_vm_stop ret 0");
      case CONNECTION -> line(nanos, "qemu_rdma_cleanup_disconnect ");
      case WAIT_BEGIN -> {
        waitedWrid = wrid;
        String phrase = EventText.wait(detail, names.waits());
        waitsForReady = phrase.equals(READY_WAIT);
        if (phrase.startsWith(ANSWER_WAIT)) {
          line(
              nanos,
              "qemu_rdma_exchange_send_waiting Waiting for response %s"
                  .formatted(phrase.substring(ANSWER_WAIT.length())));
        } else {
          own(nanos, kind, phrase);
        }
      }
      case WAIT_END -> {
        String phrase = EventText.wait(detail, names.waits());
        waitsForReady = false;
        if (phrase.startsWith(ANSWER_WAIT)) {
          line(
              nanos,
              "qemu_rdma_exchange_send_received Response %s received."
                  .formatted(phrase.substring(ANSWER_WAIT.length())));
        } else {
          own(nanos, kind, phrase);
        }
      }
      case COMPLETION_DROPPED ->
          line(
              nanos,
              "qemu_rdma_block_for_wrid_miss A Wanted wrid %s (%d) but got %s (%d)"
                  .formatted(name(waitedWrid), WorkRequestId.type(waitedWrid), name(wrid), wrid));
      default -> own(nanos, kind, "detail %d length %d wrid %d".formatted(detail, length, wrid));
    }
  }

  /** Updates RAM blocks and addresses to those known at a moment. */
  private void learn(long nanos) throws IOException {
    long inFile = session.inFile(nanos);
    int known = Search.lastAt(names.generations(), Names.Generation::nanos, inFile);
    if (known != generation) {
      generation = known;
      blocks = names.generations().get(known).blocks();
      remote = new long[blocks.size()];
      tellBlocks(nanos);
    }
    int addresses = Search.lastAt(names.remoteAddresses(), Names.RemoteAddresses::nanos, inFile);
    if (addresses >= 0 && names.remoteAddresses().get(addresses).generation() == generation) {
      remote = names.remoteAddresses().get(addresses).addresses();
    }
  }

  private void tellBlocks(long nanos) throws IOException {
    for (int i = 0; i < blocks.size(); i++) {
      BlockShape block = blocks.get(i);
      long address = form.comparable ? 0 : block.localAddress();
      // Like QEMU: one more when the block ends at the end of a chunk.
      long chunks = (block.length() >> ChunkTable.CHUNK_SHIFT) + 1;
      line(
          nanos,
          "rdma_add_block Added Block: '%s':%d, addr: %s, offset: %d length: %d end: %s bits %d chunks %d"
              .formatted(
                  block.name(),
                  i,
                  Long.toUnsignedString(address),
                  form.comparable ? 0 : offset(i),
                  block.length(),
                  Long.toUnsignedString(address + block.length()),
                  (chunks + Long.SIZE - 1) / Long.SIZE * Long.SIZE,
                  chunks));
    }
    line(
        nanos,
        "qemu_rdma_init_ram_blocks Allocated %d local ram block structures"
            .formatted(blocks.size()));
  }

  /** The start of a block when all blocks are laid out in a row, each aligned to a chunk. */
  private long offset(int of) {
    long offset = 0;
    for (int i = 0; i < of; i++) {
      offset += blocks.get(i).chunks() << ChunkTable.CHUNK_SHIFT;
    }
    return offset;
  }

  private void sendCompletion(long nanos, int status, long wrid) throws IOException {
    if (failed(nanos, status, wrid)) {
      return;
    }
    if (WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE) {
      int block = WorkRequestId.block(wrid);
      line(
          nanos,
          "qemu_rdma_poll_write completions %s (%d) left %d, block %d, chunk: %d %s %s"
              .formatted(
                  name(wrid),
                  WorkRequestId.type(wrid),
                  writesLeft,
                  block,
                  WorkRequestId.chunk(wrid),
                  local(block, 0),
                  form.comparable ? "0x0" : hex(remoteOf(block))));
      writesLeft = Math.max(0, writesLeft - 1);
    } else {
      line(
          nanos,
          "qemu_rdma_poll_other other completion %s (%d) received left %d"
              .formatted(name(wrid), WorkRequestId.type(wrid), writesLeft));
    }
  }

  private boolean failed(long nanos, int status, long wrid) throws IOException {
    if (status == WorkCompletionStatus.SUCCESS.value()) {
      return false;
    }
    line(
        nanos,
        "ibv_poll_cq wc.status=%d %s!".formatted(status, WorkCompletionStatus.of(status).text()));
    line(nanos, "ibv_poll_cq wrid=%s!".formatted(name(wrid)));
    return true;
  }

  /** Writes the pending completion of a receive. */
  private void completePending(boolean ready) throws IOException {
    Received completion = pending;
    pending = null;
    if (completion == null || failed(completion.nanos, completion.status, completion.wrid)) {
      return;
    }
    int type =
        form.comparable ? WorkRequestId.CONTROL_RECEIVE : WorkRequestId.type(completion.wrid);
    if (ready) {
      line(
          completion.nanos,
          "qemu_rdma_poll_recv completion %s #%d received (%d) left %d"
              .formatted(
                  name(completion.wrid), type - WorkRequestId.CONTROL_RECEIVE, type, writesLeft));
    }
    line(
        completion.nanos,
        "qemu_rdma_poll_other other completion %s (%d) received left %d"
            .formatted(name(completion.wrid), type, writesLeft));
  }

  private void received(long nanos, int detail, long repeat) throws IOException {
    boolean source = session.role() == Role.SOURCE;
    ControlType type = ControlType.of(detail);
    completePending(source && type == ControlType.READY);
    if (source && type == ControlType.READY && !waitsForReady) {
      // QEMU does not trace a READY that arrives while it waits for something else.
      return;
    }
    if (source || type == ControlType.QEMU_FILE) {
      line(
          nanos,
          "qemu_rdma_exchange_get_response_start CONTROL: %s receiving...".formatted(text(detail)));
      return;
    }
    line(nanos, "qemu_rdma_exchange_get_response_start CONTROL: NONE receiving...");
    line(
        nanos,
        "qemu_rdma_exchange_get_response_none Surprise: got %s (%d)"
            .formatted(text(detail), detail));
    switch (type) {
      case RAM_BLOCKS_REQUEST -> line(nanos, "qemu_rdma_registration_handle_ram_blocks ");
      case REGISTER_REQUEST ->
          line(
              nanos,
              "qemu_rdma_registration_handle_register %d requests".formatted(Math.max(1, repeat)));
      case UNREGISTER_REQUEST ->
          line(
              nanos,
              "qemu_rdma_registration_handle_unregister %d requests"
                  .formatted(Math.max(1, repeat)));
      case REGISTER_FINISHED -> line(nanos, "qemu_rdma_registration_handle_finished ");
      case null, default -> {
        // traced by no line of its own
      }
    }
  }

  private void posted(long nanos, int length, long wrid, long address) throws IOException {
    int block = WorkRequestId.block(wrid);
    long chunk = WorkRequestId.chunk(wrid);
    long base = remoteOf(block);
    long offset = base == 0 ? chunk << ChunkTable.CHUNK_SHIFT : address - base;
    line(
        nanos,
        "qemu_rdma_write_one_post Posting chunk: %d, addr: %s remote: %s, bytes %s"
            .formatted(
                chunk,
                local(block, offset),
                hex(form.comparable ? offset : address),
                Integer.toUnsignedString(length)));
    writesLeft++;
  }

  private void registered(long nanos, int chunks, long wrid, long key) throws IOException {
    int block = WorkRequestId.block(wrid);
    if (block >= blocks.size()) {
      return;
    }
    long offset = WorkRequestId.chunk(wrid) << ChunkTable.CHUNK_SHIFT;
    long bytes =
        Math.min(blocks.get(block).length() - offset, (long) chunks << ChunkTable.CHUNK_SHIFT);
    line(
        nanos,
        "qemu_rdma_register_and_get_keys Registering %d bytes @ %s"
            .formatted(bytes, local(block, offset)));
    if (session.role() == Role.DESTINATION) {
      line(
          nanos,
          "qemu_rdma_registration_handle_register_rkey %s"
              .formatted(form.comparable ? "key" : hex(key & 0xffff_ffffL)));
    }
  }

  private void roundBegins(long nanos, long dirtyPages) throws IOException {
    line(nanos, "migration_bitmap_sync_start ");
    line(nanos, "migration_bitmap_sync_end dirty_pages %d".formatted(dirtyPages));
  }

  private void zero(long nanos, int page, long wrid, long bytes) throws IOException {
    int block = WorkRequestId.block(wrid);
    long chunk = WorkRequestId.chunk(wrid);
    long offset =
        (form.comparable || block >= blocks.size() ? 0 : offset(block))
            + (chunk << ChunkTable.CHUNK_SHIFT)
            + ((long) page << RamBlock.PAGE_SHIFT);
    if (session.role() == Role.SOURCE) {
      line(
          nanos,
          "qemu_rdma_write_one_zero Entire chunk is zero, sending compress: %d for %d bytes, index: %d, offset: %d"
              .formatted(chunk, bytes, block, offset));
    } else {
      line(
          nanos,
          "qemu_rdma_registration_handle_compress Zapping zero chunk: %d bytes, index %d, offset %d"
              .formatted(bytes, block, offset));
    }
  }

  // ------------------------------------------------------------------------------------- the words

  private long remoteOf(int block) {
    return block < remote.length ? remote[block] : 0;
  }

  private String local(int block, long offset) {
    long base = form.comparable || block >= blocks.size() ? 0 : blocks.get(block).localAddress();
    return hex(base + offset);
  }

  private static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }

  private static String text(int type) {
    ControlType known = ControlType.of(type);
    return known == null ? "??BAD CONTROL VALUE??" : known.text();
  }

  private static String name(long wrid) {
    int type = WorkRequestId.type(wrid);
    if (type == WorkRequestId.RDMA_WRITE) {
      return "WRITE RDMA";
    }
    return type >= WorkRequestId.CONTROL_RECEIVE ? "CONTROL RECV" : WorkRequestId.describe(wrid);
  }

  private void own(long nanos, EventKind kind, String text) throws IOException {
    if (form.all) {
      line(nanos, "wridscope_%s %s".formatted(kind.name().toLowerCase(Locale.ROOT), text));
    }
  }

  private void line(long nanos, String text) throws IOException {
    if (form.times && !form.comparable) {
      Instant when = session.wallClock(nanos);
      out.line(
          "%d@%d.%06d:%s"
              .formatted(
                  session.role().ordinal() + 1,
                  when.getEpochSecond(),
                  when.getNano() / 1000,
                  text));
    } else {
      out.line(text);
    }
  }
}
