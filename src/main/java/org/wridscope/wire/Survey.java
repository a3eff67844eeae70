// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/**
 * Finds out which queue pairs of a capture are connected. A packet names only the queue pair that
 * it goes to, so the other one is learned from the exchange of the communication managers, or, if
 * that was not captured, from acknowledgements: each has the number of a packet of the other
 * direction.
 */
final class Survey {
  private static final int MOST_DIRECTIONS = 1 << 12;
  private static final int MOST_VOTES = 64;
  private static final int MOST_NAMES = 64;
  private static final int MOST_NAMED = 3;

  /** Packets that are on the way at most before one is acknowledged. */
  private static final long MOST_ON_THE_WAY = 1 << 17;

  /** The packets to a queue pair from one host. */
  record Direction(Host source, Host destination, int queuePair) {}

  /** A connection, and which of its ends sends the packets of a direction. */
  record Found(WireConnection connection, int end) {}

  private record Asked(Host host, int id) {}

  private static final class Seen {
    boolean requests;
    long newest;
    int votes;
  }

  /** Directions that may be of one connection. */
  private record Pair(Direction one, Direction other) {}

  private final Map<Direction, Seen> seen = new LinkedHashMap<>();
  private final Map<Host, Map<Host, List<Direction>>> byHosts = new HashMap<>();
  private final Map<Pair, Integer> votes = new LinkedHashMap<>();
  private final Map<Asked, ManagementMessage> asked = new HashMap<>();
  private final Map<Direction, NavigableMap<Long, Found>> found = new HashMap<>();
  private final List<WireConnection> connections = new ArrayList<>();
  private final Map<Direction, Long> congested = new LinkedHashMap<>();
  private final Map<String, Long> managed = new LinkedHashMap<>();
  private long leftOut;

  /** Adds a packet. */
  void add(RocePacket packet) {
    String name = ManagementMessage.name(packet);
    if (!name.isEmpty() && (managed.containsKey(name) || managed.size() < MOST_NAMES)) {
      managed.merge(name, 1L, Long::sum);
    }
    if (packet.opcode() == Opcode.CONGESTION && congested.size() < MOST_DIRECTIONS) {
      congested.merge(direction(packet), 1L, Long::sum);
    }
    ManagementMessage message = ManagementMessage.of(packet);
    if (message != null) {
      managed(packet, message);
    } else if (Opcode.isReliable(packet.opcode())) {
      carried(packet);
    }
  }

  private static Direction direction(RocePacket packet) {
    return new Direction(packet.source(), packet.destination(), packet.queuePair());
  }

  private void managed(RocePacket packet, ManagementMessage message) {
    if (message.kind() == ManagementMessage.Kind.REQUEST) {
      if (asked.size() < MOST_DIRECTIONS) {
        asked.put(new Asked(packet.source(), message.localId()), message);
      }
    } else if (message.kind() == ManagementMessage.Kind.REPLY) {
      ManagementMessage request = asked.get(new Asked(packet.destination(), message.remoteId()));
      if (request != null && connections.size() < MOST_DIRECTIONS) {
        asked.remove(new Asked(packet.destination(), message.remoteId()));
        add(
            new WireConnection(
                connections.size(),
                new Side(packet.destination(), request.queuePair()),
                new Side(packet.source(), message.queuePair()),
                request.privateData(),
                message.privateData()),
            packet.nanos());
      }
    }
  }

  private void add(WireConnection connection, long from) {
    connections.add(connection);
    for (int end = 0; end < 2; end++) {
      Side me = connection.side(end);
      Side peer = connection.side(1 - end);
      if (peer.queuePair() != Side.UNKNOWN) {
        found
            .computeIfAbsent(
                new Direction(me.host(), peer.host(), peer.queuePair()), _ -> new TreeMap<>())
            .put(from, new Found(connection, end));
      }
    }
  }

  private void carried(RocePacket packet) {
    Direction direction = direction(packet);
    if (found.containsKey(direction)) {
      return;
    }
    Seen mine = seen.get(direction);
    if (mine == null) {
      if (seen.size() == MOST_DIRECTIONS) {
        leftOut++;
        return;
      }
      mine = new Seen();
      mine.newest = packet.psn();
      seen.put(direction, mine);
      byHosts
          .computeIfAbsent(packet.source(), _ -> new HashMap<>())
          .computeIfAbsent(packet.destination(), _ -> new ArrayList<>())
          .add(direction);
    }
    if (!Opcode.isResponse(packet.opcode())) {
      mine.newest =
          mine.requests ? Math.max(mine.newest, Psn.near(packet.psn(), mine.newest)) : packet.psn();
      mine.requests = true;
    } else if (mine.votes < MOST_VOTES) {
      vote(direction, mine, packet);
    }
  }

  private void vote(Direction direction, Seen mine, RocePacket packet) {
    Direction best = null;
    long distance = MOST_ON_THE_WAY;
    for (Direction back :
        byHosts
            .getOrDefault(direction.destination(), Map.of())
            .getOrDefault(direction.source(), List.of())) {
      Seen theirs = seen.get(back);
      if (theirs != null && theirs.requests && !back.equals(direction)) {
        long behind = theirs.newest - Psn.near(packet.psn(), theirs.newest);
        if (behind >= 0 && behind < distance) {
          distance = behind;
          best = back;
        }
      }
    }
    if (best != null) {
      mine.votes++;
      votes.merge(new Pair(best, direction), 1, Integer::sum);
    }
  }

  /** All packets were added: connects what was not connected before the eyes of the capture. */
  void finish() {
    var sums = new LinkedHashMap<Set<Direction>, Integer>();
    var order = new HashMap<Set<Direction>, Pair>();
    votes.forEach((pair, count) -> {
      Set<Direction> both = Set.of(pair.one, pair.other);
      sums.merge(both, count, Integer::sum);
      order.putIfAbsent(both, pair);
    });
    var taken = new HashSet<>(found.keySet());
    sums.entrySet().stream()
        .sorted(Map.Entry.<Set<Direction>, Integer>comparingByValue(Comparator.reverseOrder()))
        .map(each -> order.get(each.getKey()))
        .forEach(pair -> {
          if (pair != null && !taken.contains(pair.one) && !taken.contains(pair.other)) {
            taken.add(pair.one);
            taken.add(pair.other);
            // What goes to a queue pair names it.
            connect(
                new Side(pair.one.source(), pair.other.queuePair()),
                new Side(pair.one.destination(), pair.one.queuePair()));
          }
        });
    for (Map.Entry<Direction, Seen> each : seen.entrySet()) {
      Direction lone = each.getKey();
      if (each.getValue().requests && !taken.contains(lone)) {
        connect(
            new Side(lone.source(), Side.UNKNOWN), new Side(lone.destination(), lone.queuePair()));
      }
    }
  }

  private void connect(Side one, Side other) {
    add(
        new WireConnection(
            connections.size(), one, other, WireConnection.NOTHING, WireConnection.NOTHING),
        Long.MIN_VALUE);
  }

  List<WireConnection> connections() {
    return connections;
  }

  /** What the packets say although there are no requests, in sentences; may be empty. */
  String refusal() {
    var all = new ArrayList<String>();
    if (!congested.isEmpty()) {
      all.add(
          "The congestion notifications are to %s: a switch marked packets that it sent, which the capture lacks."
              .formatted(
                  Format.listed(
                      congested.keySet().stream()
                          .map(each -> new Side(each.destination, each.queuePair).toString())
                          .toList(),
                      MOST_NAMED)));
    }
    if (!managed.isEmpty()) {
      all.add(
          "The communication managers' messages are %s."
              .formatted(
                  managed.entrySet().stream()
                      .map(each -> Format.count(each.getValue()) + " " + each.getKey())
                      .collect(Collectors.joining(", "))));
    }
    if (!seen.isEmpty()) {
      all.add(
          "The acknowledgements and responses answer requests of the other direction, which the capture lacks.");
    }
    return String.join(" ", all);
  }

  /** Packets of more connections than are kept apart. */
  long leftOut() {
    return leftOut;
  }

  /**
   * The connection of a packet; null when it is of none that is shown.
   *
   * @param queuePair of the receiver, that it is for or about
   */
  @Nullable Found of(RocePacket packet, int queuePair) {
    return of(new Direction(packet.source(), packet.destination(), queuePair), packet.nanos());
  }

  /** The connection of a request whose completion was polled; null when it is not shown. */
  @Nullable Found of(Polled polled) {
    return of(
        new Direction(polled.source(), polled.destination(), polled.queuePair()), polled.nanos());
  }

  private @Nullable Found of(Direction direction, long nanos) {
    NavigableMap<Long, Found> known = found.get(direction);
    Map.Entry<Long, Found> at = known == null ? null : known.floorEntry(nanos);
    return at == null ? null : at.getValue();
  }
}
