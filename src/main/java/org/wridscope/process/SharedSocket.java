// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Folder;

/**
 * A listening TCP socket that two processes of this machine have, so that no third one can listen
 * on its port when one of them ends, and no connection that waits there is lost. It passes as a
 * descriptor in a message between unix-domain sockets ({@code SCM_RIGHTS} in unix(7)).
 */
public final class SharedSocket {
  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_ACCEPTCONN = 30;
  private static final int SCM_RIGHTS = 1;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;

  /** Longer than each socket address here. */
  private static final int ADDRESS_BYTES = 128;

  /** {@code struct cmsghdr} with one descriptor, and with its padding. */
  private static final int CONTROL_LENGTH = 20;

  private static final int CONTROL_SPACE = 24;
  private static final int MESSAGE_HEADER_BYTES = 56;
  private static final int VECTOR_BYTES = 16;
  private static final int MOST_TOKEN_BYTES = 64;

  /** More than wait in any inbox (net.unix.max_dgram_qlen), to which others may add meanwhile. */
  private static final int MOST_MESSAGES = 4096;

  private SharedSocket() {}

  /** Where a process takes a socket. The kernel gives it a name that no other has. */
  public static final class Inbox implements AutoCloseable {
    private final Descriptor socket;
    private final String name;

    /** Opens it. */
    public Inbox() throws IOException {
      socket = datagrams();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        // Only a family: a name is chosen.
        SystemCall.BIND.call(socket.number(), address.address(), Short.BYTES);
        byte[] bound = nameOf(socket.number());
        name = HexFormat.of().formatHex(bound, Short.BYTES, bound.length);
      } catch (IOException e) {
        socket.close();
        throw e;
      }
    }

    /** For {@link #send}; any process on this machine can see it. */
    public String name() {
      return name;
    }

    /**
     * Takes what was sent with this token, and nothing else; does not wait.
     *
     * @return null if nothing was
     */
    public @Nullable Descriptor take(byte[] token) throws IOException {
      try (Arena arena = Arena.ofConfined()) {
        var message = new Message(arena, MOST_TOKEN_BYTES);
        for (int taken = 0; taken < MOST_MESSAGES; taken++) {
          int length;
          message.reset();
          try {
            length =
                (int)
                    SystemCall.RECVMSG.call(
                        socket.number(), message.header.address(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
          } catch (SystemCallException e) {
            if (e.errno() == SystemCallException.EAGAIN) {
              return null;
            }
            if (e.errno() == SystemCallException.EINTR) {
              continue;
            }
            throw e;
          }
          Descriptor passed = message.descriptor();
          if (passed != null) {
            if (Arrays.equals(message.content(length), token)) {
              return passed;
            }
            passed.close();
          }
        }
        return null;
      }
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  /** {@code struct msghdr} with one part and room for one descriptor. */
  private static final class Message {
    final MemorySegment header;
    private final MemorySegment content;
    private final MemorySegment control;

    Message(Arena arena, int bytes) {
      header = arena.allocate(MESSAGE_HEADER_BYTES, Long.BYTES);
      content = arena.allocate(bytes);
      control = arena.allocate(CONTROL_SPACE, Long.BYTES);
      MemorySegment vector = arena.allocate(VECTOR_BYTES, Long.BYTES);
      vector.set(ValueLayout.JAVA_LONG, 0, content.address());
      vector.set(ValueLayout.JAVA_LONG, 8, bytes);
      header.set(ValueLayout.JAVA_LONG, 16, vector.address());
      header.set(ValueLayout.JAVA_LONG, 24, 1);
      header.set(ValueLayout.JAVA_LONG, 32, control.address());
      reset();
    }

    /** Makes it ready to receive, with no room for a second descriptor, which would stay open. */
    void reset() {
      header.set(ValueLayout.JAVA_LONG, 40, CONTROL_LENGTH);
      control.fill((byte) 0);
    }

    /** Has it sent to an address. */
    void to(MemorySegment address, int bytes) {
      header.set(ValueLayout.JAVA_LONG, 0, address.address());
      header.set(ValueLayout.JAVA_INT, 8, bytes);
    }

    void put(byte[] bytes, int descriptor) {
      MemorySegment.copy(bytes, 0, content, ValueLayout.JAVA_BYTE, 0, bytes.length);
      control.set(ValueLayout.JAVA_LONG, 0, CONTROL_LENGTH);
      control.set(ValueLayout.JAVA_INT, 8, SOL_SOCKET);
      control.set(ValueLayout.JAVA_INT, 12, SCM_RIGHTS);
      control.set(ValueLayout.JAVA_INT, 16, descriptor);
    }

    byte[] content(int length) {
      return content.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The descriptor that came with it, now one of this process; null if none did. */
    @Nullable Descriptor descriptor() {
      boolean came =
          header.get(ValueLayout.JAVA_LONG, 40) >= CONTROL_LENGTH
              && control.get(ValueLayout.JAVA_LONG, 0) == CONTROL_LENGTH
              && control.get(ValueLayout.JAVA_INT, 8) == SOL_SOCKET
              && control.get(ValueLayout.JAVA_INT, 12) == SCM_RIGHTS;
      return came ? Descriptor.of(control.get(ValueLayout.JAVA_INT, 16)) : null;
    }
  }

  /**
   * Sends the socket that listens on an address in this process.
   *
   * @param inbox the {@linkplain Inbox#name name} of that of another process
   * @param token that the other process expects
   * @throws IOException if there is no such socket, or it cannot be sent; one sentence
   */
  public static void send(String inbox, byte[] token, InetSocketAddress listening)
      throws IOException {
    int number = listener(listening);
    byte[] name = HexFormat.of().parseHex(inbox);
    try (Descriptor socket = datagrams();
        Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, Short.BYTES, name.length);
      var message = new Message(arena, token.length);
      message.put(token, number);
      message.to(address, Short.BYTES + name.length);
      SystemCall.SENDMSG.call(
          socket.number(), message.header.address(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  }

  /**
   * A socket that was passed, as a channel of this process. Its standard input is replaced by it,
   * because that is where Java takes a socket over ({@link System#inheritedChannel}), once only.
   */
  public static ServerSocketChannel channel(Descriptor passed) throws IOException {
    SystemCall.DUP3.call(passed.number(), 0, 0);
    passed.close();
    Channel channel = System.inheritedChannel();
    if (channel instanceof ServerSocketChannel listening) {
      return listening;
    }
    throw new IOException("What was passed is no listening socket.");
  }

  private static Descriptor datagrams() throws SystemCallException {
    return Descriptor.of(SystemCall.SOCKET.call(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  }

  /** The descriptor of this process that listens on an address. */
  private static int listener(InetSocketAddress address) throws IOException {
    for (Path link : Folder.entries(Path.of("/proc/self/fd"))) {
      int number = Integer.parseInt(link.getFileName().toString());
      if (listens(number, address)) {
        return number;
      }
    }
    throw new IOException("This process does not listen on %s.".formatted(address));
  }

  private static boolean listens(int number, InetSocketAddress address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
      length.set(ValueLayout.JAVA_INT, 0, Integer.BYTES);
      SystemCall.GETSOCKOPT.call(
          number, SOL_SOCKET, SO_ACCEPTCONN, value.address(), length.address());
      return value.get(ValueLayout.JAVA_INT, 0) != 0 && address.equals(internet(nameOf(number)));
    } catch (IOException e) {
      // It is no socket, or was closed meanwhile.
      return false;
    }
  }

  /** {@code struct sockaddr} of a socket. */
  private static byte[] nameOf(int number) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
      MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
      length.set(ValueLayout.JAVA_INT, 0, ADDRESS_BYTES);
      SystemCall.GETSOCKNAME.call(number, address.address(), length.address());
      int used = Math.clamp(length.get(ValueLayout.JAVA_INT, 0), Short.BYTES, ADDRESS_BYTES);
      return address.asSlice(0, used).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** Null if it is not that of an internet socket. */
  private static @Nullable InetSocketAddress internet(byte[] address) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(address);
    int family = bytes.order(ByteOrder.nativeOrder()).getShort();
    int port = Short.toUnsignedInt(bytes.order(ByteOrder.BIG_ENDIAN).getShort());
    byte[] host;
    switch (family) {
      case AF_INET -> host = new byte[4];
      case AF_INET6 -> {
        // The flow.
        bytes.getInt();
        host = new byte[16];
      }
      default -> {
        return null;
      }
    }
    bytes.get(host);
    return new InetSocketAddress(InetAddress.getByAddress(host), port);
  }
}
