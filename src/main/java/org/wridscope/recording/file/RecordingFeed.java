// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.wridscope.control.Session;
import org.wridscope.recording.Recorder;

/**
 * What a {@link Recorder} would write of the sessions of this process, for somebody who shows it at
 * once: all together are a recording. At a bounded rate: when events come faster, or the receiver
 * takes them slower, the oldest ones are left out and counted. For one thread.
 */
public final class RecordingFeed {
  /** More sessions are not sent; a block has a byte for the number of its session. */
  public static final int MAX_SESSIONS = 256;

  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Bytes of an event on average, generously: a write and its completion take about eight. */
  private static final int EVENT_BYTES = 5;

  private static final int MAX_PIECE = 128 << 10;

  private final Supplier<List<Session>> sessions;
  private final SessionRecorder.Pace pace;
  private final Pieces pieces;
  private final RecordingWriter writer;
  private final List<Session> known = new ArrayList<>();
  private final List<SessionRecorder> recorders = new ArrayList<>();

  /** Takes the pieces of the file. */
  public interface Receiver {
    /**
     * Takes the next piece, and waits until there is room for more.
     *
     * @return how many bytes it was sent in; 0 if it does not take any more
     */
    int take(byte[] piece) throws InterruptedException;

    /** Whether it takes more. */
    boolean isOpen();
  }

  /**
   * @param sessions of this process, in the order of starting
   * @param bytesPerSecond limit, on average
   */
  public RecordingFeed(Supplier<List<Session>> sessions, long bytesPerSecond, Receiver receiver)
      throws IOException {
    this.sessions = sessions;
    long behind = bytesPerSecond / EVENT_BYTES;
    pace = new SessionRecorder.Pace(0, Math.max(1, behind / 10), behind);
    pieces = new Pieces(receiver, bytesPerSecond);
    writer = new RecordingWriter(pieces);
  }

  /** Sends what there is and what comes, until the receiver takes no more. */
  public void run() throws InterruptedException {
    try {
      while (pieces.isOpen()) {
        long begin = System.nanoTime();
        begin();
        for (SessionRecorder recorder : recorders) {
          recorder.pump();
          pieces.send();
        }
        pieces.await(begin);
      }
    } catch (ClosedChannelException e) {
      // The receiver takes no more.
    } catch (IOException e) {
      throw new IllegalStateException("nothing else fails", e);
    }
  }

  private void begin() {
    for (Session session : sessions.get()) {
      if (known.size() < MAX_SESSIONS && !known.contains(session)) {
        recorders.add(new SessionRecorder(writer, known.size(), session, pace));
        known.add(session);
      }
    }
  }

  /** What has been written and not sent. */
  private static final class Pieces implements WritableByteChannel {
    private final Receiver receiver;
    private final long bytesPerSecond;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private long sent;

    Pieces(Receiver receiver, long bytesPerSecond) {
      this.receiver = receiver;
      this.bytesPerSecond = bytesPerSecond;
    }

    @Override
    public int write(ByteBuffer from) {
      int length = from.remaining();
      byte[] bytes = new byte[length];
      from.get(bytes);
      written.writeBytes(bytes);
      return length;
    }

    void send() throws IOException, InterruptedException {
      byte[] all = written.toByteArray();
      written.reset();
      for (int at = 0; at < all.length; at += MAX_PIECE) {
        byte[] piece = Arrays.copyOfRange(all, at, Math.min(all.length, at + MAX_PIECE));
        int taken = receiver.take(piece);
        if (taken == 0) {
          throw new ClosedChannelException();
        }
        sent += taken;
      }
    }

    /** Waits until what was sent since the beginning of the round is within the limit. */
    void await(long begin) throws InterruptedException {
      long nanos = Math.max(ROUND_NANOS, TimeUnit.SECONDS.toNanos(sent) / bytesPerSecond);
      sent = 0;
      TimeUnit.NANOSECONDS.sleep(begin + nanos - System.nanoTime());
    }

    @Override
    public boolean isOpen() {
      return receiver.isOpen();
    }

    @Override
    public void close() {}
  }
}
