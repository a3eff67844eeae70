// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.account.Account;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Guest;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.Handover;
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.RunningMachine;
import org.wridscope.guest.SavedGuest;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.memory.ArrivingChunks;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.stream.Checkpoint;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.RdmaDevice;

/**
 * The destination of a migration: waits for a source, serves its registrations, reads the migration
 * stream, and starts the guest only after everything has arrived.
 */
public final class DestinationSession extends MigrationSession {
  private static final Logger LOG = LoggerFactory.getLogger(DestinationSession.class);
  private static final Duration SLICE = Duration.ofMillis(50);

  /** The reason for rejecting another source. */
  static final String BUSY = "A migration is going on here.";

  /** The reason for rejecting a source after a defect. */
  static final String MISTAKE = "This destination made an error.";

  /** How long to wait until a source that is turned away has been told why. */
  private static final Duration TOLD_LIMIT = Duration.ofMillis(200);

  /** Which callers may end the session. */
  public enum Admission {
    /**
     * The first that confirms its connection is the source, as in a lab, where there is no other.
     */
    FIRST,
    /**
     * The first whose RAM arrives is the source. All before it are turned away, and the session
     * continues to wait with the same guest.
     */
    FIRST_WITH_RAM
  }

  private final ConnectionListener listener;
  private final @Nullable Preparation preparation;
  private final Admission admission;

  /** Id of the migration, if both ends are Wridscopes. */
  private @Nullable MigrationId id;

  /** Proves to its source what this end answers; null if the source cannot check that. */
  private @Nullable MigrationSecret secret;

  /** Whether LOADED may have been sent, after which the source may ask for the outcome. */
  private boolean loadedSent;

  /** Whether the guest is being taken over from the source, so that no answer would be true. */
  private boolean starting;

  /** Whether the guest has been taken over from the source. */
  private boolean started;

  /** What arrives; null until a source has connected. */
  private @Nullable Arrival arrival;

  /** Whether a QEMU connected a second time, as it does for post-copy. */
  private boolean returnPathWanted;

  /** Whether the source has asked where the guest is, and was told what is final. */
  private boolean asked;

  /** Whether the source has shown that it knows, and has noted, that the guest is here. */
  private boolean noted;

  private volatile boolean prepared;

  /** The messages of callers. */
  private final MessageMemory messages = new MessageMemory();

  /** Where callers wait until RAM arrives; null before and after. */
  private @Nullable Doorway doorway;

  /** Keeps the reader of events while there is a doorway. */
  private AsyncEventReader.@Nullable Registration events;

  /** The caller whose connection is the session's; null until there is one. */
  private @Nullable Caller caller;

  /** The turn of the caller; belongs to it. */
  private Turn turn = new Turn();

  /** Whether a source has got a key to RAM, has cleared some, or has sent all of it. */
  private boolean ramMayHaveArrived;

  /**
   * @param listener where sources connect; closed at the end
   * @param guest whose RAM is filled; it must never have run
   * @param preparation of the guest; null if it is prepared
   */
  public DestinationSession(
      RdmaDevice device,
      ConnectionListener listener,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      @Nullable Preparation preparation) {
    this(device, listener, guest, parameters, telemetry, preparation, Limits.DEFAULT);
  }

  /**
   * @param listener where sources connect; closed at the end
   * @param guest whose RAM is filled; it must never have run
   * @param preparation of the guest; null if it is prepared
   * @param admission which callers may end the session
   */
  public DestinationSession(
      RdmaDevice device,
      ConnectionListener listener,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      @Nullable Preparation preparation,
      Admission admission) {
    this(device, listener, guest, parameters, telemetry, preparation, admission, Limits.DEFAULT);
  }

  DestinationSession(
      RdmaDevice device,
      ConnectionListener listener,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      @Nullable Preparation preparation,
      Limits limits) {
    this(device, listener, guest, parameters, telemetry, preparation, Admission.FIRST, limits);
  }

  DestinationSession(
      RdmaDevice device,
      ConnectionListener listener,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      @Nullable Preparation preparation,
      Admission admission,
      Limits limits) {
    super(device, guest, parameters, telemetry, limits);
    this.listener = listener;
    this.preparation = preparation;
    this.admission = admission;
    if (guest instanceof MachineGuest machine) {
      machine.runControl().expect();
    }
  }

  @Override
  SessionOutcome migrate() throws IOException, InterruptedException {
    telemetry
        .metrics()
        .set(Metric.RAM_TOTAL, guest.ramBlocks().stream().mapToLong(RamBlock::length).sum());
    // Fails now rather than when a source connects.
    Endpoint.depths(device, parameters.sharedQueue());
    telemetry.beginPhase(Phase.Kind.LISTEN);
    Arrival coming = awaitRam();
    Connected peer = coming.peer;
    RamDigester digester = coming.load();
    try {
      takeOver(peer, coming);
      return finish(peer, digester, coming);
    } finally {
      if (digester != null) {
        digester.abandon();
      }
    }
  }

  private Arrival arrival(Connected peer) {
    return switch (guest) {
      case MachineGuest machine -> new ArrivingGuest(this, peer, machine);
      case WaitingMachine machine -> new ArrivingMachine(this, peer, machine);
      case CapturedGuest captured -> new ArrivingFile(this, peer, captured);
      case RunningMachine _, SavedGuest _ ->
          throw new IllegalArgumentException("a guest that is to leave cannot arrive");
    };
  }

  // --------------------------------------------------------------------------------- connection

  /** Waits for a source, and reads its stream to the end. */
  private Arrival awaitRam() throws IOException, InterruptedException {
    Preparation wanted = preparation;
    try (var preparing = wanted == null ? null : new Preparing(wanted)) {
      while (true) {
        Connected peer = awaitSource(preparing == null ? () -> {} : preparing::check);
        try {
          if (preparing != null && !prepared) {
            awaitPrepared(preparing);
          }
          return read(peer);
        } catch (IOException failure) {
          if (!turnedAway(failure)) {
            throw failure;
          }
        }
      }
    } finally {
      prepared = true;
      closeDoorway();
    }
  }

  /** A source that connects before the guest is prepared waits for that, connected. */
  private void awaitPrepared(Preparing preparing) throws IOException {
    waitingFor(new Wait(Wait.Kind.PREPARATION), () -> preparing.await(this::tend));
    prepared = true;
  }

  private Arrival read(Connected peer) throws IOException {
    Arrival coming = arrival(peer);
    arrival = coming;
    Caller source = caller;
    try (var input = new QemuFileInput(peer.control(), limits)) {
      if (source != null && source.isAsked()) {
        input.hasAsked();
      }
      coming.read(input);
    }
    return coming;
  }

  /** Whether the guest's RAM is being prepared. For any thread. */
  public boolean isPreparing() {
    return preparation != null && !prepared && outcome() == null;
  }

  /**
   * Waits until a caller may be the source, and makes its connection the session's.
   *
   * @param meanwhile called many times per second; its exception ends the wait
   */
  private Connected awaitSource(Checkpoint meanwhile) throws IOException, InterruptedException {
    telemetry.setWaitingFor(new Wait(Wait.Kind.SOURCE));
    try {
      Doorway callers = doorway;
      if (callers == null) {
        // Callers come and go; a thread for the events of each would take longer than most stay.
        events = AsyncEventReader.keep(device);
        callers = new Doorway(listener, new Gate(), telemetry.turnedAway());
        doorway = callers;
      }
      while (true) {
        cancellation.check();
        meanwhile.pass();
        callers.attend(SLICE, null);
        Caller proven = callers.takeProven();
        if (proven != null) {
          return welcome(proven);
        }
      }
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  private Connected welcome(Caller proven) {
    caller = proven;
    turn = new Turn();
    Connected peer = proven.peer();
    setConnected(peer);
    peer.belongTo(telemetry, proven.notes(), cancellation);
    begin();
    Caller.Terms terms = proven.terms();
    setAgreed(terms.granted(), terms.pinAllRequested());
    id = terms.id();
    secret = terms.secret();
    if (admission == Admission.FIRST) {
      ramMayArrive();
    } else {
      peer.poller().setIdleTask(this::attendOthers);
    }
    return peer;
  }

  /** Decides about requests while the session waits for its source. */
  private final class Gate implements Doorway.Gate {
    @Override
    public Caller.@Nullable Terms examine(
        IncomingRequest incoming, BiConsumer<IncomingRequest, String> refuse) {
      Capabilities wanted;
      MigrationId wantedId;
      try {
        wanted = incoming.wanted();
        wantedId = incoming.id();
      } catch (ProtocolException e) {
        refuse.accept(incoming, sentence(e));
        return null;
      }
      if (wanted.inquiry()) {
        incoming.answer(null, Outcome.UNKNOWN);
        return null;
      }
      if (wanted.pinAll()
          && parameters.get(MigrationSetting.REFUSE_PIN_ALL)
          && !wanted.wridscope()) {
        // QEMU 7.2 aborts if it is accepted without pin-all (migrate_fd_error), and loses its
        // guest.
        refuse.accept(incoming, "This destination does not pin all RAM; switch rdma-pin-all off.");
        return null;
      }
      int known =
          (parameters.get(MigrationSetting.REFUSE_PIN_ALL) ? 0 : Capabilities.PIN_ALL)
              // What these bits mean to others is not known.
              | (parameters.extensions() && wanted.wridscope()
                  ? Capabilities.WRIDSCOPE | Capabilities.PROOF
                  : 0);
      Capabilities granted = wanted.and(known);
      return new Caller.Terms(
          granted,
          wanted.pinAll(),
          granted.wridscope() ? wantedId : null,
          granted.proof() ? MigrationSecret.random() : null);
    }

    @Override
    public Caller accept(IncomingRequest incoming, Caller.Terms terms) throws IOException {
      return Caller.accept(
          incoming,
          terms,
          SessionTelemetry.ofCaller(telemetry.monitored(), Account::new),
          notes ->
              open(
                  incoming.connection(),
                  Role.DESTINATION,
                  notes,
                  new Cancellation(Duration.ZERO),
                  messages::take),
          limits,
          // With a shared queue, the session's own waits are to meet the first message.
          admission == Admission.FIRST_WITH_RAM && !parameters.sharedQueue());
    }
  }

  /** Until RAM arrives: serves the other callers, one of which may be the source. */
  private void attendOthers() throws IOException, InterruptedException {
    Doorway callers = doorway;
    Connected peer = connected;
    if (callers == null || peer == null) {
      return;
    }
    callers.attend(Duration.ZERO, caller);
    if (preparation == null || prepared) {
      turn.look(callers.hasRivals(), peer.poller().silence());
    } else {
      turn.pass();
    }
  }

  /** The source has asked for the RAM blocks. */
  void blocksAsked() {
    turn.blocksAsked();
  }

  /** To be called before RAM can arrive: from now on this source is the only one. */
  void ramMayArrive() {
    if (!ramMayHaveArrived) {
      ramMayHaveArrived = true;
      if (doorway != null) {
        returnPathWanted |= doorway.end(caller) && id == null;
      }
      Connected peer = connected;
      if (peer != null) {
        peer.poller().setIdleTask(this::answerOthers);
      }
    }
  }

  private void closeDoorway() {
    Doorway callers = doorway;
    doorway = null;
    try {
      if (callers != null) {
        callers.close();
      }
    } finally {
      messages.close();
      closeEvents();
    }
  }

  private void closeEvents() {
    AsyncEventReader.Registration kept = events;
    events = null;
    if (kept != null) {
      release(kept::close);
    }
  }

  /**
   * Turns the present source away if it failed before any of its RAM arrived, and lets go of what
   * was prepared for it.
   *
   * @return false if the session has failed
   */
  private boolean turnedAway(IOException failure) throws IOException {
    Caller leaving = caller;
    Doorway callers = doorway;
    Arrival coming = arrival;
    Connected peer = connected;
    if (admission == Admission.FIRST
        || leaving == null
        || callers == null
        || peer == null
        || (ramMayHaveArrived && (coming == null || !coming.isInSetUp()))
        || !(isOfPeer(failure, peer) || (coming != null && failure instanceof GuestException))) {
      return false;
    }
    String told = sentence(failure);
    Reason reason =
        failure instanceof GuestException ? Reason.UNSUITABLE : Caller.reasonFor(failure);
    if (!ramMayHaveArrived) {
      // It has no key, so that this side need not wait until its connection has ended.
      telemetry.event(EventKind.DISCONNECTING, 0, 0, 0, 0);
      connected = null;
      callers.takeBack(leaving, reason, told);
    } else if (endWithKeys(failure, told)) {
      callers.turnedAway(leaving, reason, told);
    } else {
      // It may still be able to write.
      return false;
    }
    if (coming != null && !coming.letGo(ramMayHaveArrived)) {
      return false;
    }
    caller = null;
    arrival = null;
    id = null;
    secret = null;
    ramMayHaveArrived = false;
    beginNot();
    return true;
  }

  /** Ends the connection of a caller that has keys; false if it may still be able to write. */
  private boolean endWithKeys(IOException failure, String told) {
    if (!(failure instanceof PeerGaveUpException)) {
      sendError(told, TOLD_LIMIT);
    }
    return closeConnection();
  }

  /** Whether the peer caused a failure, and not this side. */
  private static boolean isOfPeer(IOException failure, Connected peer) {
    return failure instanceof ProtocolException
        || failure instanceof PeerGaveUpException
        || failure instanceof DisconnectedException
        || failure instanceof StrangerException
        || peer.poller().hasFailed();
  }

  /** Rejects other sources during the migration, and answers an inquiry of its source. */
  private void answerOthers() throws IOException, InterruptedException {
    Doorway callers = doorway;
    if (callers != null) {
      callers.attendLeaving();
    }
    ConnectionRequest request = listener.nextRequest(Duration.ZERO);
    if (request == null) {
      return;
    }
    var incoming = new IncomingRequest(request);
    if (!incoming.isInquiry(id)) {
      // With post-copy, QEMU connects a second time for the return path.
      returnPathWanted |= id == null && incoming.isFromQemu();
      incoming.reject(BUSY);
      return;
    }
    if (starting) {
      // It asks again.
      incoming.answer(secret, Outcome.UNKNOWN);
      return;
    }
    tellOutcome(incoming);
    if (!started) {
      throw new MigrationException("The source lost the connection before the guest was started.");
    }
  }

  private void tellOutcome(IncomingRequest incoming) {
    asked |= incoming.answer(secret, started ? Outcome.RUNNING : Outcome.NOT_STARTED);
  }

  // -------------------------------------------------------------------------------- switch-over

  private void takeOver(Connected peer, Arrival coming) throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    if (control.extensions()) {
      coming.loaded();
      loadedSent = true;
      control.sendEmpty(ControlType.LOADED);
      control.release(control.receive(ControlType.SWITCH_OVER, limits.work()));
    }
    cancellation.close();
    ArrivingChunks.all(telemetry.blocks());
    starting = true;
    try {
      coming.takeOver();
    } finally {
      // A source that asks is told the truth, whatever failed.
      started = coming.hasTakenOver();
      starting = false;
    }
    noteTotalTime();
  }

  /** Where this end can be asked which end has the guest. */
  Handover handover() {
    return new Handover(device.name(), listener.localAddress(), id, secret);
  }

  private SessionOutcome finish(Connected peer, @Nullable RamDigester digester, Arrival coming)
      throws IOException {
    String finding;
    if (peer.control().extensions()) {
      finding = confirm(peer, digester, coming);
    } else {
      var doubts = new ArrayList<>(coming.doubts());
      doubts.add("The source cannot send digests of its RAM.");
      setUnconfirmed(doubts);
      finding = "This source cannot confirm that its RAM is equal.";
    }
    closeConnection();
    coming.noteInUse();
    if (!differs()) {
      coming.commit();
    }
    String displaced = guest.displaced();
    return SessionOutcome.completed(
        coming.achieved(), finding + (displaced == null ? "" : " " + displaced));
  }

  private String confirm(Connected peer, @Nullable RamDigester digester, Arrival coming) {
    String finding;
    try {
      peer.control().payload();
      peer.control().send(ControlType.RUNNING, coming.running());
      peer.control().awaitSent();
      finding =
          digester == null
              ? NOT_COMPARED + " --verify compares it before the guest starts."
              : verify(peer, digester, coming.order());
      awaitGoodbye(peer, limits.goodbye());
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      finding = uncompared(e);
    }
    noted = peer.control().isOutcomeNoted();
    closeConnection();
    answerInquiries(coming);
    return finding;
  }

  @Override
  String giveBack(IOException reason) {
    closeConnection();
    Arrival coming = arrival;
    if (guest instanceof MachineGuest machine) {
      machine.runControl().miss();
    }
    // Before the source is told that the guest was not started here, it cannot be any more.
    String fate = coming == null ? "The guest was not started here." : coming.giveBack(started);
    // A source that gave up has its guest, and knows it.
    if (coming != null && !(reason instanceof PeerGaveUpException)) {
      answerInquiries(coming);
    }
    return returnPathWanted ? fate + " " + Caller.SECOND_CONNECTION : fate;
  }

  @Override
  public boolean isCompared() {
    return !(guest instanceof WaitingMachine machine) || machine.isCompared();
  }

  @Override
  Custody custodyAfter(MigrationStatus ending) {
    if (started) {
      return ending == MigrationStatus.COMPLETED && verified() ? Custody.HERE : Custody.IN_DOUBT;
    }
    // A source without acknowledgements has handed the guest over with its last message.
    Capabilities capabilities = agreed();
    boolean acknowledged = capabilities == null || capabilities.wridscope();
    return acknowledged || !cancellation.isClosed() ? Custody.ELSEWHERE : Custody.IN_DOUBT;
  }

  /**
   * Answers a source that may ask where the guest is, for a while. After that the guard of a
   * machine goes on, if there is one.
   */
  private void answerInquiries(Arrival coming) {
    MigrationId migration = id;
    if (!loadedSent || noted || migration == null || coming.isDoubtful()) {
      return;
    }
    telemetry.setWaitingFor(new Wait(Wait.Kind.INQUIRY));
    Outcome outcome = started ? Outcome.RUNNING : Outcome.NOT_STARTED;
    try {
      var answers = new InquiryAnswers(listener, migration, secret, outcome);
      asked |= answers.answer(limits.inquiry(), InquiryAnswers.AGAIN, asked, () -> {});
    } catch (IOException e) {
      LOG.warn("a source that may ask for the outcome cannot be answered: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      telemetry.setWaitingFor(null);
    }
    if (!asked) {
      coming.leaveAnswers();
    }
  }

  @Override
  void closeListener() throws IOException {
    listener.close();
  }
}
