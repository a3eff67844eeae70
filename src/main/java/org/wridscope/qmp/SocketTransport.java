// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A unix-domain or TCP socket. */
final class SocketTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(SocketTransport.class);

  private final SocketChannel channel;
  private final Peer peer;

  /** Supplies the address, which may take long. */
  @FunctionalInterface
  private interface Peer {
    SocketAddress resolve() throws IOException;
  }

  private SocketTransport(SocketChannel channel, Peer peer) {
    this.channel = channel;
    this.peer = peer;
  }

  static SocketTransport unix(Path path) throws IOException {
    return new SocketTransport(
        SocketChannel.open(StandardProtocolFamily.UNIX), () -> existing(path));
  }

  static SocketTransport tcp(QmpAddress.Tcp address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return new SocketTransport(channel, () -> resolved(address));
  }

  private static SocketAddress existing(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new ConnectException("there is no such socket, or its directory may not be read");
    }
    return UnixDomainSocketAddress.of(path);
  }

  private static SocketAddress resolved(QmpAddress.Tcp address) throws IOException {
    InetSocketAddress resolved = address.resolve();
    if (resolved.isUnresolved()) {
      throw new ConnectException("the host name is not known");
    }
    return resolved;
  }

  @Override
  public void open() throws IOException {
    try {
      channel.connect(peer.resolve());
    } catch (SocketException e) {
      throw new ConnectException(reason(String.valueOf(e.getMessage())));
    }
  }

  private static String reason(String message) {
    return switch (message) {
      case "Connection refused" -> "connection refused, no program listens there";
      case "Permission denied" ->
          "permission denied, the socket belongs to another user; become that user or root";
      default -> message;
    };
  }

  @Override
  public int read(byte[] into) throws IOException {
    return channel.read(ByteBuffer.wrap(into));
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    for (ByteBuffer left = ByteBuffer.wrap(bytes); left.hasRemaining(); ) {
      channel.write(left);
    }
  }

  @Override
  public boolean isMixed() {
    return false;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing a QMP socket: {}", e.getMessage());
    }
  }
}
