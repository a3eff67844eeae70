// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.wridscope.verbs.Background.get;
import static org.wridscope.verbs.Background.inBackground;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Shared by the contracts: two devices, and connections between them. After each test everything is
 * closed in the order that the verbs require, and closing the devices checks that no object is
 * left. The time limit is for hangs, not for slow machines: soft-RoCE in an emulated machine takes
 * a minute for the longest test.
 */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class VerbsContract {
  static final QueuePairCapacity CAPACITY = new QueuePairCapacity(16, 16);
  static final int ENTRIES = 64;

  /** Retries forever when a message finds no receive. */
  static final ConnectionParameters ENDLESS = new ConnectionParameters(new byte[0], 5, 7);

  private final VerbsUnderTest verbs;
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();

  RdmaDevice clientDevice;
  RdmaDevice serverDevice;

  VerbsContract(VerbsUnderTest verbs) {
    this.verbs = verbs;
  }

  @BeforeEach
  void openDevices() throws VerbsException {
    clientDevice = verbs.open("client");
    serverDevice = verbs.open("server");
    resources.push(clientDevice);
    resources.push(serverDevice);
  }

  @AfterEach
  void closeAll() throws Exception {
    Exception failure = null;
    while (!resources.isEmpty()) {
      try {
        resources.pop().close();
      } catch (Exception e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  VerbsUnderTest verbs() {
    return verbs;
  }

  /** Closes this at the end of the test, before what was added earlier. */
  <T extends AutoCloseable> T closing(T resource) {
    resources.push(resource);
    return resource;
  }

  /** Two ends of a connection. */
  record Pair(Endpoint client, Endpoint server) {}

  Pair connect() throws Exception {
    return connect(CAPACITY, ENTRIES, ENDLESS, ENDLESS);
  }

  Pair connect(ConnectionParameters client, ConnectionParameters server) throws Exception {
    return connect(CAPACITY, ENTRIES, client, server);
  }

  Pair connect(
      QueuePairCapacity capacity,
      int entries,
      ConnectionParameters clientParameters,
      ConnectionParameters serverParameters)
      throws Exception {
    try (ConnectionListener listener = serverDevice.listen(verbs.address(), 1)) {
      Connection connection = clientDevice.resolve(listener.localAddress(), Endpoint.PATIENCE);
      var client = closing(new Endpoint(clientDevice, connection, capacity, entries));
      var connected = inBackground(() -> connection.connect(clientParameters, Endpoint.PATIENCE));
      ConnectionRequest request = next(listener);
      var server = closing(new Endpoint(serverDevice, request.connection(), capacity, entries));
      request.accept(serverParameters, Endpoint.PATIENCE);
      get(connected);
      return new Pair(client, server);
    }
  }

  static ConnectionRequest next(ConnectionListener listener) throws Exception {
    return Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE), "no request came");
  }

  static ConnectionEvent next(Connection connection) throws Exception {
    return Objects.requireNonNull(connection.nextEvent(Endpoint.PATIENCE), "no event came");
  }

  static void assertErrno(Errno errno, ThrowingCallable call) {
    assertThatExceptionOfType(VerbsException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
  }

  /**
   * Asserts an error completion.
   *
   * @param others also accepted from devices that do not follow the specification exactly
   */
  void assertError(
      WorkCompletion completion,
      long workRequestId,
      WorkCompletionStatus status,
      WorkCompletionStatus... others) {
    assertThat(completion.workRequestId()).as("work request id").isEqualTo(workRequestId);
    if (verbs.hasExactStatuses() || completion.status() == status) {
      assertThat(completion.status()).as("status of %d", workRequestId).isEqualTo(status);
    } else {
      assertThat(completion.status()).as("status of %d", workRequestId).isIn((Object[]) others);
    }
  }

  static void assertNoCompletion(CompletionQueue queue) throws VerbsException {
    assertThat(queue.poll(WorkCompletion.array(1))).isZero();
  }

  static void assertCompletion(
      WorkCompletion completion, long workRequestId, WorkCompletionStatus status) {
    assertThat(completion.workRequestId()).as("work request id").isEqualTo(workRequestId);
    assertThat(completion.status()).as("status of %d", workRequestId).isEqualTo(status);
  }
}
