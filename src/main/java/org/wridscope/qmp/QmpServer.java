// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for clients that speak the QEMU Machine Protocol (QEMU's {@code docs/interop/qmp-spec}),
 * and executes their commands. Each client has a thread that reads and one that writes; nobody else
 * waits for a client. There are at most {@value #MAX_CLIENTS}: a new one takes the place of one
 * that has not negotiated. Thread-safe.
 */
public final class QmpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QmpServer.class);

  static final int MAX_CLIENTS = 64;

  /** How long nobody is accepted after that has failed, for example for want of file handles. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** How long the end waits for clients to read the last messages. */
  private static final long LAST_WORDS_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final QmpAddress address;
  private final ServerSocketChannel channel;
  private final @Nullable SocketFile file;
  private final QemuVersion version;
  private final Map<String, Command> commands;

  /** In the order of connecting. Guarded by itself. */
  private final Set<ServerConnection> clients = new LinkedHashSet<>();

  private volatile boolean closed;

  private QmpServer(
      QmpAddress address,
      ServerSocketChannel channel,
      @Nullable SocketFile file,
      QemuVersion version,
      Map<String, Command> commands) {
    this.address = address;
    this.channel = channel;
    this.file = file;
    this.version = version;
    this.commands = commands;
  }

  /**
   * Listens at an address.
   *
   * @param address a unix-domain socket, or TCP on the loopback interface
   * @param access who may open a unix-domain socket; TCP requires {@link Access#USERS}
   * @param version what the greeting says
   * @param commands by their names, without those of the protocol itself
   * @throws IOException if that is not possible or not safe; the message is one sentence
   */
  public static QmpServer open(
      QmpAddress address, Access access, QemuVersion version, Map<String, Command> commands)
      throws IOException {
    QmpServer server =
        switch (address) {
          case QmpAddress.Unix unix -> unix(unix, access, version, commands);
          case QmpAddress.Tcp tcp -> tcp(tcp, access, version, commands);
          case QmpAddress.Ssh _, QmpAddress.Stdio _ ->
              throw new IOException(
                  "Wridscope cannot listen at %s; write unix:PATH or tcp:127.0.0.1:PORT."
                      .formatted(address));
        };
    Thread.ofPlatform().daemon().name("qmp server").start(server::accept);
    return server;
  }

  private static QmpServer unix(
      QmpAddress.Unix address, Access access, QemuVersion version, Map<String, Command> commands)
      throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      SocketFile file = SocketFile.bind(channel, address.path(), access);
      return new QmpServer(address, channel, file, version, commands);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static QmpServer tcp(
      QmpAddress.Tcp address, Access access, QemuVersion version, Map<String, Command> commands)
      throws IOException {
    InetSocketAddress local = address.resolve();
    if (local.isUnresolved() || !local.getAddress().isLoopbackAddress()) {
      throw new IOException(
          "%s is not an address of the loopback interface; write tcp:127.0.0.1:PORT, and reach it from other machines through ssh."
              .formatted(address));
    }
    if (access != Access.USERS) {
      throw new IOException(
          "Every user of this machine could connect to %s; use unix:PATH, or allow them with --qmp-allow users."
              .formatted(address));
    }
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.bind(local);
      return new QmpServer(address, channel, null, version, commands);
    } catch (IOException e) {
      channel.close();
      throw new IOException(
          "Cannot listen at %s (%s); choose another port.".formatted(address, e.getMessage()), e);
    }
  }

  /** Where it listens. */
  public QmpAddress address() {
    return address;
  }

  private void accept() {
    while (!closed) {
      try {
        begin(channel.accept());
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        LOG.warn("QMP at {}: {}", address, e.getMessage());
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void begin(SocketChannel accepted) throws IOException {
    var client = new ServerConnection(accepted, version, commands, this::ended);
    ServerConnection displaced = null;
    boolean taken;
    synchronized (clients) {
      if (clients.size() == MAX_CLIENTS) {
        displaced = clients.stream().filter(each -> !each.isNegotiated()).findFirst().orElse(null);
        clients.remove(displaced);
      }
      taken = !closed && clients.size() < MAX_CLIENTS && clients.add(client);
    }
    if (displaced != null) {
      displaced.close();
    }
    if (taken) {
      client.start();
    } else {
      refuse(accepted);
    }
  }

  private static void refuse(SocketChannel accepted) throws IOException {
    try (accepted) {
      accepted.configureBlocking(false);
      int _ =
          accepted.write(
              ByteBuffer.wrap(
                  ServerConnection.line(
                      ServerConnection.error(
                          new CommandException(
                              "%d clients are connected; end one of them."
                                  .formatted(MAX_CLIENTS))))));
    }
  }

  private void ended(ServerConnection client) {
    synchronized (clients) {
      clients.remove(client);
    }
  }

  private List<ServerConnection> clients() {
    synchronized (clients) {
      return List.copyOf(clients);
    }
  }

  /** Whether somebody could receive an event. */
  public boolean hasClients() {
    return clients().stream().anyMatch(ServerConnection::isNegotiated);
  }

  /**
   * Sends an event to all clients that have negotiated, without waiting; one that has stopped to
   * read is disconnected.
   *
   * @param data null for an event without data
   */
  public void event(String name, @Nullable JsonObject data, Instant when) {
    byte[] line = ServerConnection.line(ServerConnection.event(name, data, when));
    clients().forEach(client -> client.tell(line));
  }

  /** Ends all connections, and removes the socket. */
  @Override
  public void close() {
    closed = true;
    if (file != null) {
      file.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing {}: {}", address, e.getMessage());
    }
    List<ServerConnection> last = clients();
    last.forEach(ServerConnection::finish);
    long deadline = System.nanoTime() + LAST_WORDS_NANOS;
    last.forEach(client -> client.close(deadline - System.nanoTime()));
  }
}
