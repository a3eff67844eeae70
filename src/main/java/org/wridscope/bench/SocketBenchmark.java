// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Measures a plain TCP connection over loopback, the limit of migrations over TCP. */
final class SocketBenchmark {
  private static final int PIECE = 1 << 20;

  private SocketBenchmark() {}

  /** Sends bytes in writes of 1 MiB; returns bytes per nanosecond until all have arrived. */
  static double measure(long bytes) throws IOException {
    try (ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel sender = SocketChannel.open(server.getLocalAddress());
        SocketChannel receiver = server.accept()) {
      long start = System.nanoTime();
      CompletableFuture<Void> arrived =
          CompletableFuture.runAsync(
              () -> {
                try {
                  transfer(receiver, bytes, false);
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              },
              task -> Thread.ofPlatform().daemon().name("receiver").start(task));
      transfer(sender, bytes, true);
      arrived.join();
      return BenchmarkRounds.rate(bytes, System.nanoTime() - start);
    } catch (CompletionException e) {
      throw new IOException("The loopback connection broke: " + e.getMessage(), e);
    }
  }

  private static void transfer(SocketChannel channel, long bytes, boolean sending)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
    for (long left = bytes; left > 0; ) {
      buffer.clear().limit((int) Math.min(PIECE, left));
      while (buffer.hasRemaining()) {
        if ((sending ? channel.write(buffer) : channel.read(buffer)) < 0) {
          throw new IOException("the peer closed it early");
        }
      }
      left -= buffer.limit();
    }
  }
}
