// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.DigestEntry;
import org.wridscope.protocol.DigestList;
import org.wridscope.telemetry.Wait;

/** Compares the RAM of two Wridscopes by its digests. The results may be read from any thread. */
final class RamComparison {
  private final Limits limits;
  private volatile List<BlockDigest> own = List.of();
  private volatile List<BlockDigest> peers = List.of();
  private volatile boolean done;

  RamComparison(Limits limits) {
    this.limits = limits;
  }

  /**
   * Exchanges digests with the peer.
   *
   * @param order names of the RAM blocks, in the order of the migration stream
   * @param answers whether to send digests only when those of the peer have come, so that neither
   *     end has a message on its way while it waits for its own SEND
   */
  void compare(Connected peer, RamDigester digester, List<String> order, boolean answers)
      throws IOException, InterruptedException {
    if (order.size() > DigestList.MAX_ENTRIES) {
      throw new MigrationException(
          "The guest has %d RAM blocks, but at most %d can be compared"
              .formatted(order.size(), DigestList.MAX_ENTRIES));
    }
    try (var worker = new DigestWorker(digester)) {
      peer.poller().await(worker::isDone, new Wait(Wait.Kind.DIGESTS), limits.work());
      own = inOrder(worker.result(), order);
    }
    if (!answers) {
      send(peer);
    }
    receive(peer);
    if (answers) {
      send(peer);
    }
  }

  private void send(Connected peer) throws IOException, InterruptedException {
    var list =
        new DigestList(own.stream().map(d -> new DigestEntry(d.length(), d.digest())).toList());
    list.encode(peer.control().payload());
    peer.control().send(ControlType.DIGESTS, 1);
  }

  private void receive(Connected peer) throws IOException, InterruptedException {
    Message message = peer.control().receive(ControlType.DIGESTS, limits.work());
    List<DigestEntry> theirs =
        DigestList.decode(message.payload(), message.header().length()).entries();
    peer.control().release(message);
    peers = named(theirs);
    done = true;
  }

  private static List<BlockDigest> inOrder(List<BlockDigest> digests, List<String> order) {
    Map<String, BlockDigest> named =
        digests.stream().collect(Collectors.toMap(BlockDigest::name, Function.identity()));
    return order.stream().map(named::get).toList();
  }

  /** The peer's digests, with the names of this side's blocks. */
  private List<BlockDigest> named(List<DigestEntry> entries) throws MigrationException {
    List<BlockDigest> mine = own;
    if (entries.size() != mine.size()) {
      throw new MigrationException(
          "The peer sent digests of %d RAM blocks, but there are %d here."
              .formatted(entries.size(), mine.size()));
    }
    var digests = new ArrayList<BlockDigest>();
    for (int i = 0; i < mine.size(); i++) {
      DigestEntry entry = entries.get(i);
      digests.add(new BlockDigest(mine.get(i).name(), entry.length(), entry.digest()));
    }
    return List.copyOf(digests);
  }

  /** Whether the digests of both ends are known. */
  boolean isDone() {
    return done;
  }

  /** Whether the digests of both ends are known and equal. */
  boolean isEqual() {
    return done && own.equals(peers);
  }

  /** Names of the RAM blocks that differ. */
  List<String> different() {
    List<BlockDigest> mine = own;
    return peers.stream().filter(digest -> !mine.contains(digest)).map(BlockDigest::name).toList();
  }

  /** Digests of this side's RAM blocks at the switch-over; empty until known. */
  List<BlockDigest> own() {
    return own;
  }

  /** Digests of the peer's RAM blocks at the switch-over; empty until known. */
  List<BlockDigest> peers() {
    return peers;
  }
}
