// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.engine.Custody;
import org.wridscope.engine.Inquiry;
import org.wridscope.engine.SourceSession;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.Handover;
import org.wridscope.guest.OtherEnd;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * The ways out of an {@linkplain MigrationStatus#UNDECIDED undecided} source, which keeps its guest
 * paused because the destination may have started it: the destination is asked again, or the
 * operator says what has become of the other end, which nothing here can check. Thread-safe.
 */
public final class Doubt {
  private static final Logger LOG = LoggerFactory.getLogger(Doubt.class);

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** For how long the destination is asked. */
  private static final Duration ASK = Duration.ofSeconds(5);

  /** How long the end of the session may take. */
  private static final Duration END = Duration.ofSeconds(10);

  private final CountDownLatch ended;
  private final RdmaDevice device;
  private final SourceSession source;
  private final SessionGuest guest;
  private final List<Statement> statements = new CopyOnWriteArrayList<>();

  /**
   * @param ended opened at the end of the session, which follows its status UNDECIDED
   */
  Doubt(RdmaDevice device, SourceSession source, SessionGuest guest, CountDownLatch ended) {
    this.ended = ended;
    this.device = device;
    this.source = source;
    this.guest = guest;
    say("the source", String.valueOf(source.outcome()));
  }

  /**
   * What one end, Wridscope or the operator has said about the guest.
   *
   * @param who which of them, a phrase
   * @param what one sentence or several
   */
  public record Statement(Instant when, String who, String what) {}

  /** What was said so far, oldest first. */
  public List<Statement> statements() {
    return List.copyOf(statements);
  }

  /** Where the destination listened. */
  public String destination() {
    return Addresses.text(source.handover().destination());
  }

  private boolean isOpen() {
    return source.telemetry().status() == MigrationStatus.UNDECIDED;
  }

  private void requireOpen() throws GuestException {
    if (!Uninterrupted.await(ended, END)) {
      throw new GuestException("The session has not released its memory yet; try again.");
    }
    if (!isOpen()) {
      throw new GuestException("It is known by now where the guest is. " + source.outcome());
    }
  }

  private String say(String who, String what) {
    statements.add(new Statement(Time.wallClock(), who, what));
    LOG.info("{}, about a guest in doubt: {}", who, what);
    return what;
  }

  /**
   * Asks the destination again, and does what follows from an answer that it proves. Waits for some
   * seconds.
   *
   * @return what was answered, and what has become of the guest; one sentence or several
   * @throws GuestException if the outcome is known by now; one sentence
   */
  public synchronized String ask() throws GuestException, InterruptedException {
    requireOpen();
    Handover to = source.handover();
    if (to.migration() == null) {
      return say("Wridscope", "The destination is not a Wridscope and cannot be asked.");
    }
    var inquiry = new Inquiry(device, to, CONNECT, ASK);
    Inquiry.Reply reply = inquiry.ask();
    return switch (reply.outcome()) {
      case NOT_STARTED -> {
        say("the destination", "It did not start the guest.");
        yield takeBack(OperatorAct.LEARNED_NOT_STARTED);
      }
      case RUNNING -> {
        say("the destination", "It started the guest.");
        source.settle(
            MigrationStatus.COMPLETED,
            Custody.ELSEWHERE,
            OperatorAct.LEARNED_RUNNING,
            false,
            "Asked again, the destination said that it runs the guest.");
        guest.gone();
        yield "The destination runs the guest; it stays paused here.";
      }
      case UNKNOWN ->
          say(
              "Wridscope",
              reply.unproved() == null
                  ? "Nothing answers at %s.".formatted(destination())
                  : inquiry.doubt(reply).strip());
    };
  }

  /**
   * Does what follows from a statement of the operator: takes the guest back, or ends it here if it
   * runs there. Nothing can undo it, and if the statement is wrong, both guests run, or neither.
   *
   * @return what has become of the guest; one sentence
   * @throws GuestException if that was not possible, or the outcome is known by now; one sentence
   */
  public synchronized String settle(OtherEnd told) throws GuestException {
    requireOpen();
    OperatorAct act =
        switch (told) {
          case POWERED_OFF -> OperatorAct.TOLD_POWERED_OFF;
          case GUEST_ENDED -> OperatorAct.TOLD_GUEST_ENDED;
          case GUEST_RUNS -> OperatorAct.TOLD_GUEST_RUNS;
        };
    say("the operator", act.text() + ".");
    if (told != OtherEnd.GUEST_RUNS) {
      return takeBack(act);
    }
    try {
      guest.dismiss();
    } catch (IOException e) {
      throw new GuestException(say("Wridscope", String.valueOf(e.getMessage())), e);
    }
    String fate = "The operator said that it runs at the destination, and ended it here.";
    source.settle(MigrationStatus.COMPLETED, Custody.ELSEWHERE, act, false, fate);
    return say("Wridscope", "The guest has ended here.");
  }

  private String takeBack(OperatorAct act) throws GuestException {
    boolean runs;
    try {
      runs = guest.reclaim();
    } catch (IOException e) {
      throw new GuestException(say("Wridscope", String.valueOf(e.getMessage())), e);
    }
    String fate =
        runs ? "The guest runs here again." : "The guest is here, paused as it was before.";
    String why = Format.capitalized(act.text());
    source.settle(MigrationStatus.FAILED, Custody.HERE, act, runs, "%s. %s".formatted(why, fate));
    return say("Wridscope", fate);
  }
}
