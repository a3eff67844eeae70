// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.wridscope.verbs.Background.get;
import static org.wridscope.verbs.Background.inBackground;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listening, connecting, rejecting, disconnecting. */
abstract class ConnectionContract extends VerbsContract {
  private static final Duration MOMENT = Duration.ofMillis(20);

  /** An address that nobody uses (RFC 5737). */
  private static final InetSocketAddress NOWHERE = new InetSocketAddress("192.0.2.1", 7000);

  protected ConnectionContract(VerbsUnderTest verbs) {
    super(verbs);
  }

  private ConnectionListener listen(int backlog) throws VerbsException {
    return closing(serverDevice.listen(verbs().address(), backlog));
  }

  private Endpoint client(ConnectionListener listener) throws Exception {
    Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
    return closing(new Endpoint(clientDevice, connection, CAPACITY, ENTRIES));
  }

  private Endpoint server(ConnectionRequest request) throws Exception {
    return closing(new Endpoint(serverDevice, request.connection(), CAPACITY, ENTRIES));
  }

  private static ConnectionParameters with(byte[] privateData) {
    return new ConnectionParameters(privateData, 5, 7);
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    return bytes;
  }

  @Test
  void privateData_goesBothWays_paddedWithZeros() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    var connected =
        inBackground(() -> client.connection.connect(with(bytes(5)), Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    assertThat(request.privateData())
        .isEqualTo(Arrays.copyOf(bytes(5), request.privateData().length))
        .hasSizeGreaterThanOrEqualTo(ConnectionParameters.MAX_CONNECT_PRIVATE_DATA);
    server(request);
    request.accept(with(bytes(7)), Endpoint.PATIENCE);
    byte[] answer = get(connected);
    assertThat(answer)
        .isEqualTo(Arrays.copyOf(bytes(7), answer.length))
        .hasSizeGreaterThanOrEqualTo(ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA);
  }

  @Test
  void privateData_ofTheLargestSize_arrivesWhole() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    byte[] most = bytes(ConnectionParameters.MAX_CONNECT_PRIVATE_DATA);
    var connected = inBackground(() -> client.connection.connect(with(most), Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    assertThat(request.privateData()).startsWith(most);
    server(request);
    byte[] mostBack = bytes(ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA);
    request.accept(with(mostBack), Endpoint.PATIENCE);
    assertThat(get(connected)).startsWith(mostBack);
  }

  @Test
  void privateData_oneByteTooLong_isInvalid() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    ConnectionParameters long57 = with(bytes(ConnectionParameters.MAX_CONNECT_PRIVATE_DATA + 1));
    assertErrno(Errno.EINVAL, () -> client.connection.connect(long57, Endpoint.PATIENCE));
    var connected = inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    assertErrno(
        Errno.EINVAL, () -> request.reject(bytes(ConnectionRequest.MAX_REJECT_PRIVATE_DATA + 1)));
    request.reject(new byte[0]);
    assertThatExceptionOfType(ConnectionRejectedException.class).isThrownBy(() -> get(connected));
  }

  @Test
  void addresses_nameBothEnds() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    assertThat(client.connection.remoteAddress()).isEqualTo(listener.localAddress());
    var connected = inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    server(request);
    request.accept(ENDLESS, Endpoint.PATIENCE);
    get(connected);
    assertThat(request.connection().localAddress()).isEqualTo(listener.localAddress());
    assertThat(request.connection().remoteAddress()).isEqualTo(client.connection.localAddress());
    assertThat(client.connection.localAddress().getPort()).isPositive();
  }

  @Test
  void reject_tellsTheClientWhy() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    client.receive(1, 0, 8);
    var connected = inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    request.reject(bytes(9));
    assertThatExceptionOfType(ConnectionRejectedException.class)
        .isThrownBy(() -> get(connected))
        .satisfies(e -> {
          assertThat(e.byPeer()).isTrue();
          assertThat(e.errno()).isEqualTo(Errno.ECONNREFUSED);
          assertThat(e.privateData())
              .isEqualTo(Arrays.copyOf(bytes(9), e.privateData().length))
              .hasSizeGreaterThanOrEqualTo(ConnectionRequest.MAX_REJECT_PRIVATE_DATA);
        });
    assertErrno(Errno.EINVAL, () -> request.accept(ENDLESS, Endpoint.PATIENCE));
    assertErrno(Errno.EINVAL, () -> request.reject(new byte[0]));
  }

  @Test
  void closingTheConnectionOfARequest_rejectsIt() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    var connected = inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
    next(listener).connection().close();
    assertThatExceptionOfType(ConnectionRejectedException.class)
        .isThrownBy(() -> get(connected))
        .satisfies(e -> assertThat(e.byPeer()).isTrue());
  }

  @Test
  void connect_whereNobodyListens_isRejectedByNobody() throws Exception {
    ConnectionListener listener = serverDevice.listen(verbs().address(), 1);
    Endpoint client = client(listener);
    listener.close();
    assertThatExceptionOfType(ConnectionRejectedException.class)
        .isThrownBy(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE))
        .satisfies(e -> {
          assertThat(e.byPeer()).isFalse();
          assertThat(e.privateData()).isEmpty();
        });
  }

  /**
   * A queue pair of the request is made at once, or after the client has given up.
   *
   * @param closed whether the client is closed before that
   */
  @ParameterizedTest(name = "closed {0}")
  @ValueSource(booleans = {false, true})
  void connect_thatNobodyAnswers_timesOut_andTheRequestIsVoid(boolean closed) throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    var connected = inBackground(() -> client.connection.connect(ENDLESS, MOMENT));
    ConnectionRequest request = next(listener);
    try (ProtectionDomain domain = serverDevice.allocateProtectionDomain();
        CompletionChannel channel = serverDevice.createCompletionChannel();
        CompletionQueue queue = serverDevice.createCompletionQueue(ENTRIES, channel);
        Connection connection = request.connection()) {
      Background.Task<QueuePair> made =
          () -> connection.createQueuePair(domain, queue, queue, CAPACITY);
      var early = closed ? null : inBackground(made);
      assertErrno(Errno.ETIMEDOUT, () -> get(connected));
      assertErrno(Errno.EINVAL, () -> client.connection.connect(ENDLESS, MOMENT));
      if (closed) {
        client.close();
      }
      assertErrno(
          Errno.ETIMEDOUT,
          () -> {
            if (early == null) {
              made.run();
            } else {
              get(early);
            }
            request.accept(ENDLESS, Endpoint.PATIENCE);
          });
    }
  }

  @Test
  void listenerThatCloses_rejectsWhoWaits() throws Exception {
    // Repeated until a request arrived before its listener was closed.
    boolean arrived = false;
    for (int tries = 1; tries <= 20 && !arrived; tries++) {
      arrived = closeWhileConnecting(tries);
    }
  }

  /**
   * Closes a listener some time after a client began to connect; true when the request had arrived.
   */
  private boolean closeWhileConnecting(int millis) throws Exception {
    ConnectionListener listener = serverDevice.listen(verbs().address(), 4);
    try (Endpoint client = client(listener)) {
      var connected = inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
      LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
      listener.close();
      listener.close();
      var rejection = catchThrowableOfType(ConnectionRejectedException.class, () -> get(connected));
      assertThat(rejection).isNotNull();
      assertThatExceptionOfType(VerbsException.class)
          .isThrownBy(() -> listener.nextRequest(Duration.ZERO));
      return rejection.byPeer();
    }
  }

  @Test
  void requestsBeyondTheBacklog_areRejected_orLeftWithoutAnAnswer() throws Exception {
    ConnectionListener listener = listen(1);
    List<CompletableFuture<byte[]>> clients = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Endpoint client = client(listener);
      clients.add(inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE)));
    }
    if (verbs().rejectsBeyondBacklog()) {
      assertThatExceptionOfType(ConnectionRejectedException.class)
          .isThrownBy(() -> get(CompletableFuture.anyOf(clients.get(0), clients.get(1))))
          .satisfies(e -> assertThat(e.byPeer()).isTrue());
      clients.removeIf(CompletableFuture::isCompletedExceptionally);
      assertThat(clients).hasSize(1);
    }
    ConnectionRequest request = next(listener);
    server(request);
    request.accept(ENDLESS, Endpoint.PATIENCE);
    get(CompletableFuture.anyOf(clients.toArray(CompletableFuture<?>[]::new)));
    assertThat(clients).filteredOn(CompletableFuture::isDone).hasSize(1);
  }

  @Test
  void whoIsNotAdmitted_isRefused_andNeverSeen() throws Exception {
    List<InetAddress> asked = new CopyOnWriteArrayList<>();
    ConnectionListener closed =
        closing(
            serverDevice.listen(
                verbs().address(),
                5,
                peer -> {
                  asked.add(peer);
                  return false;
                }));
    Endpoint client = client(closed);
    CompletableFuture<byte[]> connecting =
        inBackground(() -> client.connection.connect(with(bytes(5)), Endpoint.PATIENCE));
    // A real device's listener handles requests only while nextRequest is called.
    while (!connecting.isDone()) {
      assertThat(closed.nextRequest(Duration.ofMillis(20))).isNull();
    }
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(() -> get(connecting))
        .satisfies(e -> assertThat(e.errno()).isNotEqualTo(Errno.ETIMEDOUT));
    assertThat(closed.nextRequest(Duration.ZERO)).isNull();
    assertThat(asked).isNotEmpty().containsOnly(verbs().address().getAddress());
  }

  @Test
  void severalClients_canWaitAndBeServed() throws Exception {
    ConnectionListener listener = listen(8);
    List<Endpoint> clients = new ArrayList<>();
    List<CompletableFuture<byte[]>> connecting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Endpoint client = client(listener);
      byte[] name = {(byte) (i + 1)};
      clients.add(client);
      connecting.add(inBackground(() -> client.connection.connect(with(name), Endpoint.PATIENCE)));
    }
    for (int i = 0; i < 4; i++) {
      ConnectionRequest request = next(listener);
      Endpoint server = server(request);
      server.receive(request.privateData()[0], 0, 8);
      request.accept(with(new byte[] {request.privateData()[0]}), Endpoint.PATIENCE);
      Endpoint client = clients.get(request.privateData()[0] - 1);
      assertThat(get(connecting.get(request.privateData()[0] - 1))[0])
          .isEqualTo(request.privateData()[0]);
      client.send(1, 0, 8);
      assertCompletion(server.received(), request.privateData()[0], SUCCESS);
    }
  }

  @Test
  void device_canConnectToItself() throws Exception {
    ConnectionListener listener = closing(clientDevice.listen(verbs().address(), 1));
    Endpoint one = client(listener);
    var connected = inBackground(() -> one.connection.connect(ENDLESS, Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    Endpoint two = closing(new Endpoint(clientDevice, request.connection(), CAPACITY, ENTRIES));
    request.accept(ENDLESS, Endpoint.PATIENCE);
    get(connected);
    assertThat(one.queuePair.number()).isNotEqualTo(two.queuePair.number());
    two.receive(1, 0, 8);
    one.send(2, 0, 8);
    one.write(3, 0, 8, two);
    assertCompletion(two.received(), 1, SUCCESS);
    assertCompletion(one.sent(), 2, SUCCESS);
    assertCompletion(one.sent(), 3, SUCCESS);
  }

  @Test
  void listen_onAPortInUse_isRefused_untilItIsFree() throws Exception {
    ConnectionListener listener = serverDevice.listen(verbs().address(), 1);
    InetSocketAddress taken = listener.localAddress();
    assertThat(taken.getPort()).isPositive();
    assertErrno(Errno.EADDRINUSE, () -> clientDevice.listen(taken, 1));
    listener.close();
    closing(clientDevice.listen(taken, 1));
  }

  @Test
  void listen_onAnAddressThatIsNotOurs_isNotAvailable() {
    assertErrno(Errno.EADDRNOTAVAIL, () -> serverDevice.listen(NOWHERE, 1));
  }

  @Test
  void listen_withoutABacklog_isInvalid() {
    assertErrno(Errno.EINVAL, () -> serverDevice.listen(verbs().address(), 0));
  }

  @Test
  void resolve_withoutARoute_fails() {
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(() -> clientDevice.resolve(NOWHERE, Duration.ofSeconds(1)));
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(() ->
            clientDevice.resolve(
                InetSocketAddress.createUnresolved("nobody.invalid", 7000), Duration.ofSeconds(1)));
  }

  @Test
  void connect_withoutAQueuePair_orTwice_isInvalid() throws Exception {
    ConnectionListener listener = listen(1);
    try (Connection bare = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE)) {
      assertErrno(Errno.EINVAL, () -> bare.connect(ENDLESS, MOMENT));
    }
    Endpoint client = connect().client();
    assertErrno(Errno.EINVAL, () -> client.connection.connect(ENDLESS, MOMENT));
    assertErrno(
        Errno.EINVAL,
        () ->
            client.connection.createQueuePair(
                client.domain, client.sendQueue, client.receiveQueue, CAPACITY));
  }

  @Test
  void accept_withoutAQueuePair_isInvalid_butCanBeRepeatedWithOne() throws Exception {
    ConnectionListener listener = listen(1);
    Endpoint client = client(listener);
    var connected = inBackground(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
    ConnectionRequest request = next(listener);
    assertErrno(Errno.EINVAL, () -> request.accept(ENDLESS, Endpoint.PATIENCE));
    server(request);
    request.accept(ENDLESS, Endpoint.PATIENCE);
    get(connected);
  }

  @Test
  void waiting_forNothing_endsInTime() throws Exception {
    ConnectionListener listener = listen(1);
    assertThat(listener.nextRequest(MOMENT)).isNull();
    assertThat(listener.nextRequest(Duration.ZERO)).isNull();
    Endpoint client = connect().client();
    assertThat(client.connection.nextEvent(MOMENT)).isNull();
    assertThat(client.connection.nextEvent(Duration.ZERO)).isNull();
  }

  /** The initiator gets DISCONNECTED when the peer has disconnected too. */
  @Test
  void disconnect_isToldToThePeer_andItsAnswerToUs() throws Exception {
    Pair pair = connect();
    pair.client().connection.disconnect();
    pair.client().connection.disconnect();
    assertThat(pair.client().queuePair.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(next(pair.server().connection).type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    assertThat(pair.client().connection.nextEvent(MOMENT)).isNull();
    pair.server().connection.disconnect();
    assertThat(pair.server().queuePair.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(next(pair.client().connection).type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
  }

  @Test
  void close_disconnects() throws Exception {
    Pair pair = connect();
    pair.client().close();
    pair.client().connection.close();
    assertThat(next(pair.server().connection).type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(() -> pair.client().connection.nextEvent(Duration.ZERO));
  }

  @Test
  void interrupt_endsWaiting() throws Exception {
    ConnectionListener listener = listen(1);
    Thread waiting = Thread.currentThread();
    waiting.interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> listener.nextRequest(Endpoint.PATIENCE));
    Endpoint client = client(listener);
    waiting.interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> client.connection.connect(ENDLESS, Endpoint.PATIENCE));
    assertThat(listener.nextRequest(MOMENT)).as("a request that was given up").isNull();
  }
}
