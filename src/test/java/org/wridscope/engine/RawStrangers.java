// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.MigrationId;

/**
 * Many peers of a software device that connect like sources, confirm that they were accepted, and
 * then do something else. They are bytes on sockets, all on one thread, and acknowledge nothing.
 */
final class RawStrangers implements AutoCloseable {
  private static final int GREETING = 16;
  private static final int HEADER = 32;
  private static final int ACCEPT_BODY = 196;
  private static final byte ACCEPT = 2;
  private static final byte ESTABLISHED = 4;
  private static final byte SEND = 16;

  /** What they do once they are accepted. */
  enum Manner {
    /** They say nothing. */
    SILENT,
    /** They send bytes that are no control message. */
    GARBAGE,
    /** They send the perfect beginning of a migration stream, and then nothing. */
    LIAR
  }

  private final InetSocketAddress address;
  private final Manner manner;
  private final Selector selector;
  private final List<SocketChannel> channels = new ArrayList<>();
  private final AtomicInteger confirmed = new AtomicInteger();
  private final Thread thread;
  private volatile boolean ended;

  private static final class Stranger {
    private final ByteBuffer heard = ByteBuffer.allocate(GREETING + HEADER + ACCEPT_BODY);
    private boolean established;
  }

  /**
   * @param from the local address of each, by its number
   * @param perSecond how many come in a second, 0 for all at once
   */
  RawStrangers(
      InetSocketAddress address,
      int number,
      IntFunction<InetAddress> from,
      Manner manner,
      int perSecond)
      throws IOException {
    this.address = address;
    this.manner = manner;
    selector = Selector.open();
    thread =
        Thread.ofPlatform().daemon().name("strangers").start(() -> run(number, from, perSecond));
  }

  /** How many have been accepted and have confirmed that. */
  int confirmed() {
    return confirmed.get();
  }

  private void run(int number, IntFunction<InetAddress> from, int perSecond) {
    long begin = System.nanoTime();
    int came = 0;
    try {
      while (!ended) {
        long due =
            perSecond == 0 ? number : (System.nanoTime() - begin) * perSecond / 1_000_000_000 + 1;
        while (came < number && came < due && !ended) {
          come(from.apply(came++));
        }
        selector.select(this::ready, 10);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      channels.forEach(RawStrangers::closeQuietly);
      closeQuietly(selector);
    }
  }

  private void come(InetAddress from) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channels.add(channel);
    try {
      channel.bind(new InetSocketAddress(from, 0));
      channel.connect(address);
      channel.configureBlocking(false);
      channel.write(
          ByteBuffer.allocate(GREETING + HEADER + 56)
              .put("WRIDSOFT".getBytes(StandardCharsets.US_ASCII))
              .putShort((short) 1)
              .put(GREETING, new byte[] {1, 7})
              .putInt(GREETING + 4, 56)
              .put(
                  GREETING + HEADER,
                  Capabilities.of(Capabilities.WRIDSCOPE).toBytes(new MigrationId(1, 2)))
              .clear());
      channel.register(selector, SelectionKey.OP_READ, new Stranger());
    } catch (IOException e) {
      // The destination listens no more, or has cut it off.
      closeQuietly(channel);
    }
  }

  private void ready(SelectionKey key) {
    var stranger = (Stranger) key.attachment();
    var channel = (SocketChannel) key.channel();
    try {
      ByteBuffer into = stranger.established ? ByteBuffer.allocate(1 << 16) : stranger.heard;
      if (channel.read(into) < 0) {
        closeQuietly(channel);
      } else if (!stranger.established && !stranger.heard.hasRemaining()) {
        if (stranger.heard.get(GREETING) == ACCEPT) {
          stranger.established = true;
          confirmed.incrementAndGet();
          channel.write(ByteBuffer.wrap(words()));
        } else {
          closeQuietly(channel);
        }
      }
    } catch (IOException e) {
      closeQuietly(channel);
    }
  }

  private static void closeQuietly(Closeable open) {
    try {
      open.close();
    } catch (IOException e) {
      // It was broken before.
    }
  }

  private byte[] words() {
    byte[] message =
        switch (manner) {
          case SILENT -> new byte[0];
          case GARBAGE -> "GET / HTTP/1.1".getBytes(StandardCharsets.US_ASCII);
          case LIAR ->
              TestPeer.message(
                  ControlType.QEMU_FILE,
                  1,
                  payload -> payload.putInt(0x5145564d).putInt(3).put((byte) 7));
        };
    var words = ByteBuffer.allocate(2 * HEADER + message.length);
    words.put(0, ESTABLISHED);
    if (message.length == 0) {
      return ByteBuffer.allocate(HEADER).put(0, ESTABLISHED).array();
    }
    return words
        .put(HEADER, SEND)
        .putInt(HEADER + 4, message.length)
        .put(2 * HEADER, message)
        .array();
  }

  @Override
  public void close() {
    ended = true;
    selector.wakeup();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
