// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.wridscope.verbs.Background.inBackground;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.wridscope.process.Machine;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.PortDescription;
import org.wridscope.verbs.PortDescription.PortState;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** RDMA devices beyond the contracts of the verbs. */
@Tag("rdma")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
final class RdmaDeviceTest {
  private static final QueuePairCapacity CAPACITY = new QueuePairCapacity(64, 64);
  private static final ConnectionParameters PARAMETERS =
      new ConnectionParameters(new byte[0], 5, 7);

  private final RdmaUnderTest verbs = new RdmaUnderTest();
  private RdmaDevice device;

  @BeforeEach
  void open() throws VerbsException {
    device = verbs.open("");
  }

  @AfterEach
  void close() throws VerbsException {
    device.close();
  }

  /** Two ends of a connection of the device with itself. */
  private record Pair(Endpoint client, Endpoint server) implements AutoCloseable {
    @Override
    public void close() throws VerbsException {
      client.close();
      server.close();
    }
  }

  private Pair connect(InetSocketAddress address) throws Exception {
    try (ConnectionListener listener = device.listen(address, 1)) {
      Connection connection = device.resolve(listener.localAddress(), Endpoint.PATIENCE);
      var client = new Endpoint(device, connection, CAPACITY, 128);
      CompletableFuture<byte[]> connected =
          inBackground(() -> connection.connect(PARAMETERS, Endpoint.PATIENCE));
      ConnectionRequest request =
          Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE), "no request came");
      var server = new Endpoint(device, request.connection(), CAPACITY, 128);
      request.accept(PARAMETERS, Endpoint.PATIENCE);
      connected.get(20, TimeUnit.SECONDS);
      return new Pair(client, server);
    }
  }

  private static VerbsException failure(ThrowingCallable call) {
    return Objects.requireNonNull(catchThrowableOfType(VerbsException.class, call));
  }

  /** Names of soft-RoCE, and of mlx5. */
  @Test
  void messageWithoutAReceive_isCountedByTheDevice_asNotReady() throws Exception {
    var files = new CounterFiles();
    Map<DeviceCounter, Long> before = files.read(verbs.device());
    assertThat(before).isNotEmpty();
    try (Pair pair = connect(verbs.address())) {
      pair.client().send(1, 0, 64);
      long deadline = System.nanoTime() + Endpoint.PATIENCE.toNanos();
      Set<String> grown = Set.of();
      while (!grown.contains("rcvd_rnr_err") && !grown.contains("rnr_nak_retry_err")) {
        assertThat(System.nanoTime()).as("the deadline; grown: %s", grown).isLessThan(deadline);
        grown =
            files.read(verbs.device()).entrySet().stream()
                .filter(now -> !now.getValue().equals(before.get(now.getKey())))
                .map(now -> now.getKey().name())
                .collect(Collectors.toSet());
      }
      pair.server().receive(2, 64, 64);
      assertThat(pair.client().sent().status()).isEqualTo(WorkCompletionStatus.SUCCESS);
    }
  }

  @Test
  void list_describesTheDevice_withTheAddressOfItsPort() throws Exception {
    DeviceDescription description =
        RdmaDevices.list().stream()
            .filter(one -> one.name().equals(verbs.device()))
            .findFirst()
            .orElseThrow();
    InetAddress address = verbs.address().getAddress();
    PortDescription port =
        description.ports().stream()
            .filter(one -> one.addresses().contains(address))
            .findFirst()
            .orElseThrow();
    assertThat(port.state()).isEqualTo(PortState.ACTIVE);
    assertThat(port.activeMtu()).isIn(256, 512, 1024, 2048, 4096);
    assertThat(port.networkInterface()).isNotEmpty();
    assertThat(port.gids()).isNotEmpty().doesNotHaveDuplicates();
    assertThat(description.nodeGuid()).matches("[0-9a-f]{4}(:[0-9a-f]{4}){3}");
    assertThat(description.capabilities()).isEqualTo(device.capabilities());
    assertThat(device.name()).isEqualTo(verbs.device());
    assertThat(RdmaDevices.nameOf(address)).contains(verbs.device());
    assertThat(RdmaDevices.nameOf(InetAddress.getLoopbackAddress())).isEmpty();
  }

  @Test
  void resolve_withoutTime_isNotInTime_orAtOnce() throws Exception {
    try (Connection connection = device.resolve(verbs.address(), Duration.ZERO)) {
      assertThat(connection.remoteAddress()).isEqualTo(verbs.address());
    } catch (VerbsException e) {
      assertThat(e.errno()).isEqualTo(Errno.ETIMEDOUT);
    }
  }

  @Test
  void open_ofADeviceThatIsNotThere_namesThoseThatAre() {
    VerbsException e = failure(() -> RdmaDevices.open("nobody9"));
    assertThat(e.errno()).isEqualTo(Errno.ENODEV);
    assertThat(e).hasMessageContaining("nobody9").hasMessageContaining(verbs.device());
  }

  @Test
  void listenAndResolve_onLoopback_sayThatItIsNotOnTheDevice() {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7001);
    VerbsException listen = failure(() -> device.listen(loopback, 1));
    assertThat(listen.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(listen).hasMessageContaining("127.0.0.1:7001").hasMessageContaining(device.name());
    VerbsException resolve = failure(() -> device.resolve(loopback, Endpoint.PATIENCE));
    assertThat(resolve).hasMessageContaining("127.0.0.1:7001");
  }

  @Test
  void resolve_ofAHostThatIsNotThere_saysSo() throws Exception {
    byte[] neighbour = verbs.address().getAddress().getAddress();
    neighbour[3] = (byte) (neighbour[3] ^ 0x40);
    var nobody = new InetSocketAddress(InetAddress.getByAddress(neighbour), 7001);
    VerbsException e = failure(() -> device.resolve(nobody, Duration.ofMillis(300)));
    assertThat(e.errno()).isIn(Errno.ETIMEDOUT, Errno.EHOSTUNREACH);
    assertThat(e)
        .hasMessageContaining(nobody.getAddress().getHostAddress())
        .hasMessageContaining("check");
  }

  /**
   * The kernel waits for the answer of a neighbour, and the address becomes known in another way,
   * of which it hears nothing: as when it misses that answer.
   */
  @Test
  void resolve_findsAnAddress_ofWhichTheKernelHearsNothing() throws Exception {
    byte[] neighbour = verbs.address().getAddress().getAddress();
    neighbour[3] = (byte) (neighbour[3] ^ 0x20);
    InetAddress address = InetAddress.getByAddress(neighbour);
    CompletableFuture<Connection> resolved =
        inBackground(() -> device.resolve(new InetSocketAddress(address, 7001), Endpoint.PATIENCE));
    while (!Files.readString(Path.of("/proc/net/arp")).contains(address.getHostAddress() + " ")) {
      assertThat(resolved).isNotDone();
      Thread.onSpinWait();
    }
    String own = NetworkInterface.getByInetAddress(verbs.address().getAddress()).getName();
    String[] command = {"ip", "address", "add", address.getHostAddress() + "/32", "dev", own};
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    try (Connection connection = resolved.get(20, TimeUnit.SECONDS)) {
      assertThat(connection.remoteAddress().getAddress()).isEqualTo(address);
    } finally {
      command[2] = "delete";
      assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
  }

  @Test
  void listenOnAnyAddress_takesConnectionsToEach() throws Exception {
    try (ConnectionListener listener = device.listen(new InetSocketAddress(0), 1);
        Connection connection =
            device.resolve(
                new InetSocketAddress(
                    verbs.address().getAddress(), listener.localAddress().getPort()),
                Endpoint.PATIENCE);
        Endpoint client = new Endpoint(device, connection, CAPACITY, 128)) {
      CompletableFuture<byte[]> connected =
          inBackground(() -> client.connection.connect(PARAMETERS, Endpoint.PATIENCE));
      ConnectionRequest request =
          Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE), "no request came");
      request.reject(new byte[0]);
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> connected.get(20, TimeUnit.SECONDS))
          .withMessageContaining("refused");
    }
  }

  @Test
  void ipv6_carriesData() throws Exception {
    InetSocketAddress address = RdmaUnderTest.overIpv6().address();
    try (Pair pair = connect(address)) {
      assertThat(pair.client().connection.remoteAddress().getAddress())
          .isEqualTo(address.getAddress());
      pair.client().memory.setString(0, "six");
      pair.client().write(1, 0, 64, pair.server());
      assertThat(pair.client().sent().status()).isEqualTo(WorkCompletionStatus.SUCCESS);
      assertThat(pair.server().memory.getString(0)).isEqualTo("six");
    }
  }

  /** The length does not fit into an int. */
  @Test
  void regionOfMoreThan2GiB_canBeWrittenAtItsEnd_orTheDevicesLimitIsNamed() throws Exception {
    long length = (2L << 30) + (64L << 20);
    try {
      writeAtTheEnd(length);
    } catch (VerbsException e) {
      assertThat(e)
          .hasMessageContaining("soft-RoCE of Linux 6.12 and later registers at most 1 GiB");
      assertThat(Machine.isAtLeast(6, 2)).isTrue();
      writeAtTheEnd(NativeProtectionDomain.SOFT_ROCE_REGION);
    }
  }

  /** Pinning 2 GiB of real memory would take half a minute under emulation. */
  private void writeAtTheEnd(long length) throws Exception {
    try (var repeated = new RepeatedMemory(length, 64L << 20);
        Pair pair = connect(verbs.address())) {
      MemorySegment memory = repeated.segment();
      MemoryRegion region =
          pair.server()
              .domain
              .register(memory, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
      assertThat(region.length()).isEqualTo(length);
      pair.client().memory.setString(0, "the end");
      pair.client()
          .queuePair
          .postSend(
              new SendRequest()
                  .rdmaWrite(
                      1,
                      pair.client().region.address(),
                      8,
                      pair.client().region.localKey(),
                      region.address() + length - 8,
                      region.remoteKey()));
      assertThat(pair.client().sent().status()).isEqualTo(WorkCompletionStatus.SUCCESS);
      assertThat(memory.getString(length - 8)).isEqualTo("the end");
      region.close();
    }
  }

  @Test
  void postingAndPolling_allocateNothing() throws Exception {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Pair pair = connect(verbs.address())) {
      int times = 1_000;
      WorkCompletion[] completions = WorkCompletion.array(8);
      long allocated = Long.MAX_VALUE;
      // The first calls load classes.
      for (int round = 0; round < 3; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < times; i++) {
          message(pair, i, completions);
        }
        allocated = threads.getCurrentThreadAllocatedBytes() - before;
      }
      // Measuring allocates a little.
      assertThat(allocated / times).as("bytes for each message").isZero();
    }
  }

  /** A signaled SEND with an unsignaled one before it. */
  private static void message(Pair pair, int i, WorkCompletion[] completions)
      throws VerbsException {
    Endpoint client = pair.client();
    Endpoint server = pair.server();
    server.receive(i, 0, 8);
    server.receive(i, 8, 8);
    client.queuePair.postSend(
        client
            .sendRequest
            .send(i, client.region.address(), 8, client.region.localKey())
            .signaled(false));
    client.send(i, 0, 8);
    take(server, 2, true, completions);
    take(client, 1, false, completions);
  }

  private static void take(
      Endpoint endpoint, int wanted, boolean received, WorkCompletion[] completions)
      throws VerbsException {
    int taken = 0;
    while (taken < wanted) {
      taken += (received ? endpoint.receiveQueue : endpoint.sendQueue).poll(completions);
      if (taken > 0 && completions[0].status() != WorkCompletionStatus.SUCCESS) {
        throw new AssertionError(completions[0].status());
      }
    }
  }

  @Test
  void connectingAndClosing_leavesNoDescriptorOpen() throws Exception {
    connect(verbs.address()).close();
    long before = descriptors();
    for (int i = 0; i < 25; i++) {
      connect(verbs.address()).close();
      var address = new InetSocketAddress(verbs.address().getAddress(), 1);
      try (Connection connection = device.resolve(address, Endpoint.PATIENCE);
          Endpoint refused = new Endpoint(device, connection, CAPACITY, 128)) {
        VerbsException e = failure(() -> refused.connection.connect(PARAMETERS, Endpoint.PATIENCE));
        assertThat(e.errno()).isEqualTo(Errno.ECONNREFUSED);
        assertThat(e).hasMessageContaining("nobody listens on");
      }
    }
    assertThat(descriptors()).isLessThanOrEqualTo(before);
  }

  private static long descriptors() throws IOException {
    try (var entries = Files.list(Path.of("/proc/self/fd"))) {
      return entries.count();
    }
  }

  /** A queue pair that stayed would keep its completion queues from being destroyed. */
  @Test
  void queuePairThatCannotBeDescribed_isDestroyed() throws Exception {
    try (ConnectionListener listener = device.listen(verbs.address(), 1);
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue send = device.createCompletionQueue(16, channel);
        CompletionQueue receive = device.createCompletionQueue(16, channel);
        var connection =
            (NativeConnection) device.resolve(listener.localAddress(), Endpoint.PATIENCE)) {
      VerbsException e =
          failure(() ->
              connection.createQueuePair(
                  new NewQueuePair(
                      (NativeProtectionDomain) domain,
                      (NativeCompletionQueue) send,
                      (NativeCompletionQueue) receive,
                      CAPACITY),
                  (owner, ownDomain, ownSend, ownReceive, address) -> {
                    throw new NativeCallException("ibv_query_qp", Errno.EIO.value());
                  }));
      assertThat(e.errno()).isEqualTo(Errno.EIO);
      connection.createQueuePair(domain, send, receive, CAPACITY);
    }
  }

  @Test
  void close_endsWaiting_inEveryPlace() throws Exception {
    ConnectionListener listener = device.listen(verbs.address(), 1);
    CompletionChannel channel = device.createCompletionChannel();
    Connection connection = device.resolve(listener.localAddress(), Endpoint.PATIENCE);
    var begun = new CountDownLatch(3);
    var accepting =
        inBackground(() -> {
          begun.countDown();
          return listener.nextRequest(Duration.ofMinutes(5));
        });
    var polling =
        inBackground(() -> {
          begun.countDown();
          return channel.getEvent(Duration.ofMinutes(5));
        });
    var listening =
        inBackground(() -> {
          begun.countDown();
          return connection.nextEvent(Duration.ofMinutes(5));
        });
    begun.await();
    listener.close();
    channel.close();
    connection.close();
    for (CompletableFuture<?> waiting :
        new CompletableFuture<?>[] {accepting, polling, listening}) {
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
          .withCauseInstanceOf(VerbsException.class);
    }
  }

  @Test
  void interrupt_endsWaiting_thatHasBegun() throws Exception {
    try (CompletionChannel channel = device.createCompletionChannel()) {
      var begun = new CountDownLatch(1);
      var ended = new CompletableFuture<Boolean>();
      Thread thread =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  begun.countDown();
                  channel.getEvent(Duration.ofMinutes(5));
                  ended.complete(false);
                } catch (InterruptedException e) {
                  ended.complete(true);
                } catch (VerbsException e) {
                  ended.completeExceptionally(e);
                }
              });
      begun.await();
      thread.interrupt();
      assertThat(ended.get(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Using a handle after its object was destroyed would crash this process. */
  @Test
  void closingWhilePostingAndPolling_givesErrors() throws Exception {
    for (int round = 0; round < 10; round++) {
      Pair pair = connect(verbs.address());
      var polled = new CountDownLatch(100);
      var posting =
          inBackground(() -> {
            while (true) {
              try {
                pair.client().write(1, 0, 8, pair.server());
              } catch (VerbsException e) {
                if (e.errno() != Errno.ENOMEM) {
                  throw e;
                }
              }
            }
          });
      var polling =
          inBackground(() -> {
            WorkCompletion[] completions = WorkCompletion.array(4);
            while (true) {
              pair.client().sendQueue.poll(completions);
              polled.countDown();
            }
          });
      polled.await();
      pair.client().close();
      for (CompletableFuture<?> busy : new CompletableFuture<?>[] {posting, polling}) {
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> busy.get(20, TimeUnit.SECONDS))
            .withCauseInstanceOf(VerbsException.class);
      }
      pair.server().close();
    }
  }

  @Test
  void everythingOpen_keepsTheDeviceBusy_andSaysHowMuch() throws Exception {
    ProtectionDomain domain = device.allocateProtectionDomain();
    VerbsException e = failure(device::close);
    assertThat(e.errno()).isEqualTo(Errno.EBUSY);
    assertThat(e).hasMessageContaining("1 objects");
    domain.close();
  }
}
