// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** A listener of a device. Its lock guards the native identifier. */
final class NativeListener implements ConnectionListener {
  private static final Logger LOG = LoggerFactory.getLogger(NativeListener.class);

  private final NativeDevice device;
  private final ConnectionId id;
  private final InetSocketAddress address;
  private final Predicate<InetAddress> admitted;
  private boolean closed;

  private NativeListener(NativeDevice device, ConnectionId id, Predicate<InetAddress> admitted) {
    this.device = device;
    this.id = id;
    this.admitted = admitted;
    address = id.localAddress();
  }

  static NativeListener listen(
      NativeDevice device, InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    ConnectionId id = ConnectionId.create();
    boolean listening = false;
    try {
      id.bind(address);
      // A wildcard address binds to no device.
      boolean isAny = address.getAddress().isAnyLocalAddress();
      if (id.context() != device.adapter().context() && !(isAny && id.context() == 0)) {
        throw notOnDevice(device, address);
      }
      id.listen(backlog);
      listening = true;
      return new NativeListener(device, id, admitted);
    } catch (NativeCallException e) {
      throw refused(device, address, e);
    } catch (IOException e) {
      throw Installation.wrap("listening on " + Addresses.text(address), e);
    } finally {
      if (!listening) {
        id.destroy();
        id.destroyChannel();
      }
    }
  }

  private static VerbsException refused(
      NativeDevice device, InetSocketAddress address, NativeCallException e) {
    String text = Addresses.text(address);
    return switch (Errno.of(e.errno())) {
      case EADDRINUSE ->
          new VerbsException(
              Errno.EADDRINUSE,
              "cannot listen on %s: another program uses that port; choose another one"
                  .formatted(text));
      case EADDRNOTAVAIL ->
          new VerbsException(
              Errno.EADDRNOTAVAIL,
              "cannot listen on %s: %s is not an address of this machine"
                  .formatted(text, address.getAddress().getHostAddress()));
      case ENODEV -> notOnDevice(device, address);
      case EACCES ->
          new VerbsException(
              Errno.EACCES,
              "cannot listen on %s: this user may not; choose a port above 1023".formatted(text));
      default -> Installation.failed("listening on " + text, e);
    };
  }

  private static VerbsException notOnDevice(NativeDevice device, InetSocketAddress address) {
    String owner = "no interface";
    try {
      NetworkInterface found = NetworkInterface.getByInetAddress(address.getAddress());
      if (found != null) {
        owner = "interface " + found.getName();
      }
    } catch (SocketException e) {
      // Then the message does not name it.
    }
    return new VerbsException(
        Errno.EADDRNOTAVAIL,
        "cannot listen on %s: that address (%s) is not on the RDMA device %s; choose one that is"
            .formatted(Addresses.text(address), owner, device.name()));
  }

  @Override
  public InetSocketAddress localAddress() {
    return address;
  }

  @Override
  public @Nullable ConnectionRequest nextRequest(Duration timeout)
      throws VerbsException, InterruptedException {
    return id.next(timeout, this::take);
  }

  private synchronized @Nullable ConnectionRequest take()
      throws NativeCallException, VerbsException {
    CmEvent event = id.take();
    if (event == null) {
      return null;
    }
    return switch (event.type()) {
      case CONNECT_REQUEST -> request(event);
      case DEVICE_REMOVAL ->
          throw new VerbsException(
              Errno.ENODEV,
              "the RDMA device %s was removed from this machine and does not listen any more"
                  .formatted(device.name()));
      default -> null;
    };
  }

  private @Nullable ConnectionRequest request(CmEvent event) throws VerbsException {
    if (ConnectionId.contextOf(event.id()) != device.adapter().context()) {
      // The request to a wildcard address arrived over another device.
      ConnectionId.destroyUnowned(event.id());
      return null;
    }
    InetSocketAddress peer = ConnectionId.peerOf(event.id());
    if (!admitted.test(peer.getAddress())) {
      LOG.info("{} is not allowed to connect to {}; it was refused", peer, address);
      ConnectionId.destroyUnowned(event.id());
      return null;
    }
    try {
      NativeConnection connection =
          device.make(
              "a connection",
              () -> NativeConnection.requested(device, ConnectionId.ofRequest(event.id())));
      return new NativeConnectionRequest(event.privateData(), connection);
    } catch (VerbsException e) {
      // For example when this process can open no more files, of which each request takes one.
      LOG.info("the request of {} to {} was rejected: {}", peer, address, e.getMessage());
      return null;
    }
  }

  @Override
  public void close() throws VerbsException {
    id.closeEvents();
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      id.destroy();
      id.destroyChannel();
    }
    device.forget();
  }
}
