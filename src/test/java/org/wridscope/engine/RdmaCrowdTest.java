// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.account.Account;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.MigrationId;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** Crowds of peers that are no sources, at a destination that waits on an RDMA device. */
@Tag("rdma")
final class RdmaCrowdTest {
  private static final int CROWD = 40;
  private static final int ROCE_PORT = 4791;
  private static final long RAM = 4 << 20;

  /** What each peer of a crowd does. */
  enum Stranger {
    /** Sends random packets to the port of RoCE v2. */
    SENDS_GARBAGE,
    /** Resolves the address and creates a queue pair, but sends no request. */
    HALF_OPEN,
    /** Sends a request without the private data of a source. */
    WRONG_PRIVATE_DATA,
    /** Sends the request of a source and gives up, usually before it is accepted. */
    GIVES_UP
  }

  /** Connects one peer after the other; all stay until the crowd is closed. */
  private static final class Crowd implements AutoCloseable {
    private final RdmaDevice device;
    private final InetSocketAddress address;
    private final Stranger stranger;
    private final List<Endpoint> open = new ArrayList<>();
    private final CountDownLatch half = new CountDownLatch(CROWD / 2);
    private final Thread thread;

    Crowd(RdmaDevice device, InetSocketAddress address, Stranger stranger) {
      this.device = device;
      this.address = address;
      this.stranger = stranger;
      thread = Thread.ofPlatform().daemon().name("crowd").start(this::run);
    }

    private void run() {
      try {
        for (int i = 0; i < CROWD; i++) {
          if (stranger == Stranger.SENDS_GARBAGE) {
            sendGarbage(i);
          } else {
            connect();
          }
          half.countDown();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void sendGarbage(int seed) throws IOException {
      var random = new SplittableRandom(seed);
      byte[] bytes = new byte[32 + seed];
      try (var socket = new DatagramSocket()) {
        for (int i = 0; i < 25; i++) {
          random.nextBytes(bytes);
          socket.send(new DatagramPacket(bytes, bytes.length, address.getAddress(), ROCE_PORT));
        }
      }
    }

    private void connect() throws VerbsException, InterruptedException {
      Connection connection = device.resolve(address, Endpoint.PATIENCE);
      var peer = new Endpoint(device, connection, new QueuePairCapacity(4, 4), 16);
      open.add(peer);
      try {
        switch (stranger) {
          case SENDS_GARBAGE, HALF_OPEN -> {}
          case WRONG_PRIVATE_DATA -> connection.connect(parameters(new byte[56]), Rig.END);
          case GIVES_UP ->
              connection.connect(
                  parameters(
                      Capabilities.of(Capabilities.WRIDSCOPE).toBytes(new MigrationId(1, 2))),
                  Duration.ofMillis(1));
        }
      } catch (VerbsException e) {
        // It was rejected, or gave up.
      }
    }

    private static ConnectionParameters parameters(byte[] privateData) {
      return new ConnectionParameters(privateData, 5, 7);
    }

    void awaitHalf() throws InterruptedException {
      assertThat(half.await(60, TimeUnit.SECONDS)).as("half of the crowd connected").isTrue();
    }

    void awaitAll() throws InterruptedException {
      assertThat(thread.join(Rig.END)).as("all of the crowd connected").isTrue();
    }

    @Override
    public void close() throws VerbsException {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      for (Endpoint peer : open) {
        peer.close();
      }
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  @ParameterizedTest
  @EnumSource(Stranger.class)
  void trueSourceGetsThrough(Stranger stranger) throws Exception {
    var verbs = new RdmaUnderTest();
    try (var sourceDevice = verbs.open("source");
        var destinationDevice = verbs.open("destination");
        var guest = BlockGuest.of(RAM).boot(1, 0.5);
        var copy = BlockGuest.of(RAM)) {
      long before = descriptors();
      var listener = destinationDevice.listen(verbs.address(), CROWD);
      InetSocketAddress address = listener.localAddress();
      var destination =
          new DestinationSession(
              destinationDevice,
              listener,
              copy,
              Rig.parameters(false, true),
              new SessionTelemetry(Role.DESTINATION, false, Account::new),
              null,
              DestinationSession.Admission.FIRST_WITH_RAM,
              Limits.DEFAULT);
      Thread there = Thread.ofPlatform().daemon().name("destination").start(destination::run);
      try (var crowd = new Crowd(sourceDevice, address, stranger)) {
        crowd.awaitHalf();
        var source =
            new SourceSession(
                sourceDevice,
                address,
                guest,
                Rig.parameters(false, true),
                new SessionTelemetry(Role.SOURCE, false, Account::new),
                Limits.DEFAULT);
        Rig.join(Thread.ofPlatform().daemon().name("source").start(source::run), source);
        assertThat(source.verified()).as(source.outcome()).isTrue();
        crowd.awaitAll();
      }
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.hasEqualRam(guest)).isTrue();
      // The process may have opened some for itself; a leak would be one for each of the crowd.
      assertThat(descriptors()).as("descriptors").isLessThan(before + CROWD / 2);
    }
  }
}
