// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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

  /**
   * Without the program, only the peers of later connections are known.
   *
   * @param device whose queue pairs are meant; null for those of all
   */
  static PeersBefore read(@Nullable String device) throws InterruptedException {
    List<QueuePairReading> queuePairs = List.of();
    Map<Long, Map<QueuePairReading.Key, String>> connections = Map.of();
    try {
      queuePairs = QueuePairReading.list();
      connections = PeerAddress.ofConnections();
    } catch (IOException e) {
      LOG.info("the peers of existing connections are not known: {}", e.getMessage());
    }
    return of(queuePairs, connections, device);
  }

  /**
   * The peers by numbers. What a probe sees does not tell the device, so of a number that a process
   * has on two of them no peer is known.
   *
   * @param device whose queue pairs are meant; null for those of all
   */
  static PeersBefore of(
      List<QueuePairReading> queuePairs,
      Map<Long, Map<QueuePairReading.Key, String>> connections,
      @Nullable String device) {
    Map<Long, Map<QueuePairReading.Key, Optional<Peer>>> all = new HashMap<>();
    for (QueuePairReading each : queuePairs) {
      boolean known = each.isConnected() && each.remote() != null;
      all.computeIfAbsent(each.pid(), _ -> new HashMap<>())
          .put(
              each.key(),
              known ? Optional.of(new Peer(each.remoteName(), false)) : Optional.empty());
    }
    connections.forEach((pid, of) ->
        of.forEach((key, address) ->
            all.computeIfAbsent(pid, _ -> new HashMap<>())
                .put(key, Optional.of(new Peer(address, true)))));
    Map<Long, Map<Integer, Peer>> peers = new HashMap<>();
    all.forEach((pid, of) -> {
      of.keySet().removeIf(key -> device != null && !key.device().equals(device));
      peers.put(pid, byNumber(of));
    });
    return new PeersBefore(peers);
  }

  private static Map<Integer, Peer> byNumber(Map<QueuePairReading.Key, Optional<Peer>> of) {
    Map<Integer, Peer> peers = new HashMap<>();
    Set<Long> seen = new HashSet<>();
    of.forEach((key, peer) -> {
      int number = (int) key.number();
      if (!seen.add(key.number())) {
        peers.remove(number);
      } else if (peer.isPresent()) {
        peers.put(number, peer.get());
      }
    });
    return peers;
  }

  /** Those of a process, by number of the queue pair. */
  Map<Integer, Peer> of(long pid) {
    return peers.getOrDefault(pid, Map.of());
  }
}
