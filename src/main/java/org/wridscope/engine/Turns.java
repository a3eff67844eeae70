// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is among those that wait at a destination, fairly by address: first the address
 * that has the fewest turns now, then the one that has had the fewest so far, then the one that
 * came last. Within an address the newest is first: those before it would have given up soonest,
 * and a source behind many that send nothing more would wait for all of them.
 *
 * <p>All addresses of an IPv6 network of 64 bits count as one, since a host has all of them; not
 * those of a link, each of which is a host's only one.
 *
 * @param <T> those that wait
 */
final class Turns<T> {
  /** Addresses whose turns are remembered; the one served longest ago is forgotten. */
  private static final int REMEMBERED = 4096;

  private static final int PREFIX_BYTES = 8;

  private final int most;
  private final Function<T, InetAddress> address;
  private final Map<InetAddress, Deque<Waiting<T>>> waiting = new HashMap<>();
  private final Map<InetAddress, Integer> had = new LinkedHashMap<>(16, 0.75f, true);
  private int size;
  private long arrivals;

  /** One that waits; later arrivals have greater numbers. */
  private record Waiting<T>(T caller, long number) {}

  /**
   * @param most how many may wait
   * @param address of one that waits
   */
  Turns(int most, Function<T, InetAddress> address) {
    this.most = most;
    this.address = address;
  }

  /** The address for which turns are counted. */
  static InetAddress party(InetAddress address) {
    if (!(address instanceof Inet6Address six)
        || six.isLinkLocalAddress()
        || six.isLoopbackAddress()) {
      return address;
    }
    byte[] network = six.getAddress();
    Arrays.fill(network, PREFIX_BYTES, network.length, (byte) 0);
    try {
      return InetAddress.getByAddress(network);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /**
   * Adds one.
   *
   * @return the one that has to leave, because too many wait: the oldest of the address with the
   *     most
   */
  @Nullable T add(T caller) {
    put(caller);
    if (size <= most) {
      return null;
    }
    Deque<Waiting<T>> longest = null;
    for (Deque<Waiting<T>> queue : waiting.values()) {
      if (longest == null
          || queue.size() > longest.size()
          || (queue.size() == longest.size()
              && queue.getFirst().number < longest.getFirst().number)) {
        longest = queue;
      }
    }
    return longest == null ? null : remove(longest, longest.removeFirst());
  }

  private void put(T caller) {
    waiting
        .computeIfAbsent(party(address.apply(caller)), _ -> new ArrayDeque<>())
        .addLast(new Waiting<>(caller, arrivals++));
    size++;
  }

  private T remove(Deque<Waiting<T>> queue, Waiting<T> removed) {
    if (queue.isEmpty()) {
      waiting.remove(party(address.apply(removed.caller)));
    }
    size--;
    return removed.caller;
  }

  /**
   * The one whose turn is next; null if none waits.
   *
   * @param having how many turns an address has now
   */
  @Nullable T next(ToIntFunction<InetAddress> having) {
    Map.Entry<InetAddress, Deque<Waiting<T>>> best = best(having);
    return best == null ? null : best.getValue().getLast().caller;
  }

  /** Takes the one whose turn is {@linkplain #next next}. */
  @Nullable T take(ToIntFunction<InetAddress> having) {
    Map.Entry<InetAddress, Deque<Waiting<T>>> best = best(having);
    if (best == null) {
      return null;
    }
    had.merge(best.getKey(), 1, Integer::sum);
    if (had.size() > REMEMBERED) {
      had.remove(had.keySet().iterator().next());
    }
    return remove(best.getValue(), best.getValue().removeLast());
  }

  private Map.@Nullable Entry<InetAddress, Deque<Waiting<T>>> best(
      ToIntFunction<InetAddress> having) {
    Map.Entry<InetAddress, Deque<Waiting<T>>> best = null;
    long rank = 0;
    for (Map.Entry<InetAddress, Deque<Waiting<T>>> entry : waiting.entrySet()) {
      InetAddress party = entry.getKey();
      long own =
          ((long) having.applyAsInt(party) << 32) + (had.containsKey(party) ? had.get(party) : 0);
      if (best == null
          || own < rank
          || (own == rank
              && entry.getValue().getLast().number > best.getValue().getLast().number)) {
        best = entry;
        rank = own;
      }
    }
    return best;
  }
}
