// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.account.Account;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.stream.MigrationStreamReader;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.time.Time;

/**
 * A connection that a destination has accepted without knowing whether a source is at the other
 * end. It has verbs objects and the buffers of control messages, and nothing of the guest. Only
 * after its first message, which must begin a migration stream, may it become the connection of the
 * session.
 */
final class Caller {
  private static final Logger LOG = LoggerFactory.getLogger(Caller.class);

  /** Why the return path of a QEMU is turned away. */
  static final String SECOND_CONNECTION =
      "The source asked for a second connection, as with post-copy: switch its capabilities"
          + " postcopy-ram and return-path off.";

  /** For the first answer of a source: some more than it needs. */
  private static final int ROUND_TRIPS = 4;

  /** What is awaited, for the user. */
  private static final Wait STREAM = new Wait(Wait.Kind.STREAM);

  /**
   * What a destination grants a caller.
   *
   * @param id of the migration; null if the caller has none
   * @param secret proves to the caller what this end answers; null if the caller cannot check that
   */
  record Terms(
      Capabilities granted,
      boolean pinAllRequested,
      @Nullable MigrationId id,
      @Nullable MigrationSecret secret) {}

  private enum Stage {
    /** Accepted, and not confirmed by the caller yet. */
    ACCEPTED,
    /** Confirmed; its first message is awaited. */
    ASKED,
    /** May be a source. */
    PROVEN
  }

  private final IncomingRequest request;
  private final Terms terms;
  private final SessionTelemetry notes;
  private final Connected peer;
  private final Limits limits;
  private final boolean proof;
  private final InetAddress party;
  private final long since = Time.nanos();
  private Stage stage = Stage.ACCEPTED;

  /** Nanoseconds in which it has confirmed; for a source, its answers take about as long. */
  private long confirmed;

  private long leaving;
  private String reason = "";
  private boolean told;

  private Caller(
      IncomingRequest request,
      Terms terms,
      SessionTelemetry notes,
      Connected peer,
      Limits limits,
      boolean proof) {
    this.request = request;
    this.terms = terms;
    this.notes = notes;
    this.peer = peer;
    this.limits = limits;
    this.proof = proof;
    party = Turns.party(request.address());
  }

  /** Opens the connection of a request. */
  interface Opener {
    Connected open(SessionTelemetry notes) throws IOException;
  }

  /**
   * Accepts a request, without waiting.
   *
   * @param proof whether its first message is awaited before it counts as a source
   * @throws StrangerException if it has given up
   * @throws IOException if this end has not what another connection needs; the request is as it
   *     was, unless its connection got a queue pair
   */
  static Caller accept(
      IncomingRequest request,
      Terms terms,
      SessionTelemetry notes,
      Opener opener,
      Limits limits,
      boolean proof)
      throws IOException {
    Connected peer;
    try {
      peer = opener.open(notes);
    } catch (IOException e) {
      if (!IncomingRequest.hasGivenUp(e)) {
        throw e;
      }
      request.reject(DestinationSession.BUSY);
      throw gaveUp(e);
    }
    boolean accepted = false;
    try {
      if (terms.granted.wridscope()) {
        peer.control().enableExtensions();
      }
      request.beginAccept(terms.granted, terms.secret);
      accepted = true;
    } catch (IOException e) {
      throw gaveUp(e);
    } finally {
      if (!accepted) {
        abandon(peer);
      }
    }
    return new Caller(request, terms, notes, peer, limits, proof);
  }

  private static StrangerException gaveUp(IOException e) {
    return new StrangerException(Reason.UNCONFIRMED, MigrationSession.sentence(e));
  }

  IncomingRequest request() {
    return request;
  }

  InetAddress address() {
    return request.address();
  }

  /** The address for which {@link Turns} are counted. */
  InetAddress party() {
    return party;
  }

  Terms terms() {
    return terms;
  }

  Connected peer() {
    return peer;
  }

  SessionTelemetry notes() {
    return notes;
  }

  /** Nanoseconds since it was accepted. */
  long age() {
    return Time.nanos() - since;
  }

  /**
   * Whether it has sent nothing for so long that another one may have its place. After it has
   * confirmed, it has four times as long as that took.
   *
   * @param least for an answer, if the network takes no time
   * @param most from its beginning
   */
  boolean isLate(Duration least, Duration most) {
    long answered = confirmed + Math.max(least.toNanos(), ROUND_TRIPS * confirmed);
    return !isProven()
        && age() >= (stage == Stage.ASKED ? Math.min(answered, most.toNanos()) : most.toNanos());
  }

  /** Whether READY for its first message has been sent. */
  boolean isAsked() {
    return proof;
  }

  boolean isProven() {
    return stage == Stage.PROVEN;
  }

  /**
   * Takes what has come from it, without waiting.
   *
   * @return whether it has come further
   * @throws StrangerException if it is no source, or its connection has failed
   */
  boolean attend() throws StrangerException, InterruptedException {
    Stage before = stage;
    try {
      switch (stage) {
        case ACCEPTED -> awaitConfirmation();
        case ASKED -> awaitMessage();
        case PROVEN -> requireConnection();
      }
    } catch (StrangerException e) {
      throw e;
    } catch (IOException e) {
      throw new StrangerException(reasonFor(e), MigrationSession.sentence(e));
    }
    return stage != before;
  }

  /** Why a caller is turned away whose connection or session threw this. */
  static Reason reasonFor(IOException e) {
    return switch (e) {
      case StrangerException stranger -> stranger.reason();
      case ProtocolException _ -> Reason.INVALID;
      case PeerGaveUpException _, DisconnectedException _ -> Reason.LEFT;
      case DeviceException _ -> Reason.DEVICE;
      case MigrationException _ -> Reason.INVALID;
      default -> IncomingRequest.hasGivenUp(e) ? Reason.UNCONFIRMED : Reason.DEVICE;
    };
  }

  private void awaitConfirmation() throws IOException, InterruptedException {
    if (!request.awaitConfirmation()) {
      if (age() > limits.confirm().toNanos()) {
        throw new StrangerException(
            Reason.UNCONFIRMED,
            "It did not confirm the connection within %s.".formatted(text(limits.confirm())));
      }
      return;
    }
    confirmed = age();
    if (proof) {
      peer.control().sendEmpty(ControlType.READY);
      stage = Stage.ASKED;
    } else {
      stage = Stage.PROVEN;
    }
  }

  private void awaitMessage() throws IOException, InterruptedException {
    // In this order: what came before the end of the connection counts.
    MigrationException end = peer.poller().end(STREAM);
    peer.poller().tend();
    Message first = peer.control().arrived();
    if (first != null) {
      if (first.header().type() == ControlType.READY && request.isFromQemu()) {
        // From its return path, from which QEMU reads.
        throw new StrangerException(Reason.REFUSED, SECOND_CONNECTION);
      }
      if (first.header().type() != ControlType.QEMU_FILE) {
        throw ProtocolException.of(
            "type of the first control message",
            first.header().type().text(),
            ControlType.QEMU_FILE.text());
      }
      MigrationStreamReader.requireBeginning(first.payload().duplicate());
      stage = Stage.PROVEN;
      return;
    }
    if (end != null) {
      throw end;
    }
    if (age() > limits.work().toNanos()) {
      throw new StrangerException(
          Reason.SILENT, "It sent no migration stream within %s.".formatted(text(limits.work())));
    }
  }

  private void requireConnection() throws IOException, InterruptedException {
    MigrationException end = peer.poller().end(STREAM);
    if (proof) {
      // It waits its turn, and hears that this side is there.
      peer.poller().tend();
    }
    if (end != null) {
      throw end;
    }
  }

  private static String text(Duration limit) {
    return Format.duration(limit.toNanos());
  }

  /** After {@link Connected#belongTo}: its connection is not the session's any more. */
  void belongToNobody() {
    peer.poller().setIdleTask(() -> {});
    peer.belongTo(SessionTelemetry.ofCaller(false, Account::new), new Cancellation(Duration.ZERO));
  }

  /** Begins to tell the caller why it is turned away; {@link #isBeingTold} until then. */
  void tell(String why) {
    leaving = Time.nanos();
    reason = why;
    told = false;
  }

  /**
   * Whether it has not been told yet why it is turned away, and may still be.
   *
   * @param limit of telling it, from its beginning
   */
  boolean isBeingTold(Duration limit) throws InterruptedException {
    if (Time.nanos() - leaving > limit.toNanos()) {
      return false;
    }
    try {
      if (stage == Stage.ACCEPTED) {
        if (!request.awaitConfirmation()) {
          return true;
        }
        stage = Stage.ASKED;
      }
      if (!told) {
        told = true;
        peer.control().sendErrorIfPossible(reason);
      }
      peer.poller().takeAll();
      return peer.control().isSending() && peer.poller().end(STREAM) == null;
    } catch (IOException e) {
      return false;
    }
  }

  /** Ends the connection, without waiting for the caller. */
  void abandon() {
    abandon(peer);
  }

  private static void abandon(Connected peer) {
    try {
      peer.abandon();
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      LOG.error("a connection could not be closed because of a bug in Wridscope", e);
      Time.note(e);
    }
  }
}
