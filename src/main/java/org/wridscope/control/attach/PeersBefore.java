// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers of queue pairs that are connected already, as the program {@code rdma} tells them.
 *
 * @param peers by process and number of the queue pair
 */
record PeersBefore(Map<Long, Map<Integer, Peer>> peers) {
  /** Nothing is known. */
  static final PeersBefore NONE = new PeersBefore(Map.of());

  private static final Logger LOG = LoggerFactory.getLogger(PeersBefore.class);

  /**
   * A peer.
   *
   * @param name its address and port, or its queue pair
   * @param managed whether librdmacm connected it, so that its address is known
   */
  record Peer(String name, boolean managed) {}

  /** Without the program, only the peers of later connections are known. */
  static PeersBefore read() throws InterruptedException {
    Map<Long, Map<Integer, Peer>> all = new HashMap<>();
    try {
      for (QueuePairReading each : QueuePairReading.list()) {
        if (each.isConnected() && each.remote() != null) {
          all.computeIfAbsent(each.pid(), _ -> new HashMap<>())
              .put((int) each.number(), new Peer(each.remoteName(), false));
        }
      }
      PeerAddress.ofConnections()
          .forEach((pid, connections) ->
              connections.forEach((number, address) ->
                  all.computeIfAbsent(pid, _ -> new HashMap<>())
                      .put(number, new Peer(address, true))));
    } catch (IOException e) {
      LOG.info("the peers of existing connections are not known: {}", e.getMessage());
    }
    return new PeersBefore(all);
  }

  /** Those of a process, by number of the queue pair. */
  Map<Integer, Peer> of(long pid) {
    return peers.getOrDefault(pid, Map.of());
  }
}
