// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/** One end of a connection whose peer is in this process; guarded by the fabric's lock. */
final class LocalConnection extends SoftConnection {
  private final SoftFabric fabric;

  /** The port that this end occupies; 0 for a server, whose port is the listener's. */
  private final int port;

  private @Nullable LocalConnection peer;
  private @Nullable LocalRequester requester;
  private @Nullable LocalResponder responder;

  /** Client: where its request waits, or waited. */
  private @Nullable LocalListener listener;

  /** Client: what it told the server. */
  private byte[] requestData = {};

  /** Who sees what the connection carries. */
  private WireTap.@Nullable Line line;

  /** How often the peer is to repeat a message that finds no receive here. */
  private int rnrRetriesOfPeer;

  private LocalConnection(
      FabricManager manager,
      InetSocketAddress local,
      InetSocketAddress remote,
      int port,
      State state) {
    super(manager, local, remote, state);
    this.fabric = manager.fabric();
    this.port = port;
  }

  /** A client with a port of its own. */
  static LocalConnection resolved(
      FabricManager manager, InetSocketAddress local, InetSocketAddress remote) {
    return new LocalConnection(manager, local, remote, local.getPort(), State.RESOLVED);
  }

  /** Whether this end has asked for the connection. */
  boolean isClient() {
    return port != 0;
  }

  SoftFabric fabric() {
    return fabric;
  }

  @Override
  public Requester requester(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var created = new LocalRequester(this, owner, queue, completions);
    requester = created;
    return created;
  }

  @Override
  public Responder responder(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var created = new LocalResponder(owner, queue, completions);
    responder = created;
    return created;
  }

  @Override
  void request(ConnectionParameters parameters, Duration timeout) throws VerbsException {
    Time.affectsAll();
    rnrRetriesOfPeer = parameters.rnrRetryCount();
    requestData = parameters.privateData();
    byte[] lie = fabric.impostorsAnswer(requestData);
    if (lie != null) {
      throw new ConnectionRejectedException(
          "%s has rejected the request".formatted(peer()),
          true,
          Arrays.copyOf(lie, ConnectionRequest.MAX_REJECT_PRIVATE_DATA));
    }
    LocalListener target = fabric.listener(remoteAddress().getPort());
    if (target == null) {
      throw new ConnectionRejectedException(
          "nobody listens on %s; start the other side first".formatted(peer()), false, new byte[0]);
    }
    if (!target.takes(localAddress())) {
      throw new ConnectionRejectedException(
          "%s has as many requests waiting as it allows; try again later".formatted(peer()),
          true,
          new byte[ConnectionRequest.MAX_REJECT_PRIVATE_DATA]);
    }
    var server =
        new LocalConnection(
            target.manager(), target.localAddress(), localAddress(), 0, State.REQUESTED);
    target.manager().add(server);
    server.peer = this;
    peer = server;
    listener = target;
    enter(State.CONNECTING);
    target.add(
        new SoftConnectionRequest(
            Arrays.copyOf(parameters.privateData(), ConnectionParameters.MAX_CONNECT_PRIVATE_DATA),
            server));
  }

  @Override
  void withdrawRequest() throws VerbsException {
    Time.affectsAll();
    if (listener != null && peer != null && listener.remove(peer)) {
      peer.close();
    }
  }

  @Override
  VerbsException requestFailed() {
    return wrongState("connect");
  }

  @Override
  void establish(SoftQueuePair own, ConnectionParameters parameters) throws VerbsException {
    Time.affectsAll();
    LocalConnection client = peer;
    SoftQueuePair other = client == null ? null : client.queuePair();
    if (client == null || other == null || client.state() != State.CONNECTING) {
      throw gaveUp();
    }
    rnrRetriesOfPeer = parameters.rnrRetryCount();
    tap(client, other, own, parameters);
    wire(client);
    client.wire(this);
    if (!own.connect(client.rnrRetriesOfPeer) || !other.connect(rnrRetriesOfPeer)) {
      fail(State.FAILED);
      client.fail(State.FAILED);
      throw new VerbsException(
          Errno.EINVAL, "a queue pair of the connection failed or was destroyed before");
    }
    enter(State.CONNECTED);
    client.answered(
        Arrays.copyOf(parameters.privateData(), ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA));
    client.enter(State.CONNECTED);
  }

  @Override
  void takeBack() {
    // It is established as soon as it has been accepted.
  }

  private void tap(
      LocalConnection client,
      SoftQueuePair clients,
      SoftQueuePair own,
      ConnectionParameters accepting) {
    WireTap tap = device.tap();
    if (tap != null) {
      WireTap.@Nullable Line tapped =
          tap.connected(
              clients.number(),
              own.number(),
              localAddress().getPort(),
              client.requestData,
              accepting.privateData());
      line = tapped;
      client.line = tapped;
      if (tapped != null && requester != null && client.requester != null) {
        requester.setLine(tapped, false);
        client.requester.setLine(tapped, true);
      }
    }
  }

  private void wire(LocalConnection other) {
    if (requester != null && other.responder != null) {
      requester.setPeer(other.responder);
    }
  }

  @Override
  void sendReject(byte[] privateData) {
    Time.affectsAll();
    if (peer != null && peer.state() == State.CONNECTING) {
      peer.answered(privateData);
      peer.fail(State.REJECTED);
    }
  }

  @Override
  void sendDisconnect() {
    Time.affectsAll();
    if (line != null) {
      line.disconnects(listener != null);
    }
    if (peer != null) {
      peer.reportLoss(ConnectionEvent.Type.DISCONNECTED, 0);
    }
  }

  @Override
  void cutCable() {
    Time.affectsAll();
    cutHere();
    if (peer != null) {
      peer.cutHere();
    }
  }

  private void cutHere() {
    if (requester != null) {
      requester.cut();
    }
    reportLoss(ConnectionEvent.Type.DISCONNECTED, 0);
  }

  @Override
  void dropPeer(boolean established) {
    if (established) {
      sendDisconnect();
    }
  }

  @Override
  void release() {
    if (port != 0) {
      fabric.freePort(port);
    }
  }
}
