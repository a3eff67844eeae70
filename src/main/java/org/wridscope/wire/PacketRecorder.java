// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.WireTap;

/**
 * Writes what software devices carry as RoCEv2 packets into a file, on a thread of its own. Devices
 * never wait for it: when it is too slow, first the contents of RDMA WRITEs are left out, then
 * messages; both are counted.
 */
public final class PacketRecorder implements WireTap, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PacketRecorder.class);

  /** The path MTU. */
  static final int MTU = 4096;

  /** Bytes of messages that wait to be written, with and without those of RDMA WRITEs. */
  private static final long MOST_WAITING = 64L << 20;

  private static final long MOST_WRITES_WAITING = 48L << 20;
  private static final int MOST_MESSAGES_WAITING = 1 << 15;

  /** On one packet; further completions are shown as polled when they were acknowledged. */
  private static final int MOST_COMMENTS = 1 << 10;

  /** A device copies a message within milliseconds; one whose copy takes longer is without it. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Target target;
  private final CaptureWriter writer;
  private final long epochNanos;
  private final Thread thread;
  private volatile Path file;
  private volatile @Nullable String failure;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private final ArrayDeque<Step> waiting = new ArrayDeque<>();
  private long bytesWaiting;
  private boolean closing;
  private boolean used;
  private long leftOut;
  private long withoutContent;
  private int connections;

  // Of the thread.
  private long packets;
  private long newest;

  /** Those on the next packet. */
  private final List<byte[]> comments = new ArrayList<>();

  /** Something that becomes packets. */
  private sealed interface Step {
    /** What it occupies while it waits. */
    default int bytes() {
      return 0;
    }

    /** Whether nothing more happens to it. */
    default boolean isDone() {
      return true;
    }

    void write(PacketRecorder into) throws IOException;
  }

  private PacketRecorder(Target target, Path file, CaptureWriter writer) {
    this.target = target;
    this.file = file;
    this.writer = writer;
    Instant now = Time.wallClock();
    epochNanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - Time.nanos();
    thread = Time.startObserver("packets", this::run);
  }

  /**
   * Creates a file, which gets its name when two queue pairs are connected; until then an older
   * capture with that name remains.
   *
   * @throws OutputException when it cannot be written under that name, or a file must not be
   *     replaced
   */
  public static PacketRecorder begin(Output output) throws OutputException {
    Target target = Target.of(output);
    Path path = target.path();
    try {
      if (target.isOpenEnded()) {
        FileChannel terminal = FileChannel.open(path, StandardOpenOption.WRITE);
        return new PacketRecorder(target, path, new CaptureWriter(terminal));
      }
      Target.Part part = target.create();
      return new PacketRecorder(target, part.path(), new CaptureWriter(part.channel()));
    } catch (IOException e) {
      throw target.unwritable(e);
    }
  }

  // -------------------------------------------------------------------------- the devices' side

  @Override
  public Line connected(int client, int server, int port, byte[] request, byte[] accept) {
    lock.lock();
    try {
      var line = new TappedLine(++connections, client, server, port);
      used = true;
      add(
          new Management(
              line,
              now(),
              ManagementMessage.Kind.REQUEST,
              ByteBuffer.wrap(request.clone()),
              ByteBuffer.wrap(accept.clone())));
      return line;
    } finally {
      lock.unlock();
    }
  }

  private long now() {
    return Time.nanos() + epochNanos;
  }

  private void add(Step step) {
    waiting.add(step);
    bytesWaiting += step.bytes();
    changed.signal();
  }

  /** The packets between two queue pairs. */
  private final class TappedLine implements Line {
    private static final int CLIENT = 1;
    private static final int SERVER = 2;

    private final int number;
    private final int port;
    private final int[] queuePairs;
    private final RequestNumbers[] numbers;

    TappedLine(int number, int client, int server, int port) {
      this.number = number;
      this.port = port;
      queuePairs = new int[] {client, server};
      numbers =
          new RequestNumbers[] {
            new RequestNumbers(number * 0x3779b1), new RequestNumbers(number * 0x5851f4)
          };
    }

    @Override
    public @Nullable Carriage carries(
        boolean fromClient,
        long request,
        SendRequest.Opcode opcode,
        long postedNanos,
        int length,
        long address,
        int key,
        Payload payload) {
      boolean write = opcode == SendRequest.Opcode.RDMA_WRITE;
      Travelling message;
      boolean content;
      lock.lock();
      try {
        int psn = numbers[fromClient ? 0 : 1].of(request, Math.max(1, Math.ceilDiv(length, MTU)));
        content = bytesWaiting + length <= (write ? MOST_WRITES_WAITING : MOST_WAITING);
        if (closing
            || failure != null
            || waiting.size() >= MOST_MESSAGES_WAITING
            || (!content && !write)) {
          leftOut += Math.max(1, Math.ceilDiv(length, MTU));
          return null;
        }
        long posted = postedNanos + epochNanos;
        message =
            new Travelling(
                this, fromClient, write, psn, now(), posted, length, content, address, key);
        withoutContent += content ? 0 : 1;
        add(message);
      } finally {
        lock.unlock();
      }
      byte[] bytes = content ? new byte[length] : null;
      message.copied(bytes != null && payload.copyTo(bytes) ? bytes : null);
      return message;
    }

    @Override
    public void polled(boolean fromClient, long request) {
      lock.lock();
      try {
        Integer psn = numbers[fromClient ? 0 : 1].of(request);
        if (psn != null && !closing && failure == null && waiting.size() < MOST_MESSAGES_WAITING) {
          add(new Poll(this, fromClient, psn, now()));
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void disconnects(boolean client) {
      lock.lock();
      try {
        if (!closing) {
          add(
              new Management(
                  this,
                  now(),
                  client ? ManagementMessage.Kind.DISCONNECT : ManagementMessage.Kind.DISCONNECTED,
                  WireConnection.NOTHING,
                  WireConnection.NOTHING));
        }
      } finally {
        lock.unlock();
      }
    }
  }

  // ------------------------------------------------------------------------------------ packets

  /** A SEND or an RDMA WRITE. */
  private final class Travelling implements Step, Carriage {
    private final TappedLine line;
    private final boolean fromClient;
    private final boolean write;
    private final int psn;
    private final long nanos;
    private final long postedNanos;
    private final int length;
    private final boolean weighs;
    private final long address;
    private final int key;
    private volatile byte @Nullable [] content;
    private volatile boolean copied;

    Travelling(
        TappedLine line,
        boolean fromClient,
        boolean write,
        int psn,
        long nanos,
        long postedNanos,
        int length,
        boolean weighs,
        long address,
        int key) {
      this.line = line;
      this.fromClient = fromClient;
      this.write = write;
      this.psn = psn;
      this.nanos = nanos;
      this.postedNanos = postedNanos;
      this.length = length;
      this.weighs = weighs;
      this.address = address;
      this.key = key;
    }

    @Override
    public int bytes() {
      return weighs ? length : 0;
    }

    @Override
    public boolean isDone() {
      return copied || now() - nanos > PATIENCE_NANOS;
    }

    /** The device's thread has copied the content, null if it is not kept. */
    void copied(byte @Nullable [] bytes) {
      content = bytes;
      lock.lock();
      try {
        copied = true;
        changed.signal();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void answered(int syndrome) {
      if (syndrome < 0) {
        return;
      }
      // A negative acknowledgement names the packet that is refused.
      int of = (syndrome & 0x60) == 0 ? psn + Math.max(1, Math.ceilDiv(length, MTU)) - 1 : psn;
      lock.lock();
      try {
        if (closing || failure != null || waiting.size() >= MOST_MESSAGES_WAITING) {
          leftOut++;
        } else {
          add(new Answer(line, fromClient, of, syndrome, now()));
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void write(PacketRecorder into) throws IOException {
      int from = fromClient ? TappedLine.CLIENT : TappedLine.SERVER;
      int to = fromClient ? TappedLine.SERVER : TappedLine.CLIENT;
      int mine = line.queuePairs[from - 1];
      int peers = line.queuePairs[to - 1];
      byte[] bytes = content;
      byte[] comment = PostComment.of(postedNanos);
      int count = Math.max(1, Math.ceilDiv(length, MTU));
      for (int i = 0; i < count; i++) {
        boolean last = i == count - 1;
        byte[] extended =
            write && i == 0
                ? ByteBuffer.allocate(RocePacket.RETH_BYTES)
                    .putLong(address)
                    .putInt(key)
                    .putInt(length)
                    .array()
                : new byte[0];
        into.packet(
            nanos,
            FrameBuilder.build(
                from,
                to,
                opcode(i == 0, last),
                last,
                peers,
                psn + i,
                mine,
                extended,
                last ? length - i * MTU : MTU,
                bytes,
                i * MTU),
            i == 0 ? comment : new byte[0]);
      }
    }

    private int opcode(boolean first, boolean last) {
      if (first && last) {
        return write ? Opcode.WRITE_ONLY : Opcode.SEND_ONLY;
      }
      int middle = write ? Opcode.WRITE_MIDDLE : Opcode.SEND_MIDDLE;
      return first ? middle - 1 : last ? middle + 1 : middle;
    }
  }

  /**
   * An acknowledgement.
   *
   * @param psn of the packet that it names
   */
  private record Answer(TappedLine line, boolean toClient, int psn, int syndrome, long nanos)
      implements Step {
    @Override
    public void write(PacketRecorder into) throws IOException {
      int from = toClient ? TappedLine.SERVER : TappedLine.CLIENT;
      int to = toClient ? TappedLine.CLIENT : TappedLine.SERVER;
      byte[] aeth = ByteBuffer.allocate(4).putInt(syndrome << 24).array();
      into.packet(
          nanos,
          FrameBuilder.build(
              from,
              to,
              Opcode.ACKNOWLEDGE,
              false,
              line.queuePairs[to - 1],
              psn,
              line.queuePairs[from - 1],
              aeth,
              0,
              new byte[0],
              0));
    }
  }

  /**
   * A program polls a completion: no packet, but a comment on the next one.
   *
   * @param psn of the first packet of its request
   */
  private record Poll(TappedLine line, boolean fromClient, int psn, long nanos) implements Step {
    @Override
    public void write(PacketRecorder into) {
      int from = fromClient ? TappedLine.CLIENT : TappedLine.SERVER;
      int to = fromClient ? TappedLine.SERVER : TappedLine.CLIENT;
      into.newest = Math.max(into.newest, nanos);
      if (into.comments.size() < MOST_COMMENTS) {
        into.comments.add(
            new Polled(
                    FrameBuilder.host(from),
                    FrameBuilder.host(to),
                    line.queuePairs[to - 1],
                    psn,
                    nanos)
                .comment());
      }
    }
  }

  /** Messages of the communication managers: three to connect, two to disconnect. */
  private record Management(
      TappedLine line,
      long nanos,
      ManagementMessage.Kind kind,
      ByteBuffer request,
      ByteBuffer accept)
      implements Step {

    @Override
    public void write(PacketRecorder into) throws IOException {
      int clientId = 2 * line.number;
      int serverId = clientId + 1;
      int client = line.queuePairs[0];
      int server = line.queuePairs[1];
      switch (kind) {
        case REQUEST -> {
          into.manage(
              this,
              true,
              ManagementMessage.request(
                  clientId,
                  client,
                  line.numbers[0].first(),
                  line.port,
                  FrameBuilder.address(TappedLine.CLIENT),
                  FrameBuilder.address(TappedLine.SERVER),
                  request));
          into.manage(
              this,
              false,
              ManagementMessage.reply(serverId, clientId, server, line.numbers[1].first(), accept));
          into.manage(this, true, ManagementMessage.readyToUse(clientId, serverId));
        }
        case DISCONNECT -> {
          into.manage(this, true, ManagementMessage.disconnect(clientId, serverId, server));
          into.manage(this, false, ManagementMessage.disconnected(serverId, clientId));
        }
        default -> {
          into.manage(this, false, ManagementMessage.disconnect(serverId, clientId, client));
          into.manage(this, true, ManagementMessage.disconnected(clientId, serverId));
        }
      }
    }
  }

  private void manage(Management step, boolean fromClient, byte[] datagram) throws IOException {
    int from = fromClient ? TappedLine.CLIENT : TappedLine.SERVER;
    int to = fromClient ? TappedLine.SERVER : TappedLine.CLIENT;
    packet(
        step.nanos,
        FrameBuilder.build(
            from,
            to,
            Opcode.DATAGRAM,
            false,
            ManagementMessage.QUEUE_PAIR,
            (int) packets,
            ManagementMessage.QUEUE_PAIR,
            ManagementMessage.datagramHeader(),
            datagram.length,
            datagram,
            0));
  }

  private void packet(long nanos, FrameBuilder.Built packet) throws IOException {
    packet(nanos, packet, new byte[0]);
  }

  private void packet(long nanos, FrameBuilder.Built packet, byte[] comment) throws IOException {
    newest = Math.max(newest, nanos);
    if (comment.length > 0) {
      comments.add(comment);
    }
    writer.packet(newest, packet, comments);
    comments.clear();
    packets++;
  }

  // ----------------------------------------------------------------------------------- the file

  private void run() {
    boolean named = target.isOpenEnded();
    try {
      for (Step step; (step = take()) != null; ) {
        if (!named) {
          named = true;
          file = target.place(file);
        }
        step.write(this);
        lock.lock();
        try {
          bytesWaiting -= step.bytes();
        } finally {
          lock.unlock();
        }
      }
      finish();
    } catch (IOException e) {
      failure =
          "The capture %s is incomplete: it cannot be written (%s)."
              .formatted(file, Target.reason(e));
    } catch (RuntimeException e) {
      LOG.error("writing packets to {}", file, e);
      failure = "The capture %s stopped because of an internal error: %s".formatted(file, e);
    }
  }

  private void finish() throws IOException {
    long missing;
    lock.lock();
    try {
      missing = leftOut;
    } finally {
      lock.unlock();
    }
    writer.statistics(newest, missing, comments);
    writer.flush();
  }

  /** The next step; null at the end. */
  private @Nullable Step take() throws IOException {
    lock.lock();
    try {
      while (true) {
        Step next = waiting.peek();
        if (next != null && next.isDone()) {
          return waiting.remove();
        }
        if (next == null && closing) {
          return null;
        }
        boolean _ =
            Time.await(
                lock,
                changed,
                () -> waiting.peek() == null ? closing : waiting.element().isDone(),
                next == null ? Long.MAX_VALUE : PATIENCE_NANOS / 10);
      }
    } catch (InterruptedException e) {
      throw new IOException("the thread was interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  /** One line about what was written, after {@link #close}. */
  public String summary() {
    String failed = failure;
    if (failed != null) {
      return failed;
    }
    lock.lock();
    try {
      var text = new StringBuilder();
      text.append(
          "wrote %s to %s (%s)"
              .formatted(Format.counted(packets, "packet"), file, Format.bytes(writer.bytes())));
      if (withoutContent > 0) {
        text.append(
            "; %s without content, because the file was too slow"
                .formatted(Format.counted(withoutContent, "RDMA WRITE")));
      }
      if (leftOut > 0) {
        text.append(
            "; %s left out, because the file was too slow"
                .formatted(Format.counted(leftOut, "packet")));
      }
      String displaced = target.displaced(file);
      return displaced == null ? text.toString() : text + "; " + displaced;
    } finally {
      lock.unlock();
    }
  }

  /** Writes what still waits, and closes the file. A file without packets is deleted. */
  @Override
  public void close() {
    boolean empty;
    lock.lock();
    try {
      closing = true;
      empty = !used;
      changed.signal();
    } finally {
      lock.unlock();
    }
    Time.join(thread);
    try {
      writer.close();
      if (empty && !target.isOpenEnded()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      failure = failure == null ? "%s could not be closed: %s".formatted(file, e) : failure;
    }
  }
}
