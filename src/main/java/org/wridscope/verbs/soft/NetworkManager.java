// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.common.Timeout;

/** The connection manager of a device whose connections are TCP connections. */
final class NetworkManager extends ConnectionManager {
  private static final int FIRST_UNPRIVILEGED_PORT = 1024;

  private final NetworkThread thread;

  NetworkManager(SoftDevice device, NetworkThread thread) {
    super(device, new ReentrantLock());
    this.thread = thread;
  }

  NetworkThread thread() {
    return thread;
  }

  @Override
  ConnectionListener listen(InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    lock().lock();
    try {
      device().checkAlive();
      return listen(bind(address, backlog), address.getAddress(), backlog, admitted);
    } catch (VerbsException e) {
      throw e;
    } catch (IOException e) {
      throw new VerbsException(
          Errno.EIO, "cannot listen on %s: %s".formatted(address, e.getMessage()));
    } finally {
      lock().unlock();
    }
  }

  /** {@link SoftNetwork#listen}. */
  ConnectionListener listen(ServerSocketChannel listening, int backlog) throws IOException {
    lock().lock();
    try {
      listening.configureBlocking(false);
      var local = (InetSocketAddress) listening.getLocalAddress();
      return listen(listening, local.getAddress(), backlog, _ -> true);
    } finally {
      lock().unlock();
    }
  }

  /** The lock is held. */
  private ConnectionListener listen(
      ServerSocketChannel channel,
      InetAddress address,
      int backlog,
      Predicate<InetAddress> admitted)
      throws IOException {
    try {
      var local = (InetSocketAddress) channel.getLocalAddress();
      var listener =
          new NetworkListener(
              this, channel, new InetSocketAddress(address, local.getPort()), backlog, admitted);
      add(listener);
      thread.execute(listener::register);
      return listener;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static ServerSocketChannel bind(InetSocketAddress address, int backlog)
      throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(familyOf(address.getAddress()));
    try {
      channel.configureBlocking(false);
      // Requests wait in the listener; the kernel's queue is for connections without a request.
      channel.bind(address, Math.max(backlog, NetworkLimits.DEFAULT.pendingPeers()));
      return channel;
    } catch (BindException e) {
      channel.close();
      boolean mayNot =
          address.getPort() != 0
              && address.getPort() < FIRST_UNPRIVILEGED_PORT
              && String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("permi");
      throw mayNot
          ? new VerbsException(
              Errno.EACCES,
              "port %d is reserved for privileged programs; choose one above %d"
                  .formatted(address.getPort(), FIRST_UNPRIVILEGED_PORT))
          : new VerbsException(
              Errno.EADDRINUSE,
              "Port %d is in use; choose another one.".formatted(address.getPort()));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static ProtocolFamily familyOf(InetAddress address) {
    return address instanceof Inet4Address
        ? StandardProtocolFamily.INET
        : StandardProtocolFamily.INET6;
  }

  @Override
  Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException {
    device().checkAlive();
    var target =
        new InetSocketAddress(LocalAddresses.reachable(destination), destination.getPort());
    SocketChannel channel = connect(target, timeout);
    try {
      var local = (InetSocketAddress) channel.getLocalAddress();
      lock().lock();
      try {
        var connection = NetworkConnection.resolved(this, local, target, channel);
        add(connection);
        connection.register();
        return connection;
      } finally {
        lock().unlock();
      }
    } catch (IOException e) {
      close(channel);
      throw e instanceof VerbsException known
          ? known
          : new VerbsException(Errno.ENETUNREACH, target + " is gone: " + e.getMessage());
    }
  }

  /** Opens a TCP connection and makes it non-blocking. */
  static SocketChannel connect(InetSocketAddress target, Duration timeout)
      throws VerbsException, InterruptedException {
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open(familyOf(target.getAddress()));
      prepare(channel);
      long millis = Math.clamp(Timeout.nanos(timeout) / 1_000_000, 1, Integer.MAX_VALUE);
      channel.socket().connect(target, (int) millis);
      channel.configureBlocking(false);
      return channel;
    } catch (ConnectException e) {
      close(channel);
      throw new ConnectionRejectedException(
          "nobody listens on %s; start the other side first".formatted(Addresses.text(target)),
          false,
          new byte[0]);
    } catch (ClosedByInterruptException e) {
      Thread.interrupted();
      throw new InterruptedException();
    } catch (SocketTimeoutException e) {
      close(channel);
      throw new VerbsException(
          Errno.ETIMEDOUT,
          "%s does not answer within %d ms; check its address and the firewalls on the way"
              .formatted(target, timeout.toMillis()));
    } catch (IOException | UnsupportedOperationException e) {
      close(channel);
      throw new VerbsException(
          Errno.ENETUNREACH,
          "there is no route to %s: %s"
              .formatted(target.getAddress().getHostAddress(), e.getMessage()));
    }
  }

  /** Sets the options of a socket. The kernel sizes its buffers, better than any fixed size. */
  static void prepare(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  static void close(@Nullable SocketChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new IllegalStateException("a socket cannot be closed", e);
      }
    }
  }
}
