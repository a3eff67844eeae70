// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP proxy to a destination that breaks down once, after a number of bytes or on request; later
 * connections work.
 */
public final class Proxy implements AutoCloseable {

  /** How it breaks down. */
  public enum Breakdown {
    /** Closes the connection of that byte, as when a process dies. */
    CLOSE,
    /** Passes no more bytes on that connection, as when a cable is cut. */
    FALL_SILENT
  }

  private final InetSocketAddress target;
  private final Breakdown breakdown;
  private final AtomicLong bytesLeft;
  private final AtomicBoolean broken = new AtomicBoolean();
  private final CountDownLatch end = new CountDownLatch(1);
  private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  private final Set<Socket> sockets =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  /** For each connection, whether it has fallen silent. */
  private final List<AtomicBoolean> silences = new CopyOnWriteArrayList<>();

  /** A proxy that breaks down on request only. */
  public Proxy(InetSocketAddress target) throws IOException {
    this(target, Breakdown.CLOSE, Long.MAX_VALUE);
  }

  Proxy(InetSocketAddress target, Breakdown breakdown, long bytes) throws IOException {
    this.target = target;
    this.breakdown = breakdown;
    bytesLeft = new AtomicLong(bytes);
    Thread.ofPlatform().daemon().start(this::serve);
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  /** Breaks the present connections. */
  public void breakDown(Breakdown how) {
    switch (how) {
      case CLOSE -> Arrays.stream(sockets.toArray(Socket[]::new)).forEach(Proxy::closeQuietly);
      case FALL_SILENT -> silences.forEach(silence -> silence.set(true));
    }
  }

  private void serve() {
    try {
      while (true) {
        Socket client = keep(server.accept());
        try {
          Socket onward = keep(new Socket(target.getAddress(), target.getPort()));
          var silent = new AtomicBoolean();
          silences.add(silent);
          Thread.ofPlatform().daemon().start(() -> pass(client, onward, silent));
          Thread.ofPlatform().daemon().start(() -> pass(onward, client, silent));
        } catch (IOException e) {
          client.close();
        }
      }
    } catch (IOException e) {
      // The proxy was closed.
    }
  }

  private Socket keep(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  private void pass(Socket from, Socket to, AtomicBoolean silent) {
    byte[] bytes = new byte[8192];
    try {
      for (int read; (read = from.getInputStream().read(bytes)) >= 0; ) {
        long left = bytesLeft.addAndGet(-read);
        if (left <= 0 && broken.compareAndSet(false, true)) {
          if (breakdown == Breakdown.CLOSE) {
            // Passes part of the bytes, so that a frame is truncated.
            to.getOutputStream().write(bytes, 0, Math.clamp(read + left, 0, read));
            from.close();
            to.close();
            return;
          }
          silent.set(true);
        }
        if (silent.get()) {
          end.await();
        }
        to.getOutputStream().write(bytes, 0, read);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // When one end has gone, the other one is disconnected.
      closeQuietly(from);
      closeQuietly(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    end.countDown();
    for (Socket socket : sockets.toArray(Socket[]::new)) {
      socket.close();
    }
  }
}
