// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.wridscope.account.Account;
import org.wridscope.memory.NativeMemory;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftNetwork;

/**
 * Measures migrations between two processes over loopback TCP, against what two plain Java sockets
 * move from the same memory to the same kind of memory. Not a test; {@code java
 * --enable-native-access=ALL-UNNAMED -cp target/classes:target/test-classes:target/lib/*
 * org.wridscope.engine.NetworkBenchmark [MIB [ROUNDS]]}.
 */
final class NetworkBenchmark {
  private static final int CHUNK = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private NetworkBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    String mode = arguments.length > 0 && arguments[0].startsWith("-") ? arguments[0] : "";
    switch (mode) {
      case "-sink" -> sink(Long.parseLong(arguments[1]));
      case "-destination" -> destination(Long.parseLong(arguments[1]));
      default -> {
        long bytes = (arguments.length > 0 ? Long.parseLong(arguments[0]) : 2048) << 20;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        measure(bytes, rounds);
      }
    }
  }

  private static void measure(long bytes, int rounds) throws Exception {
    try (var guest = BlockGuest.of(bytes)) {
      fill(guest.memory(0));
      guest.resume();
      for (int round = 0; round < rounds; round++) {
        double raw = raw(guest.memory(0));
        for (boolean pinAll : new boolean[] {false, true}) {
          migrate(guest, pinAll, raw);
        }
      }
    }
  }

  /** Processor time of the threads of this process with this prefix. */
  private static String processorTime(String... names) {
    var threads = ManagementFactory.getThreadMXBean();
    var text = new StringBuilder();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      for (String name : names) {
        if (thread.getName().equals(name)) {
          text.append(
              "%s %.0f ms; ".formatted(name, threads.getThreadCpuTime(thread.threadId()) / 1e6));
        }
      }
    }
    return text.toString();
  }

  private static long ownProcessorTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void fill(MemorySegment memory) {
    var random = new SplittableRandom(1);
    for (long at = 0; at < memory.byteSize(); at += 8) {
      memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  /** A process that prints the port that it listens on. */
  private record Child(Process process, BufferedReader output, int port) implements AutoCloseable {
    static Child start(String mode, long bytes) throws IOException {
      var command =
          new ArrayList<>(
              List.of(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-Xmx256m",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  NetworkBenchmark.class.getName(),
                  mode,
                  Long.toString(bytes)));
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      var output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      return new Child(process, output, Integer.parseInt(output.readLine()));
    }

    InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() throws IOException {
      for (String line; (line = output.readLine()) != null; ) {
        System.out.println("    " + line);
      }
      process.onExit().join();
    }
  }

  // -------------------------------------------------------------------------- plain sockets

  /** Bytes a second. */
  private static double raw(MemorySegment memory) throws Exception {
    long bytes = memory.byteSize();
    try (Child child = Child.start("-sink", bytes);
        SocketChannel channel = SocketChannel.open()) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(child.address());
      long begin = System.nanoTime();
      long used = ownProcessorTime();
      for (long at = 0; at < bytes; at += CHUNK) {
        ByteBuffer chunk = memory.asSlice(at, CHUNK).asByteBuffer();
        while (chunk.hasRemaining()) {
          channel.write(chunk);
        }
      }
      channel.shutdownOutput();
      channel.read(ByteBuffer.allocate(1));
      double rate = bytes * 1e9 / (System.nanoTime() - begin);
      System.out.printf(
          "plain sockets, 1 MiB writes: %.2f GB/s; processor time: sender %.0f ms%n",
          rate / 1e9, (ownProcessorTime() - used) / 1e6);
      return rate;
    }
  }

  private static void sink(long bytes) throws Exception {
    try (NativeMemory memory = NativeMemory.allocate(bytes);
        ServerSocketChannel server = ServerSocketChannel.open()) {
      memory.populate(1);
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
      try (SocketChannel channel = server.accept()) {
        long used = ownProcessorTime();
        for (long at = 0; at < bytes; at += CHUNK) {
          ByteBuffer chunk = memory.segment().asSlice(at, CHUNK).asByteBuffer();
          while (chunk.hasRemaining() && channel.read(chunk) >= 0) {
            // until it is full
          }
        }
        channel.write(ByteBuffer.allocate(1));
        System.out.printf("receiver %.0f ms%n", (ownProcessorTime() - used) / 1e6);
      }
    }
  }

  // ----------------------------------------------------------------------------- migrations

  private static MigrationParameters parameters(boolean pinAll) {
    return new MigrationParameters(
        Settings.USUAL
            .with(MigrationSetting.PIN_ALL, pinAll)
            .with(MigrationSetting.TIMEOUT, PATIENCE));
  }

  private static void migrate(BlockGuest guest, boolean pinAll, double raw) throws Exception {
    try (Child child = Child.start("-destination", guest.memory(0).byteSize());
        SoftDevice device = SoftNetwork.open("source")) {
      var telemetry = new SessionTelemetry(Role.SOURCE, false, Account::new);
      var session =
          new SourceSession(device, child.address(), guest, parameters(pinAll), telemetry);
      session.run();
      if (telemetry.status() != MigrationStatus.COMPLETED || !session.verified()) {
        throw new IllegalStateException(session.outcome());
      }
      var metrics = telemetry.metrics();
      double rate = guest.memory(0).byteSize() * 1e9 / metrics.get(Metric.TOTAL_TIME);
      System.out.printf(
          "migration, %s: %.2f GB/s in all, %.2f of plain sockets; set-up %.0f ms, scan %.0f ms,"
              + " waits: key %.0f ms, send queue %.0f ms, READY %.0f ms; downtime %.1f ms%n",
          pinAll ? "pin-all" : "dynamic",
          rate / 1e9,
          rate / raw,
          metrics.get(Metric.SETUP_TIME) / 1e6,
          metrics.get(Metric.SCAN_TIME) / 1e6,
          metrics.get(Metric.WAIT_REGISTER_TIME) / 1e6,
          metrics.get(Metric.WAIT_SEND_QUEUE_TIME) / 1e6,
          metrics.get(Metric.WAIT_READY_TIME) / 1e6,
          metrics.get(Metric.DOWNTIME) / 1e6);
      System.out.println("    processor time: " + processorTime("source"));
      guest.resume();
    }
  }

  private static void destination(long bytes) throws Exception {
    try (var guest = BlockGuest.of(bytes);
        SoftDevice device = SoftNetwork.open("destination");
        ConnectionListener listener =
            device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5)) {
      // As a device that pins has it; page faults would be measured else.
      guest.memory(0).fill((byte) 0);
      System.out.println(listener.localAddress().getPort());
      var telemetry = new SessionTelemetry(Role.DESTINATION, false, Account::new);
      var session =
          new DestinationSession(device, listener, guest, parameters(false), telemetry, null);
      session.run();
      if (!session.verified()) {
        System.out.println(session.outcome());
      }
      System.out.println(processorTime("destination"));
    }
  }
}
