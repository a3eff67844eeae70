// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.VerbsException;

/**
 * Any bytes sent over a socket to a software device. The first byte selects the device's role: it
 * listens, has accepted a connection, connects, or is connected.
 *
 * <p>After each input the device must report that the connection has ended, have written to no
 * memory that is not registered for it, have allocated little, serve the next connection, and
 * close.
 */
public final class LinkInputs {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final String DEVICE = "link-inputs";
  private static final QueuePairCapacity CAPACITY = new QueuePairCapacity(8, 8);

  /** Far more than a connection costs, and far less than a message may be long. */
  private static final long MAX_ALLOCATED = 1 << 20;

  /** Bytes at the beginning of the memory for two receives. */
  private static final int RECEIVES = 128;

  /** The part of the memory that the peer may write to. */
  private static final int WINDOW_START = 1000;

  private static final int WINDOW_LENGTH = 5000;

  /** A remote key that stands for the one of the window; the address is then relative to it. */
  private static final int WINDOW_KEY = 0x77;

  private static final byte RDMA_WRITE = RawPeer.frame(Frame.Type.RDMA_WRITE)[0];

  /** Inputs whose cost is not checked: they include the loading of classes. */
  private static final int WARM_UP = 20;

  private static int sent;

  private enum Role {
    LISTENS,
    ACCEPTED,
    CONNECTS,
    CONNECTED
  }

  private LinkInputs() {}

  /** Frames of every type in each role, alone and as a conversation. */
  public static List<byte[]> seeds() {
    var frames = new ArrayList<byte[]>();
    for (Frame.Type type : Frame.Type.values()) {
      frames.add(
          switch (type) {
            case REQUEST, ACCEPT, REJECT -> RawPeer.managing(type);
            case SEND -> joined(RawPeer.frame(type, 8, 0, 0, 0), new byte[8]);
            case RDMA_WRITE ->
                joined(
                    RawPeer.frame(type, 8, 0, 100, WINDOW_KEY),
                    new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
            default -> RawPeer.frame(type);
          });
    }
    byte[] greeting = RawPeer.greeting(Frame.VERSION);
    var seeds = new ArrayList<byte[]>();
    for (Role role : Role.values()) {
      byte[] first = {(byte) role.ordinal()};
      boolean greets = role == Role.LISTENS || role == Role.CONNECTS;
      for (byte[] frame : frames) {
        seeds.add(greets ? joined(first, greeting, frame) : joined(first, frame));
      }
    }
    byte[] accepted = {(byte) Role.ACCEPTED.ordinal()};
    seeds.add(
        joined(
            accepted,
            RawPeer.frame(Frame.Type.KEEPALIVE),
            RawPeer.frame(Frame.Type.RDMA_WRITE, 64, 0, 8, WINDOW_KEY),
            new byte[64],
            RawPeer.frame(Frame.Type.SEND, 16, 1, 0, 0),
            new byte[16],
            RawPeer.frame(Frame.Type.RDMA_WRITE, 0, 2, 0, WINDOW_KEY),
            RawPeer.frame(Frame.Type.SEND, 0, 3, 0, 0),
            RawPeer.frame(Frame.Type.DISCONNECT)));
    return seeds;
  }

  private static byte[] joined(byte[]... parts) {
    var joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }

  /**
   * Sends an input to a device of its own.
   *
   * @throws AssertionError when something does not hold afterwards
   */
  public static void send(byte[] input) throws Exception {
    if (input.length == 0) {
      return;
    }
    Role role = Role.values()[input[0] & Role.values().length - 1];
    byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
    SoftDevice device = SoftNetwork.open(DEVICE);
    try {
      switch (role) {
        case LISTENS -> toListener(device, bytes);
        case ACCEPTED -> toAccepted(device, bytes);
        case CONNECTS -> toCaller(device, bytes, false);
        case CONNECTED -> toCaller(device, bytes, true);
      }
      requireServing(device);
      long allocated = allocatedByThreadOf(device);
      require(
          ++sent <= WARM_UP || allocated <= MAX_ALLOCATED,
          "the device's thread allocated " + allocated + " bytes");
    } finally {
      device.close();
    }
  }

  private static void toListener(SoftDevice device, byte[] bytes) throws Exception {
    try (ConnectionListener listener = device.listen(SoftPair.ANYWHERE, 1);
        RawPeer peer = RawPeer.to(listener.localAddress())) {
      say(peer, bytes);
      var _ = peer.hearAll();
    }
  }

  private static void toAccepted(SoftDevice device, byte[] bytes) throws Exception {
    try (ConnectionListener listener = device.listen(SoftPair.ANYWHERE, 1);
        RawPeer peer = RawPeer.to(listener.localAddress())) {
      peer.request();
      ConnectionRequest request = Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE));
      try (var server = new Endpoint(device, request.connection(), CAPACITY, 64);
          MemoryRegion _ = receives(server);
          MemoryRegion window = window(server)) {
        var accepted =
            CompletableFuture.runAsync(() -> {
              try {
                request.accept(SoftPair.ENDLESS, Endpoint.PATIENCE);
              } catch (VerbsException | InterruptedException e) {
                throw new CompletionException(e);
              }
            });
        peer.establish();
        accepted.join();
        say(peer, aimed(bytes, window));
        requireDisconnected(server);
        requireUntouched(server);
      }
    }
  }

  /**
   * @param established whether the connection is accepted before the bytes come
   */
  private static void toCaller(SoftDevice device, byte[] bytes, boolean established)
      throws Exception {
    try (ServerSocket socket = RawPeer.listen()) {
      var address = (InetSocketAddress) socket.getLocalSocketAddress();
      Connection connection = device.resolve(address, Endpoint.PATIENCE);
      try (var client = new Endpoint(device, connection, CAPACITY, 64);
          MemoryRegion _ = receives(client);
          MemoryRegion window = window(client)) {
        CompletableFuture<byte[]> connected = SoftPair.connectInBackground(connection);
        try (RawPeer peer = RawPeer.from(socket)) {
          peer.hear(Frame.GREETING_BYTES + RawPeer.managing(Frame.Type.REQUEST).length);
          if (established) {
            peer.say(RawPeer.greeting(Frame.VERSION), RawPeer.managing(Frame.Type.ACCEPT));
            connected.join();
          }
          say(peer, aimed(bytes, window));
          if (isEstablished(connected)) {
            requireDisconnected(client);
          }
        }
        requireUntouched(client);
      }
    }
  }

  /** Posts two receives, in memory that only they may write to. */
  private static MemoryRegion receives(Endpoint end) throws VerbsException {
    end.region.close();
    MemoryRegion region =
        end.domain.register(end.memory.asSlice(0, RECEIVES), EnumSet.of(Access.LOCAL_WRITE));
    for (int at = 0; at < RECEIVES; at += RECEIVES / 2) {
      end.queuePair.postReceive(
          end.receiveRequest.fill(at, region.address() + at, RECEIVES / 2, region.localKey()));
    }
    return region;
  }

  private static MemoryRegion window(Endpoint end) throws VerbsException {
    return end.domain.register(end.memory.asSlice(WINDOW_START, WINDOW_LENGTH), Endpoint.ALL);
  }

  /** Replaces the key and address of the window in the RDMA writes of a stream of frames. */
  private static byte[] aimed(byte[] bytes, MemoryRegion window) {
    ByteBuffer frames = ByteBuffer.wrap(bytes.clone());
    long at = 0;
    while (at + Frame.HEADER_BYTES <= bytes.length) {
      int header = (int) at;
      if (frames.get(header) == RDMA_WRITE && frames.getInt(header + 24) == WINDOW_KEY) {
        frames.putLong(header + 16, frames.getLong(header + 16) + window.address());
        frames.putInt(header + 24, window.remoteKey());
      }
      at += Frame.HEADER_BYTES + Integer.toUnsignedLong(frames.getInt(header + 4));
    }
    return frames.array();
  }

  /** Sends the bytes, and ends the stream. */
  private static void say(RawPeer peer, byte[] bytes) throws IOException {
    try {
      peer.say(bytes);
      peer.socket().shutdownOutput();
    } catch (SocketException e) {
      // The device has closed the connection already.
    }
  }

  /** Waits for the result of connecting, which the input may have accepted. */
  private static boolean isEstablished(CompletableFuture<byte[]> connected) {
    try {
      connected.join();
      return true;
    } catch (CompletionException e) {
      if (e.getCause() instanceof VerbsException) {
        return false;
      }
      throw e;
    }
  }

  private static void requireDisconnected(Endpoint end) throws Exception {
    ConnectionEvent event = end.connection.nextEvent(Endpoint.PATIENCE);
    require(
        event != null && event.type() == ConnectionEvent.Type.DISCONNECTED,
        "the end of the connection was reported as " + event);
  }

  private static void requireUntouched(Endpoint end) {
    int windowEnd = WINDOW_START + WINDOW_LENGTH;
    for (MemorySegment outside :
        List.of(
            end.memory.asSlice(RECEIVES, WINDOW_START - RECEIVES), end.memory.asSlice(windowEnd))) {
      byte[] zeros = new byte[(int) outside.byteSize()];
      long at = outside.mismatch(MemorySegment.ofArray(zeros));
      require(at < 0, "memory was written that is not registered for it");
    }
  }

  private static void requireServing(SoftDevice device) throws Exception {
    try (SoftPair pair = SoftPair.connect(device, device)) {
      pair.server().receive(1, 0, 8);
      pair.client().send(2, 0, 8);
      require(pair.server().received().workRequestId() == 1, "no honest connection is served");
    }
  }

  private static long allocatedByThreadOf(SoftDevice device) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(device.name()))
        .mapToLong(thread -> THREADS.getThreadAllocatedBytes(thread.threadId()))
        .sum();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
