// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_PROT_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_ACCESS_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_OP_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.RETRY_EXC_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.ChildJvm;
import org.wridscope.Slow;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.common.Addresses;

/** The software device over TCP, beyond the contracts of the verbs. */
@Slow("time limits over TCP, in real time")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SoftNetworkTest {
  private static final QueuePairCapacity CAPACITY = new QueuePairCapacity(16, 16);

  /** Short limits, so that tests which reach them are fast. */
  private static final NetworkLimits SHORT =
      new NetworkLimits(
          Duration.ofMillis(400),
          Duration.ofMillis(100),
          Duration.ofMillis(1500),
          Duration.ofMillis(400),
          4);

  private SoftDevice source;
  private SoftDevice destination;

  @BeforeEach
  void open() throws VerbsException {
    source = SoftNetwork.open("nettest-source", SHORT);
    destination = SoftNetwork.open("nettest-destination", SHORT);
  }

  /** Checks that no object and no thread is left. */
  @AfterEach
  void close() throws VerbsException {
    source.close();
    destination.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("nettest-"));
  }

  private static void assertCompletion(
      WorkCompletion completion, long workRequestId, WorkCompletionStatus status) {
    assertThat(completion.workRequestId()).as("work request id").isEqualTo(workRequestId);
    assertThat(completion.status()).as("status of %d", workRequestId).isEqualTo(status);
  }

  private static ConnectionEvent event(Connection connection) throws Exception {
    return Objects.requireNonNull(connection.nextEvent(Endpoint.PATIENCE), "no event");
  }

  private static ConnectionRequest next(ConnectionListener listener) throws Exception {
    return Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE), "no request");
  }

  /** Checks that both devices still serve other connections. */
  private void assertAlive() throws Exception {
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      pair.server().receive(1, 0, 8);
      pair.client().write(2, 0, 1024, pair.server());
      pair.client().send(3, 0, 8);
      assertCompletion(pair.server().received(), 1, SUCCESS);
      assertCompletion(pair.client().sent(), 2, SUCCESS);
      assertCompletion(pair.client().sent(), 3, SUCCESS);
    }
  }

  // ------------------------------------------------------------------------------ addresses

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "0.0.0.0", "::"})
  void listens_onAnyAddressOfThisMachine(String address) throws Exception {
    try (ConnectionListener listener = destination.listen(at(address, 0), 1)) {
      int port = listener.localAddress().getPort();
      assertThat(port).isPositive();
      String there =
          switch (address) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::" -> "::1";
            default -> address;
          };
      for (String to : List.of(address, there)) {
        Connection connection = source.resolve(at(to, port), Endpoint.PATIENCE);
        try (var client = new Endpoint(source, connection, CAPACITY, 64)) {
          CompletableFuture<byte[]> answer = SoftPair.connectInBackground(client.connection);
          ConnectionRequest request = next(listener);
          try (var server = new Endpoint(destination, request.connection(), CAPACITY, 64)) {
            request.accept(SoftPair.ENDLESS, Endpoint.PATIENCE);
            answer.join();
            client.write(1, 0, 8, server);
            assertCompletion(client.sent(), 1, SUCCESS);
          }
        }
      }
    }
  }

  @SuppressWarnings("AddressSelection") // a literal has one address
  private static InetSocketAddress at(String host, int port) {
    return new InetSocketAddress(host, port);
  }

  @Test
  void sentences_sayWhatIsWrong() throws Exception {
    InetSocketAddress address;
    try (ConnectionListener listener = destination.listen(SoftPair.ANYWHERE, 1)) {
      address = listener.localAddress();
      assertThatExceptionOfType(VerbsException.class)
          .isThrownBy(() -> source.listen(address, 1))
          .withMessage("Port %d is in use; choose another one.", address.getPort())
          .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }
    assertThatExceptionOfType(ConnectionRejectedException.class)
        .isThrownBy(() -> source.resolve(address, Endpoint.PATIENCE))
        .withMessage("nobody listens on %s; start the other side first", Addresses.text(address))
        .satisfies(e -> assertThat(e.byPeer()).isFalse());
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(() -> source.listen(at("192.0.2.1", 0), 1))
        .withMessage("192.0.2.1 is not an address of this machine")
        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
  }

  // ------------------------------------------------------------------------------ foreign peers

  private VerbsException connectTo(ServerSocket server, byte[]... says) throws Exception {
    var local = (InetSocketAddress) server.getLocalSocketAddress();
    Connection connection = source.resolve(local, Endpoint.PATIENCE);
    try (var client = new Endpoint(source, connection, CAPACITY, 64)) {
      CompletableFuture<byte[]> answer = SoftPair.connectInBackground(client.connection);
      try (RawPeer peer = RawPeer.from(server)) {
        peer.hear(Frame.GREETING_BYTES);
        peer.say(says);
        if (says.length > 0) {
          peer.hearAll();
        }
      }
      try {
        answer.join();
        throw new AssertionError("it connected");
      } catch (CompletionException e) {
        return (VerbsException) Objects.requireNonNull(e.getCause());
      }
    }
  }

  @Test
  void connect_toAStranger_saysWhoAnswered() throws Exception {
    try (ServerSocket server = RawPeer.listen()) {
      byte[] banner = "SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII);
      assertThat(connectTo(server, banner))
          .hasMessage(
              "what listens on %s is not a software device of Wridscope: it began with"
                  + " \"SSH-2.0-OpenSSH_\"",
              server.getLocalSocketAddress())
          .extracting(VerbsException::errno)
          .isEqualTo(Errno.EIO);
      assertThat(connectTo(server, RawPeer.greeting(2)))
          .hasMessageEndingWith(
              "it speaks version 2 of the software device's wire format and this end version 1;"
                  + " use the same version of Wridscope at both ends");
      assertThat(connectTo(server))
          .isInstanceOf(ConnectionRejectedException.class)
          .hasMessageContaining("closed the connection without an answer");
    }
  }

  @Test
  void foreignPeers_areRefused_withALineOfText() throws Exception {
    try (ConnectionListener listener = destination.listen(SoftPair.ANYWHERE, 1)) {
      try (RawPeer browser = RawPeer.to(listener.localAddress())) {
        browser.say("GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(browser.hearAll(), StandardCharsets.US_ASCII))
            .isEqualTo(
                "This is the software RDMA device of a Wridscope; it talks only to other"
                    + " ones.\r\n");
      }
      try (RawPeer newer = RawPeer.to(listener.localAddress())) {
        newer.say(RawPeer.greeting(2));
        assertThat(newer.hearAll()).isEqualTo(RawPeer.greeting(Frame.VERSION));
      }
      assertThat(listener.nextRequest(Duration.ZERO)).isNull();
      assertAlive();
    }
  }

  @Test
  void whoAsksForNothingInTime_isCutOff() throws Exception {
    try (ConnectionListener listener = destination.listen(SoftPair.ANYWHERE, 1);
        RawPeer silent = RawPeer.to(listener.localAddress());
        RawPeer slow = RawPeer.to(listener.localAddress())) {
      slow.say(RawPeer.greeting(Frame.VERSION), new byte[] {1});
      assertThat(silent.hearAll()).isEmpty();
      assertThat(slow.hearAll()).isEqualTo(RawPeer.greeting(Frame.VERSION));
    }
  }

  @Test
  void whoComesAfterManyThatAskForNothing_isServed() throws Exception {
    var crowd = new ArrayList<RawPeer>();
    try (ConnectionListener listener = destination.listen(SoftPair.ANYWHERE, 1)) {
      for (int i = 0; i < 3 * SHORT.pendingPeers(); i++) {
        crowd.add(RawPeer.to(listener.localAddress()));
      }
      try (RawPeer peer = RawPeer.to(listener.localAddress())) {
        peer.request();
        next(listener).reject(new byte[0]);
      }
      assertThat(crowd.getFirst().hearAll()).isEmpty();
    } finally {
      for (RawPeer peer : crowd) {
        peer.close();
      }
    }
  }

  // --------------------------------------------------------------------------------- hostile

  /** A server whose client is a plain socket. */
  private record Exposed(RawPeer peer, Endpoint server) implements AutoCloseable {
    static Exposed open(SoftDevice device) throws Exception {
      try (ConnectionListener listener = device.listen(SoftPair.ANYWHERE, 1)) {
        RawPeer peer = RawPeer.to(listener.localAddress());
        peer.request();
        ConnectionRequest request = next(listener);
        var server = new Endpoint(device, request.connection(), CAPACITY, 64);
        var accepted =
            CompletableFuture.runAsync(() -> {
              try {
                request.accept(SoftPair.ENDLESS, Endpoint.PATIENCE);
              } catch (VerbsException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
        peer.establish();
        accepted.join();
        return new Exposed(peer, server);
      }
    }

    @Override
    public void close() throws IOException {
      peer.close();
      server.close();
    }
  }

  static Stream<Arguments> brokenFrames() {
    return Stream.of(
        arguments("zeros", new byte[Frame.HEADER_BYTES]),
        arguments("ESTABLISHED again", RawPeer.frame(Frame.Type.ESTABLISHED)),
        arguments("REQUEST again", RawPeer.managing(Frame.Type.REQUEST)),
        arguments("REJECT from a client", RawPeer.managing(Frame.Type.REJECT)),
        arguments("length too large", RawPeer.frame(Frame.Type.SEND, (1 << 30) + 1, 0, 0, 0)),
        arguments("negative length", RawPeer.frame(Frame.Type.SEND, -1, 0, 0, 0)),
        arguments("SEND out of order", RawPeer.frame(Frame.Type.SEND, 8, 1, 0, 0)),
        arguments("RDMA WRITE out of order", RawPeer.frame(Frame.Type.RDMA_WRITE, 8, 7, 0, 0)),
        arguments("answer to nothing", RawPeer.frame(Frame.Type.ACKNOWLEDGE, 0, 0, 0, 0)),
        arguments(
            "answer to the last number",
            RawPeer.frame(Frame.Type.ACKNOWLEDGE, 0, Long.MAX_VALUE, 0, 0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("brokenFrames")
  void brokenFrame_endsItsConnection(String what, byte[] frame) throws Exception {
    try (Exposed exposed = Exposed.open(destination)) {
      exposed.server.receive(5, 0, 8);
      exposed.peer.say(frame);
      assertThat(event(exposed.server.connection).type())
          .as(what)
          .isEqualTo(ConnectionEvent.Type.DISCONNECTED);
      assertCompletion(exposed.server.received(), 5, WR_FLUSH_ERR);
      var failure = Objects.requireNonNull(destination.nextAsyncEvent(Endpoint.PATIENCE));
      assertThat(failure.type()).isEqualTo(AsyncEventType.QP_REQ_ERR);
      failure.acknowledge();
    }
    assertAlive();
  }

  /** Valid and broken frames in any order: nothing is written outside the allowed memory. */
  @Test
  void randomStreams_touchNothingElse_andHarmNobody() throws Exception {
    for (int seed = 0; seed < 150; seed++) {
      var random = new SplittableRandom(seed);
      try (Exposed exposed = Exposed.open(destination)) {
        Endpoint server = exposed.server;
        MemoryRegion region =
            server.domain.register(server.memory.asSlice(1000, 5000), Endpoint.ALL);
        server.region.close();
        long sequence = 0;
        for (int i = 0; i < 40; i++) {
          int length = random.nextInt(2000);
          byte[] frame =
              RawPeer.frame(
                  Frame.Type.RDMA_WRITE,
                  length,
                  sequence++,
                  region.address() + random.nextInt(-100, 4000),
                  region.remoteKey());
          if (random.nextInt(10) == 0) {
            frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
          }
          byte[] payload = new byte[random.nextInt(12) == 0 ? random.nextInt(4000) : length];
          Arrays.fill(payload, (byte) 0x77);
          try {
            exposed.peer.say(frame, payload);
          } catch (SocketException e) {
            break; // It was cut off.
          }
        }
        exposed.peer.close();
        event(server.connection);
        region.close();
        assertThat(untouched(server.memory.asSlice(0, 1000))).as("seed %d", seed).isTrue();
        assertThat(untouched(server.memory.asSlice(6000))).as("seed %d", seed).isTrue();
      }
      while (destination.nextAsyncEvent(Duration.ZERO) != null) {
        // never acknowledged, since it belongs to no request
      }
    }
    assertAlive();
  }

  private static boolean untouched(MemorySegment memory) {
    return memory.mismatch(MemorySegment.ofArray(new byte[(int) memory.byteSize()])) < 0;
  }

  /** The rest of a message arrives after its region was deregistered and its memory freed. */
  @Test
  void messageWhoseRegionGoesInTheMiddle_isRefused() throws Exception {
    for (int round = 0; round < 20; round++) {
      try (Exposed exposed = Exposed.open(destination);
          Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(1 << 20);
        MemoryRegion region = exposed.server.domain.register(memory, Endpoint.ALL);
        byte[] half = new byte[1 << 19];
        Arrays.fill(half, (byte) 1);
        exposed.peer.say(
            RawPeer.frame(Frame.Type.RDMA_WRITE, 1 << 20, 0, region.address(), region.remoteKey()),
            half);
        while (memory.get(ValueLayout.JAVA_BYTE, half.length - 1) == 0) {
          Thread.yield();
        }
        region.close();
        exposed.peer.say(half);
        Frame answer = exposed.peer.frame();
        assertThat(answer.response()).isEqualTo(Response.NAK_REMOTE_ACCESS);
        assertThat(answer.sequence()).isZero();
        assertThat(untouched(memory.asSlice(half.length))).isTrue();
      }
    }
  }

  // ------------------------------------------------------------------------------- absent peers

  @Test
  void peerThatSaysNothing_isUnreachable() throws Exception {
    try (Exposed exposed = Exposed.open(destination)) {
      exposed.server.receive(1, 0, 8);
      exposed.server.send(2, 0, 8);
      ConnectionEvent event = event(exposed.server.connection);
      assertThat(event.type()).isEqualTo(ConnectionEvent.Type.UNREACHABLE);
      assertThat(event.status()).isEqualTo(-Errno.ETIMEDOUT.value());
      assertCompletion(exposed.server.sent(), 2, RETRY_EXC_ERR);
      assertCompletion(exposed.server.received(), 1, WR_FLUSH_ERR);
    }
  }

  @Test
  void processThatIsKilled_isNoticed() throws Exception {
    Process other =
        new ProcessBuilder(ChildJvm.command(OtherDevice.class, "-Xmx64m"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader says = other.inputReader()) {
      InetSocketAddress there =
          at("127.0.0.1", Integer.parseInt(Objects.requireNonNull(says.readLine())));
      Connection connection = source.resolve(there, Endpoint.PATIENCE);
      try (var client = new Endpoint(source, connection, CAPACITY, 64)) {
        client.connection.connect(SoftPair.ENDLESS, Endpoint.PATIENCE);
        client.send(1, 0, 8);
        assertCompletion(client.sent(), 1, SUCCESS);
        client.receive(3, 0, 8);
        client.send(2, 0, 8); // finds no receive
        other.destroyForcibly();
        ConnectionEvent event = event(client.connection);
        assertThat(event.type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
        assertThat(event.status()).as("it did not say so").isNegative();
        assertCompletion(client.sent(), 2, RETRY_EXC_ERR);
        assertCompletion(client.received(), 3, WR_FLUSH_ERR);
      }
      // Its sockets are closed one by one, the connection perhaps before the listener.
      other.waitFor();
      assertThatExceptionOfType(ConnectionRejectedException.class)
          .isThrownBy(() -> source.resolve(there, Endpoint.PATIENCE))
          .withMessage("nobody listens on %s; start the other side first", Addresses.text(there));
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void idleConnection_stays() throws Exception {
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      assertThat(pair.client().connection.nextEvent(SHORT.silence().multipliedBy(2))).isNull();
      assertThat(pair.server().connection.nextEvent(Duration.ZERO)).isNull();
      pair.client().write(1, 0, 8, pair.server());
      assertCompletion(pair.client().sent(), 1, SUCCESS);
    }
  }

  @Test
  void peerThatVanishes_isTold_withWhatWasOutstanding() throws Exception {
    try (Exposed exposed = Exposed.open(destination)) {
      exposed.server.send(1, 0, 8);
      exposed.server.send(2, 0, 8);
      assertThat(exposed.peer.frame().type()).isEqualTo(Frame.Type.SEND);
      exposed.peer.hear(8);
      var answer = ByteBuffer.allocate(Frame.HEADER_BYTES);
      Frame.encodeAcknowledge(answer, Response.ACK, 0);
      exposed.peer.say(answer.array());
      exposed.peer.close();
      assertThat(event(exposed.server.connection).type())
          .isEqualTo(ConnectionEvent.Type.DISCONNECTED);
      assertCompletion(exposed.server.sent(), 1, SUCCESS);
      assertCompletion(exposed.server.sent(), 2, RETRY_EXC_ERR);
    }
  }

  /** One answer stands for all messages before it. */
  @Test
  void answer_coversAllBefore() throws Exception {
    try (Exposed exposed = Exposed.open(destination)) {
      for (int i = 0; i < 5; i++) {
        exposed.server.send(i, 0, 0);
      }
      exposed.peer.hear(5 * Frame.HEADER_BYTES);
      var answer = ByteBuffer.allocate(Frame.HEADER_BYTES);
      Frame.encodeAcknowledge(answer, Response.ACK, 3);
      exposed.peer.say(answer.array());
      for (int i = 0; i < 4; i++) {
        assertCompletion(exposed.server.sent(), i, SUCCESS);
      }
      assertThat(exposed.server.sendQueue.poll(WorkCompletion.array(1))).isZero();
    }
  }

  /** After an RNR NAK that message and all later ones are repeated. */
  @Test
  void messageThatFindsNoReceive_isRepeated_withAllBehindIt() throws Exception {
    try (Exposed exposed = Exposed.open(destination)) {
      for (int i = 0; i < 3; i++) {
        exposed.server.send(i, 0, 0);
      }
      exposed.peer.hear(3 * Frame.HEADER_BYTES);
      var answer = ByteBuffer.allocate(Frame.HEADER_BYTES);
      Frame.encodeAcknowledge(answer, Response.RNR_NAK, 1);
      exposed.peer.say(answer.array());
      assertThat(exposed.peer.frame().sequence()).isEqualTo(1);
      assertThat(exposed.peer.frame().sequence()).isEqualTo(2);
      assertCompletion(exposed.server.sent(), 0, SUCCESS);
    }
  }

  // -------------------------------------------------------------------------------- faults

  @Test
  void plan_failsTheRequestWithTheOrdinal_andTheRestIsFlushed() throws Exception {
    source.setFaultPlan(FaultPlan.at(3, new Fault.Fail(REM_OP_ERR, 0x77)));
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      for (int i = 0; i < 6; i++) {
        pair.client().write(i, i * 8L, 8, pair.server());
      }
      for (int i = 0; i < 6; i++) {
        assertCompletion(
            pair.client().sent(), i, i < 3 ? SUCCESS : i == 3 ? REM_OP_ERR : WR_FLUSH_ERR);
      }
    }
  }

  @Test
  void plan_cutsTheConnection_andBothEndsHearOfIt() throws Exception {
    source.setFaultPlan(FaultPlan.at(1, Fault.CUT));
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      for (int i = 0; i < 4; i++) {
        pair.client().write(i, 0, 8, pair.server());
      }
      assertCompletion(pair.client().sent(), 0, SUCCESS);
      assertCompletion(pair.client().sent(), 1, RETRY_EXC_ERR);
      assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
      assertThat(event(pair.client().connection).type())
          .isEqualTo(ConnectionEvent.Type.DISCONNECTED);
      assertThat(event(pair.server().connection).type())
          .isEqualTo(ConnectionEvent.Type.DISCONNECTED);
      assertThat(pair.server().queuePair.state()).isEqualTo(QueuePairState.RTS);
      pair.server().send(5, 0, 8);
      assertCompletion(pair.server().sent(), 5, RETRY_EXC_ERR);
    }
  }

  @Test
  void cutAll_endsEndlessRetries() throws Exception {
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      pair.client().send(1, 0, 8);
      destination.cutAll();
      assertCompletion(pair.client().sent(), 1, RETRY_EXC_ERR);
    }
  }

  @Test
  void plan_delaysARequest_andThoseBehindIt_butNotThoseBefore() throws Exception {
    source.setFaultPlan(FaultPlan.at(2, new Fault.Delay(TimeUnit.HOURS.toNanos(1))));
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      for (int i = 0; i < 4; i++) {
        pair.client().write(i, 0, 8, pair.server());
      }
      assertCompletion(pair.client().sent(), 0, SUCCESS);
      assertCompletion(pair.client().sent(), 1, SUCCESS);
      pair.client().connection.disconnect();
      assertCompletion(pair.client().sent(), 2, WR_FLUSH_ERR);
      assertCompletion(pair.client().sent(), 3, WR_FLUSH_ERR);
    }
  }

  @Test
  void memoryThatWasFreedWhileRegistered_isAProtectionError() throws Exception {
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      Endpoint client = pair.client();
      Arena arena = Arena.ofShared();
      MemoryRegion region = client.domain.register(arena.allocate(4096), Endpoint.ALL);
      arena.close();
      client.write(1, 0, 8, pair.server());
      client.queuePair.postSend(
          client.sendRequest.rdmaWrite(
              2,
              region.address(),
              64,
              region.localKey(),
              pair.server().region.address(),
              pair.server().region.remoteKey()));
      assertCompletion(client.sent(), 1, SUCCESS);
      assertCompletion(client.sent(), 2, LOC_PROT_ERR);
      region.close();
    }
  }

  /** A peer that refuses a large message still gets its end, and then DISCONNECT. */
  @Test
  void refusedLargeMessage_leavesTheStreamWhole() throws Exception {
    try (SoftPair pair = SoftPair.connect(source, destination);
        Arena arena = Arena.ofShared()) {
      Endpoint client = pair.client();
      int length = 64 << 20;
      MemoryRegion region = client.domain.register(arena.allocate(length), Endpoint.ALL);
      client.queuePair.postSend(
          client.sendRequest.rdmaWrite(
              1, region.address(), length, region.localKey(), pair.server().region.address(), 7));
      assertCompletion(client.sent(), 1, REM_ACCESS_ERR);
      region.close();
      assertThat(pair.server().connection.nextEvent(Duration.ofMillis(50))).isNull();
      client.connection.disconnect();
      ConnectionEvent event = event(pair.server().connection);
      assertThat(event.type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
      assertThat(event.status()).as("it said so").isZero();
    }
  }

  // ---------------------------------------------------------------------------------- cost

  /** The JDK allocates two small objects per buffer in a system call; the device none. */
  @Test
  void steadyState_allocatesNextToNothing() throws Exception {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sender = source.processor().thread().threadId();
    long receiver = destination.processor().thread().threadId();
    try (SoftPair pair = SoftPair.connect(source, destination)) {
      writeMany(pair, 20_000);
      long sent = threads.getThreadAllocatedBytes(sender);
      long received = threads.getThreadAllocatedBytes(receiver);
      writeMany(pair, 20_000);
      assertThat((threads.getThreadAllocatedBytes(sender) - sent) / 20_000.0).isLessThan(150);
      assertThat((threads.getThreadAllocatedBytes(receiver) - received) / 20_000.0).isLessThan(150);
    }
  }

  private static void writeMany(SoftPair pair, int count) throws VerbsException {
    Endpoint client = pair.client();
    WorkCompletion[] completions = WorkCompletion.array(8);
    var request = new SendRequest();
    int posted = 0;
    int done = 0;
    while (done < count) {
      if (posted < count && posted - done < 16) {
        client.queuePair.postSend(
            request.rdmaWrite(
                posted++,
                client.region.address(),
                4096,
                client.region.localKey(),
                pair.server().region.address(),
                pair.server().region.remoteKey()));
      } else {
        int taken = client.sendQueue.poll(completions);
        for (int i = 0; i < taken; i++) {
          assertThat(completions[i].status()).isEqualTo(SUCCESS);
        }
        done += taken;
      }
    }
  }
}
