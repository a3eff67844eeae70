// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.MigrationId;
import org.wridscope.telemetry.MigrationStatus;

/** Many connections over TCP to a waiting destination that are not from a source. */
@Slow("many connections over TCP, in real time")
@ExtendWith(OverTcp.class)
final class CrowdTest {
  private static final int CROWD = 1000;
  private static final long RAM = 4 << 20;

  /** Bytes of direct buffers that each thread caches. */
  private static final long SLACK_BYTES = 1 << 20;

  /** What the members of a crowd do. */
  enum Stranger {
    /** Connects and sends nothing, like a port scanner. */
    SILENT(new byte[0]),
    GARBAGE("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
    /** Sends half of a software device's greeting. */
    HALF_A_GREETING("WRIDSO".getBytes(StandardCharsets.US_ASCII)),
    GREETING(greeting()),
    HALF_A_REQUEST(concat(greeting(), new byte[] {1, 0, 0})),
    WRONG_PRIVATE_DATA(concat(greeting(), request(new byte[56]))),
    /** Sends the request of a source, and never confirms that it was accepted. */
    UNCONFIRMED(
        concat(
            greeting(),
            request(Capabilities.of(Capabilities.WRIDSCOPE).toBytes(new MigrationId(1, 2)))));

    private final byte[] words;

    Stranger(byte[] words) {
      this.words = words;
    }
  }

  private static byte[] greeting() {
    return concat(
        "WRIDSOFT".getBytes(StandardCharsets.US_ASCII), new byte[] {0, 1, 0, 0, 0, 0, 0, 0});
  }

  /** A frame of type REQUEST, see docs/software-device.md. */
  private static byte[] request(byte[] privateData) {
    return ByteBuffer.allocate(32 + 56)
        .put((byte) 1)
        .put((byte) 7)
        .putInt(4, 56)
        .put(32, privateData)
        .array();
  }

  private static byte[] concat(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }

  /** Connects many times in turn, and closes nothing. */
  private static final class Crowd implements AutoCloseable {
    private final InetSocketAddress address;
    private final Stranger stranger;
    private final List<Socket> open = new ArrayList<>();
    private final CountDownLatch half = new CountDownLatch(1);
    private final Thread thread;

    Crowd(InetSocketAddress address, Stranger stranger) {
      this.address = address;
      this.stranger = stranger;
      thread = Thread.ofPlatform().daemon().name("crowd").start(this::come);
    }

    private void come() {
      for (int came = 0; came < CROWD; came++) {
        var socket = new Socket();
        open.add(socket);
        try {
          socket.connect(address, 10_000);
          socket.getOutputStream().write(stranger.words);
        } catch (IOException e) {
          // The connection was rejected.
        }
        if (came == CROWD / 2) {
          half.countDown();
        }
      }
    }

    void awaitHalf() throws InterruptedException {
      assertThat(half.await(60, TimeUnit.SECONDS)).as("half of the crowd came").isTrue();
    }

    void awaitAll() throws InterruptedException {
      assertThat(thread.join(Rig.END)).as("all of the crowd came").isTrue();
    }

    @Override
    public void close() {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      open.forEach(Proxy::closeQuietly);
    }
  }

  private static long descriptors() {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static void awaitAtMost(String what, LongSupplier now, long most)
      throws InterruptedException {
    var limit = new TimeLimit(Rig.END);
    do {
      System.gc();
    } while (now.getAsLong() > most && limit.lasts());
    assertThat(now.getAsLong()).as(what).isLessThanOrEqualTo(most);
  }

  @ParameterizedTest
  @EnumSource(Stranger.class)
  void trueSourceGetsThrough_inTheMidstOfACrowd(Stranger stranger) throws Exception {
    try (var rig = new Rig(Limits.DEFAULT, CROWD);
        var guest = BlockGuest.of(RAM).boot(1, 0.5);
        var copy = BlockGuest.of(RAM)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      long before = descriptors();
      long directBefore = directBytes();
      try (var crowd = new Crowd(rig.address(), stranger)) {
        // Requests like a source's are served newest first, so the true source comes last.
        if (stranger == Stranger.UNCONFIRMED) {
          crowd.awaitAll();
        } else {
          crowd.awaitHalf();
        }
        var source = rig.source(guest, Rig.parameters(false, true));
        Rig.join(rig.start(source), source);
        assertThat(source.verified()).as(source.outcome()).isTrue();
        crowd.awaitAll();
        // Two ends of each connection, and a few others.
        assertThat(descriptors() - before).isLessThan(2 * CROWD + 100);
      }
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      awaitAtMost("descriptors", CrowdTest::descriptors, before);
      awaitAtMost("bytes of direct buffers", CrowdTest::directBytes, directBefore + SLACK_BYTES);
    }
  }

  @Test
  void oneOfManySourcesIsTaken_andTheOthersAreTold() throws Exception {
    try (var rig = new Rig(Limits.DEFAULT, CROWD);
        var copy = BlockGuest.of(RAM)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var guests = new ArrayList<BlockGuest>();
      var sources = new ArrayList<SourceSession>();
      var threads = new ArrayList<Thread>();
      for (int i = 0; i < 12; i++) {
        guests.add(BlockGuest.of(RAM).boot(i, 0.5));
        sources.add(rig.source(guests.get(i), Rig.parameters(false, true)));
      }
      for (SourceSession source : sources) {
        threads.add(rig.start(source));
      }
      Rig.join(rig.start(destination), destination);
      for (int i = 0; i < sources.size(); i++) {
        Rig.join(threads.get(i), sources.get(i));
      }
      List<SourceSession> taken =
          sources.stream()
              .filter(source -> source.telemetry().status() == MigrationStatus.COMPLETED)
              .toList();
      assertThat(taken).hasSize(1);
      for (int i = 0; i < sources.size(); i++) {
        SourceSession source = sources.get(i);
        boolean moved = taken.contains(source);
        assertThat(guests.get(i).isRunning()).as(source.outcome()).isNotEqualTo(moved);
        if (moved) {
          assertThat(copy.hasEqualRam(guests.get(i))).isTrue();
        } else {
          // At the end, a source gets no reason, or no process listens. One that was
          // accepted before the other had confirmed is told over the connection.
          assertThat(source.outcome())
              .containsAnyOf(
                  "The destination gave up: A migration is going on here.",
                  "refused the connection: A migration is going on here.",
                  "refused the connection: A migration is ending here.",
                  "refused the connection. The guest",
                  "obody listens on");
        }
      }
      guests.forEach(BlockGuest::close);
    }
  }
}
