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
 * A TCP proxy on the way to a destination, which breaks down once, after so many bytes or when it
 * is told to: what comes on later connections, passes.
 */
public final class Proxy implements AutoCloseable {

  /** How it breaks down. */
  public enum Breakdown {
    /** Closes the connection that the byte came on, as when a process dies. */
    CLOSE,
    /** Lets no byte pass any more on that connection, as when a cable is cut. */
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

  /** Of each connection, whether it has fallen silent. */
  private final List<AtomicBoolean> silences = new CopyOnWriteArrayList<>();

  /** One that breaks down only when it is told to. */
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

  /** Breaks down what is connected now. */
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
      // It was closed.
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
            // What fits goes through, so that frames end in the middle.
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
      // One end has gone; so has the other, then.
      closeQuietly(from);
      closeQuietly(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(Socket socket) {
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
