// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process whose threads wait in every kind of system call, and one that computes. After the first
 * line on its standard input it ends each wait, and prints what each thread returned.
 */
final class WaitingMain {
  private static volatile boolean computed;

  private WaitingMain() {}

  /** A thread, and what ends its wait. */
  private record Waiting(FutureTask<String> task, Callable<?> wake) {}

  public static void main(String[] arguments) throws Exception {
    Map<String, Waiting> threads = new LinkedHashMap<>();
    List<AutoCloseable> opened = new ArrayList<>();
    SynchronousQueue<String> queue = new SynchronousQueue<>();
    threads.put("futex", new Waiting(new FutureTask<>(queue::take), () -> put(queue)));

    Pipe pipe = Pipe.open();
    threads.put("read", new Waiting(new FutureTask<>(() -> read(pipe)), () -> write(pipe)));

    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    opened.add(server);
    // With a limit the JDK waits in poll(2), without one in accept(2).
    server.setSoTimeout(600_000);
    threads.put("poll", new Waiting(new FutureTask<>(() -> accept(server)), () -> connect(server)));

    ServerSocket unlimited = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    opened.add(unlimited);
    threads.put(
        "accept", new Waiting(new FutureTask<>(() -> accept(unlimited)), () -> connect(unlimited)));

    Selector selector = Selector.open();
    opened.add(selector);
    threads.put("epoll", new Waiting(new FutureTask<>(() -> select(selector)), selector::wakeup));

    threads.put("compute", new Waiting(new FutureTask<>(WaitingMain::compute), () -> stop()));

    threads.forEach(
        (name, waiting) -> Thread.ofPlatform().daemon().name("t-" + name).start(waiting.task));
    System.out.println("waiting");
    if (System.in.read() >= 0) {
      for (Map.Entry<String, Waiting> thread : threads.entrySet()) {
        var _ = thread.getValue().wake.call();
        System.out.println(
            thread.getKey() + " " + thread.getValue().task.get(60, TimeUnit.SECONDS));
      }
    }
    for (AutoCloseable each : opened) {
      each.close();
    }
    System.exit(0);
  }

  private static @Nullable Void put(SynchronousQueue<String> queue) throws InterruptedException {
    queue.put("taken");
    return null;
  }

  private static String read(Pipe pipe) throws IOException {
    return "read " + pipe.source().read(ByteBuffer.allocate(10));
  }

  private static int write(Pipe pipe) throws IOException {
    return pipe.sink().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }

  private static String accept(ServerSocket server) throws IOException {
    try (Socket accepted = server.accept()) {
      return accepted.isConnected() ? "accepted" : "not connected";
    }
  }

  private static boolean connect(ServerSocket server) throws IOException {
    try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
      return socket.isConnected();
    }
  }

  private static String select(Selector selector) throws IOException {
    return "selected " + selector.select();
  }

  /** Adds the numbers from 1 to 1,000 again and again, and notices a wrong sum. */
  private static String compute() {
    while (!computed) {
      long sum = 0;
      double half = 0;
      for (int i = 1; i <= 1000; i++) {
        sum += i;
        half += i * 0.5;
      }
      if (sum != 500_500 || half != 250_250) {
        return "wrong " + sum + " " + half;
      }
    }
    return "right";
  }

  private static boolean stop() {
    computed = true;
    return true;
  }
}
