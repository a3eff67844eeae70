// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.common.RejectionLog;

/**
 * Where callers of a destination wait until one of them turns out to be its source. Several are
 * accepted at once, and the session waits for none of them alone: a caller that does not confirm,
 * sends nothing or sends garbage takes one place, and loses it when another caller needs it. {@link
 * Turns} decides which caller is next.
 *
 * <p>Belongs to the session's thread.
 */
final class Doorway implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Doorway.class);

  /** Most callers that are accepted at once; each has the buffers of control messages, 4 MiB. */
  static final int PLACES = 32;

  /** Most requests that wait for a place. */
  static final int WAITING = 1024;

  /**
   * How long a caller keeps its place at least when all are taken and no address has two places
   * more than that of the request that is next: some round trips of any network.
   */
  static final Duration GRACE = Duration.ofMillis(250);

  /** The same for one whose confirmation shows that its network is fast. */
  private static final Duration LEAST_GRACE = Duration.ofMillis(30);

  /** In which a QEMU with post-copy asks for its second connection. */
  private static final Duration SECOND_CONNECTION = Duration.ofSeconds(1);

  /**
   * The lead of a caller over the next: a source on a quiet network confirms in less, so that of
   * several sources the others need not be accepted in order to be turned away.
   */
  private static final Duration LEAD = Duration.ofMillis(5);

  /** Of so many turns, the last is that of the caller that has waited longest. */
  private static final int TURNS_OF_LAST = 4;

  private static final String NOT_ENOUGH =
      "There was not enough here for another caller; try again later.";

  /** How long a caller that is turned away may take to receive the reason. */
  private static final Duration TOLD = Duration.ofSeconds(1);

  /** Most requests that are taken before the callers are served again. */
  private static final int REQUESTS_AT_ONCE = 256;

  /** Between two checks of the callers: shortly after an event, and later. */
  private static final Duration SOON = Duration.ofMillis(1);

  private static final Duration LATER = Duration.ofMillis(10);

  /** For how long after an event {@link #SOON} applies. */
  private static final long LATELY_NANOS = 100_000_000;

  private final ConnectionListener listener;
  private final Gate gate;
  private final TurnedAway turnedAway;
  private final RejectionLog log =
      new RejectionLog(Time::nanos, line -> LOG.warn("a caller is not the source: {}", line));
  private final Turns<Asking> asking = new Turns<>(WAITING, asking -> asking.request.address());
  private final List<Caller> callers = new ArrayList<>();

  /** Callers that are being told why they are turned away, at most as many as places. */
  private final Deque<Caller> leaving = new ArrayDeque<>();

  /** How often callers of an address have been taken for a source. */
  private final Map<InetAddress, Integer> tried = new HashMap<>();

  /** How many callers have been taken for a source. */
  private int turns;

  /** When the last one was found to be none. */
  private long turnEnded;

  /**
   * For how many connections there is enough, as far as that is known: those of callers, of such
   * that are being told why they leave, and of the one that is tried as the source.
   */
  private int enough = Integer.MAX_VALUE;

  private long lastEvent = Time.nanos();

  /** The QEMU whose second connection was refused last. */
  private @Nullable InetAddress returnPath;

  /**
   * A request that may be accepted.
   *
   * @param again whether there was not enough for it before
   */
  private record Asking(IncomingRequest request, Caller.Terms terms, boolean again) {}

  /** Decides about requests. */
  interface Gate {
    /** What is granted to a request; null if it has been answered. */
    Caller.@Nullable Terms examine(
        IncomingRequest request, BiConsumer<IncomingRequest, String> refuse);

    /** Accepts a request, as {@link Caller#accept}. */
    Caller accept(IncomingRequest request, Caller.Terms terms) throws IOException;
  }

  Doorway(ConnectionListener listener, Gate gate, TurnedAway turnedAway) {
    this.listener = listener;
    this.gate = gate;
    this.turnedAway = turnedAway;
  }

  /**
   * Takes new requests, and what has come from the callers; fills free places.
   *
   * @param patience how long to wait for something to happen
   * @param taken the caller that is being tried as the source, if any
   * @throws IOException if the device failed, or has not enough for a caller although there is none
   */
  void attend(Duration patience, @Nullable Caller taken) throws IOException, InterruptedException {
    boolean any = takeRequests(callers.isEmpty() ? patience : shorter(patience));
    any |= attendCallers();
    attendLeaving();
    any |= fill(taken);
    if (any) {
      lastEvent = Time.nanos();
    }
  }

  private Duration shorter(Duration patience) {
    Duration look = Time.nanos() - lastEvent < LATELY_NANOS ? SOON : LATER;
    return patience.compareTo(look) < 0 ? patience : look;
  }

  private boolean takeRequests(Duration patience) throws IOException, InterruptedException {
    ConnectionRequest came = listener.nextRequest(patience);
    int taken = 0;
    while (came != null) {
      examine(new IncomingRequest(came));
      came = ++taken < REQUESTS_AT_ONCE ? listener.nextRequest(Duration.ZERO) : null;
    }
    return taken > 0;
  }

  private void examine(IncomingRequest request) throws InterruptedException {
    try {
      Caller.Terms terms = gate.examine(request, this::refuse);
      if (terms == null) {
        return;
      }
      if (isReturnPath(request)) {
        returnPath = request.address();
        refuse(request, Caller.SECOND_CONNECTION);
      } else {
        await(new Asking(request, terms, false));
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      // It may not have been answered, and the device keeps it until it has.
      request.reject(DestinationSession.MISTAKE);
      throw e;
    }
  }

  /**
   * Whether this is probably the second connection of the only caller, a QEMU with post-copy, which
   * makes it before it sends anything. After a refusal it can migrate again. A QEMU whose second
   * connection is accepted and fails then, asks for the return path from then on (7.2, {@code
   * rp_thread_created}).
   */
  private boolean isReturnPath(IncomingRequest request) throws InterruptedException {
    // The caller may have left.
    boolean _ = attendCallers();
    if (callers.size() != 1 || !asking.isEmpty()) {
      return false;
    }
    Caller only = callers.getFirst();
    return !only.isProven()
        && only.request().isFromQemu()
        && isSecond(request, only)
        && only.age() < SECOND_CONNECTION.toNanos();
  }

  private void await(Asking request) {
    Asking tooMany = asking.add(request);
    if (tooMany != null) {
      tooMany.request.reject("Too many sources want to connect here; try again later.");
      count(Reason.CROWDED_OUT, tooMany.request.address(), "Too many callers wait.");
    }
  }

  private void refuse(IncomingRequest request, String sentence) {
    request.reject(sentence);
    count(Reason.REFUSED, request.address(), sentence);
  }

  private void count(Reason reason, InetAddress address, String why) {
    turnedAway.add(reason, address);
    log.add(address.getHostAddress() + ": " + why);
  }

  /** Takes back a caller that was tried as the source, has no key, and is not the source. */
  void takeBack(Caller caller, Reason reason, String why) {
    caller.belongToNobody();
    dismiss(caller, why);
    turnedAway(caller, reason, why);
  }

  /** Counts a caller that was tried as the source, and whose connection has ended. */
  void turnedAway(Caller caller, Reason reason, String why) {
    turnEnded = Time.nanos();
    count(reason, caller.address(), why);
  }

  private boolean attendCallers() throws InterruptedException {
    boolean any = false;
    for (Caller caller : List.copyOf(callers)) {
      try {
        any |= caller.attend();
      } catch (StrangerException e) {
        turnAway(caller, e.reason(), String.valueOf(e.getMessage()));
        any = true;
      }
    }
    return any;
  }

  private void turnAway(Caller caller, Reason reason, String why) {
    callers.remove(caller);
    dismiss(caller, why);
    count(reason, caller.address(), why);
  }

  private void dismiss(Caller caller, String why) {
    caller.tell(why);
    leaving.addLast(caller);
    if (leaving.size() > PLACES) {
      leaving.removeFirst().abandon();
    }
  }

  /**
   * Closes connections over which the reason was sent. To be called now and then, also after {@link
   * #end}.
   */
  void attendLeaving() throws InterruptedException {
    for (int left = leaving.size(); left > 0; left--) {
      // Stays here whatever is thrown, so that it is abandoned at the end.
      Caller caller = leaving.getFirst();
      boolean stays = caller.isBeingTold(TOLD);
      leaving.removeFirst();
      if (stays) {
        leaving.addLast(caller);
      } else {
        caller.abandon();
      }
    }
  }

  // -------------------------------------------------------------------------------------- places

  private boolean fill(@Nullable Caller taken) throws IOException {
    boolean any = false;
    if (connections(taken) == 0) {
      // What others had may be free by now.
      enough = Integer.MAX_VALUE;
    }
    while (!asking.isEmpty()
        && (callers.isEmpty() || callers.getLast().age() >= LEAD.toNanos())
        && (hasRoom(taken) || (makeRoom(taken) && hasRoom(taken)))) {
      Map<InetAddress, Integer> having = having(taken);
      Asking next = asking.take(party -> having.getOrDefault(party, 0));
      if (next == null || !accept(next, taken)) {
        break;
      }
      any = true;
    }
    return any;
  }

  private int connections(@Nullable Caller taken) {
    return callers.size() + leaving.size() + (taken == null ? 0 : 1);
  }

  /** Whether another caller can be accepted; who is only being told why it leaves goes for it. */
  private boolean hasRoom(@Nullable Caller taken) {
    while (!leaving.isEmpty() && connections(taken) >= enough) {
      leaving.removeFirst().abandon();
    }
    return callers.size() < PLACES && connections(taken) < enough;
  }

  /** Accepts a request; false if there is not enough for another caller, so that it waits on. */
  private boolean accept(Asking next, @Nullable Caller taken) throws IOException {
    try {
      callers.add(gate.accept(next.request, next.terms));
    } catch (StrangerException e) {
      count(e.reason(), next.request.address(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      enough = connections(taken);
      if (enough == 0) {
        next.request.reject(NOT_ENOUGH);
        throw e;
      }
      LOG.info("only {} connections are possible at once: {}", enough, e.getMessage());
      if (next.again) {
        next.request.reject(NOT_ENOUGH);
        count(Reason.CROWDED_OUT, next.request.address(), NOT_ENOUGH);
      } else {
        await(new Asking(next.request, next.terms, true));
      }
      return false;
    } catch (RuntimeException | Error e) {
      next.request.reject(DestinationSession.MISTAKE);
      throw e;
    }
    return true;
  }

  /** How many places each address has. */
  private Map<InetAddress, Integer> having(@Nullable Caller taken) {
    Map<InetAddress, Integer> having = new HashMap<>();
    callers.forEach(caller -> having.merge(caller.party(), 1, Integer::sum));
    if (taken != null) {
      having.merge(taken.party(), 1, Integer::sum);
    }
    return having;
  }

  /**
   * Frees a place for the request that is next: that of a caller whose address has at least two
   * places more, or else of one that has sent nothing for {@link #GRACE}.
   */
  private boolean makeRoom(@Nullable Caller taken) {
    Map<InetAddress, Integer> having = having(taken);
    Asking next = asking.next(party -> having.getOrDefault(party, 0));
    if (next == null || callers.isEmpty()) {
      return false;
    }
    int own = having.getOrDefault(Turns.party(next.request.address()), 0);
    Caller leaving =
        callers.stream()
            .max(
                Comparator.comparingInt((Caller caller) -> having.getOrDefault(caller.party(), 0))
                    .thenComparing(caller -> !caller.isProven())
                    .thenComparingLong(Caller::age))
            .orElseThrow();
    if (having.getOrDefault(leaving.party(), 0) <= own + 1) {
      // No address has more. One that may be the source keeps its place until it has been tried.
      leaving =
          callers.stream()
              .filter(caller -> caller.isLate(LEAST_GRACE, GRACE))
              .max(Comparator.comparingLong(Caller::age))
              .orElse(null);
    }
    if (leaving == null) {
      return false;
    }
    turnAway(leaving, Reason.CROWDED_OUT, "It had sent nothing, and others waited.");
    return true;
  }

  // -------------------------------------------------------------------------------------- source

  /**
   * Whether a caller has begun a migration stream, so that it may be the source, or a request waits
   * because the one that is tried has all that there is enough for.
   */
  boolean hasRivals() {
    return callers.stream().anyMatch(Caller::isProven) || (callers.isEmpty() && !asking.isEmpty());
  }

  /**
   * Takes the caller that may be the source: of the address that was tried least often, the one
   * that came last; each {@value #TURNS_OF_LAST}th time the one that came first, so that each has
   * its turn however many come. Null if there is none, or if one that has just been accepted may
   * come before it.
   */
  @Nullable Caller takeProven() {
    List<Caller> proven = callers.stream().filter(Caller::isProven).toList();
    if (proven.isEmpty() || isFilling()) {
      return null;
    }
    turns++;
    Comparator<Caller> age = Comparator.comparingLong(Caller::age);
    Caller best =
        proven.stream()
            .min(
                Comparator.comparingInt((Caller caller) -> tried.getOrDefault(caller.party(), 0))
                    .thenComparing(turns % TURNS_OF_LAST == 0 ? age.reversed() : age))
            .orElseThrow();
    callers.remove(best);
    if (tried.size() >= WAITING) {
      tried.clear();
    }
    tried.merge(best.party(), 1, Integer::sum);
    return best;
  }

  /**
   * Whether a caller that got the place of one that was no source may still prove itself: a source
   * that comes after many others would lose another turn.
   */
  private boolean isFilling() {
    return turns > 0
        && Time.nanos() - turnEnded < GRACE.toNanos()
        && ((!asking.isEmpty() && callers.size() < PLACES)
            || callers.stream()
                .anyMatch(caller -> !caller.isProven() && caller.age() < GRACE.toNanos()));
  }

  /**
   * Turns all callers away, because the source has come, or because the session ends.
   *
   * @param source null if there is none
   * @return whether a QEMU at the source's address was among them, which connects twice with
   *     post-copy
   */
  boolean end(@Nullable Caller source) {
    boolean second =
        callers.stream().anyMatch(caller -> isSecond(caller.request(), source))
            || (source != null && source.address().equals(returnPath));
    callers.forEach(caller -> dismiss(caller, DestinationSession.BUSY));
    callers.clear();
    Asking next;
    while ((next = asking.take(_ -> 0)) != null) {
      second |= isSecond(next.request, source);
      next.request.reject(DestinationSession.BUSY);
    }
    log.close();
    return second;
  }

  private static boolean isSecond(IncomingRequest request, @Nullable Caller source) {
    return source != null && request.isFromQemu() && request.address().equals(source.address());
  }

  /** The session ends. */
  @Override
  public void close() {
    boolean _ = end(null);
    leaving.forEach(Caller::abandon);
    leaving.clear();
  }
}
