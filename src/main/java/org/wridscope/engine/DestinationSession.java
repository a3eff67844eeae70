// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Guest;
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.SavedGuest;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.RdmaDevice;

/**
 * The end that a guest arrives at: waits for a source, serves its registrations, reads the
 * migration stream, and starts the guest only after everything has arrived.
 */
public final class DestinationSession extends MigrationSession {
  private static final Logger LOG = LoggerFactory.getLogger(DestinationSession.class);
  private static final Duration SLICE = Duration.ofMillis(50);

  /** What whoever comes second is told. */
  static final String BUSY = "A migration is going on here.";

  private final ConnectionListener listener;

  /** Of the migration that goes on, when both ends are Wridscopes. */
  private @Nullable MigrationId id;

  /** Whether the source may have been told that all was loaded, and may ask what came of it. */
  private boolean loadedSaid;

  private boolean started;

  /** What arrives; null until there is a source. */
  private @Nullable Arrival arrival;

  /** Whether another QEMU, or the same one, connected while a migration went on. */
  private boolean returnPathWanted;

  /** Whether the source surely knows who has the guest. */
  private boolean outcomeKnown;

  /**
   * @param listener where sources connect; closed at the end
   * @param guest whose RAM is filled; it must not have run
   */
  public DestinationSession(
      RdmaDevice device,
      ConnectionListener listener,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry) {
    this(device, listener, guest, parameters, telemetry, Limits.DEFAULT);
  }

  DestinationSession(
      RdmaDevice device,
      ConnectionListener listener,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      Limits limits) {
    super(device, guest, parameters, telemetry, limits);
    this.listener = listener;
  }

  @Override
  String migrate() throws IOException, InterruptedException {
    telemetry
        .metrics()
        .set(Metric.RAM_TOTAL, guest.ramBlocks().stream().mapToLong(RamBlock::length).sum());
    // A source that connects is not the one to find out.
    QueueDepths.on(device, parameters.sharedQueue());
    telemetry.beginPhase("listen");
    Connected peer = awaitSource();
    peer.poller().setIdleTask(this::answerOthers);
    Arrival coming = arrival(peer);
    arrival = coming;
    try (var input = new QemuFileInput(peer.control(), limits)) {
      coming.read(input);
    }
    RamDigester digester = coming.load();
    try {
      takeOver(peer, coming);
      return finish(peer, digester, coming);
    } finally {
      digester.abandon();
    }
  }

  private Arrival arrival(Connected peer) {
    return switch (guest) {
      case MachineGuest machine -> new ArrivingGuest(this, peer, machine);
      case CapturedGuest captured -> new ArrivingFile(this, peer, captured);
      case SavedGuest _ ->
          throw new IllegalArgumentException("a guest that is saved in a file cannot arrive");
    };
  }

  // --------------------------------------------------------------------------------- connection

  /** Takes the first source that speaks our protocol; whoever does not is turned away. */
  private Connected awaitSource() throws IOException, InterruptedException {
    telemetry.setWaitingFor("a source to connect");
    try (var callers = new Callers(listener)) {
      while (true) {
        cancellation.check();
        ConnectionRequest request = callers.next(SLICE);
        Connected peer = request == null ? null : acceptOrReject(request);
        if (peer != null) {
          return peer;
        }
      }
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  private @Nullable Connected acceptOrReject(ConnectionRequest request)
      throws IOException, InterruptedException {
    try {
      return accept(request);
    } catch (RuntimeException | Error e) {
      // It may not have been answered, and the device keeps it until it is.
      reject(request, "This destination made an error.");
      throw e;
    }
  }

  /** Takes a source, or turns away who is none and returns null. */
  private @Nullable Connected accept(ConnectionRequest request)
      throws IOException, InterruptedException {
    Capabilities wanted;
    MigrationId wantedId = null;
    try {
      ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
      wanted = Capabilities.decode(privateData);
      wanted.requireSupported();
      if (wanted.wridscope()) {
        wantedId = MigrationId.decode(privateData);
      }
    } catch (ProtocolException e) {
      LOG.warn("a connection was turned away: {}", e.getMessage());
      reject(request, sentence(e));
      return null;
    }
    if (wanted.inquiry()) {
      answer(request, wantedId, Outcome.UNKNOWN);
      return null;
    }
    if (wanted.pinAll() && parameters.refusePinAll() && !wanted.wridscope()) {
      // QEMU 7.2 aborts when it is accepted without (migrate_fd_error), and loses its guest.
      LOG.warn("a source was turned away, for it wants pin-all");
      reject(request, "This destination does not pin all RAM; switch rdma-pin-all off.");
      return null;
    }
    int known =
        (parameters.refusePinAll() ? 0 : Capabilities.PIN_ALL)
            | (parameters.extensions() ? Capabilities.WRIDSCOPE : 0);
    Capabilities granted = wanted.and(known);
    Connected peer =
        Connected.open(
            device,
            request.connection(),
            parameters.sharedQueue(),
            telemetry,
            cancellation,
            limits);
    connected = peer;
    if (granted.wridscope()) {
      peer.control().enableExtensions();
    }
    try {
      request.accept(SourceSession.connectionParameters(granted.toBytes()), limits.confirm());
    } catch (IOException e) {
      LOG.warn("a source went away while it was being accepted: {}", e.getMessage());
      closeConnection();
      return null;
    }
    begin();
    setAgreed(granted);
    id = granted.wridscope() ? wantedId : null;
    return peer;
  }

  /** Turns away whoever connects while a migration goes on, and answers a source that asks. */
  private void answerOthers() throws IOException, InterruptedException {
    ConnectionRequest request = listener.nextRequest(Duration.ZERO);
    if (request == null) {
      return;
    }
    if (!isInquiry(request)) {
      returnPathWanted |= id == null && isFromQemu(request);
      reject(request, BUSY);
      return;
    }
    tellOutcome(request);
    if (!started) {
      throw new MigrationException("The source lost the connection before the guest was started.");
    }
  }

  /** With post-copy a QEMU connects a second time, for a return path. */
  private static boolean isFromQemu(ConnectionRequest request) {
    try {
      Capabilities wanted = Capabilities.decode(ByteBuffer.wrap(request.privateData()));
      wanted.requireSupported();
      return !wanted.wridscope();
    } catch (ProtocolException e) {
      return false;
    }
  }

  private void tellOutcome(ConnectionRequest request) {
    outcomeKnown = answer(request, id, started ? Outcome.RUNNING : Outcome.NOT_STARTED);
  }

  /** Whether a request asks for the outcome of this migration. */
  private boolean isInquiry(ConnectionRequest request) {
    try {
      ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
      Capabilities capabilities = Capabilities.decode(privateData);
      return capabilities.wridscope()
          && capabilities.inquiry()
          && MigrationId.decode(privateData).equals(id);
    } catch (ProtocolException e) {
      return false;
    }
  }

  private static boolean answer(
      ConnectionRequest request, @Nullable MigrationId id, Outcome outcome) {
    return reject(request, id == null ? new byte[0] : new InquiryAnswer(id, outcome).toBytes());
  }

  static void reject(ConnectionRequest request, String sentence) {
    byte[] text = sentence.getBytes(StandardCharsets.US_ASCII);
    int length = Math.min(text.length, ConnectionRequest.MAX_REJECT_PRIVATE_DATA);
    reject(request, Arrays.copyOf(text, length));
  }

  /** Rejects; false when that failed, which concerns only who is rejected. */
  private static boolean reject(ConnectionRequest request, byte[] privateData) {
    try {
      request.reject(privateData);
      return true;
    } catch (IOException e) {
      LOG.warn("a connection could not be rejected: {}", e.getMessage());
      return false;
    }
  }

  // -------------------------------------------------------------------------------- switch-over

  private void takeOver(Connected peer, Arrival coming) throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    if (control.extensions()) {
      loadedSaid = true;
      control.sendEmpty(ControlType.LOADED);
      control.release(control.receive(ControlType.SWITCH_OVER, limits.work()));
    }
    cancellation.close();
    try {
      coming.takeOver();
    } finally {
      // A source that asks hears what is so, whatever failed.
      started = coming.hasTakenOver();
    }
    telemetry.metrics().set(Metric.TOTAL_TIME, elapsed());
  }

  private String finish(Connected peer, RamDigester digester, Arrival coming) throws IOException {
    String finding;
    if (peer.control().extensions()) {
      finding = confirm(peer, digester, coming);
    } else {
      var doubts = new ArrayList<>(coming.doubts());
      doubts.add("The source cannot send digests of its RAM.");
      setUnconfirmed(doubts);
      finding = "This source cannot tell whether its RAM is equal.";
    }
    closeConnection();
    if (!differs()) {
      coming.commit();
    }
    String displaced = guest.displaced();
    return coming.achieved() + " " + finding + (displaced == null ? "" : " " + displaced);
  }

  private String confirm(Connected peer, RamDigester digester, Arrival coming) {
    try {
      peer.control().payload();
      peer.control().send(ControlType.RUNNING, coming.runs() ? 1 : ControlType.KEPT_IN_A_FILE);
      peer.control().awaitSent();
      outcomeKnown = true;
      String finding = verify(peer, digester, coming.order());
      awaitGoodbye(peer, limits.goodbye());
      return finding;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      String finding = uncompared(e);
      closeConnection();
      answerInquiries();
      return finding;
    }
  }

  @Override
  String giveBack(IOException reason) {
    closeConnection();
    // A source that gave up has its guest, and knows.
    if (!(reason instanceof PeerGaveUpException)) {
      answerInquiries();
    }
    Arrival coming = arrival;
    String fate = coming == null ? "The guest was not started here." : coming.giveBack(started);
    return returnPathWanted
        ? fate
            + " The source asked for a second connection, as with post-copy: switch its"
            + " capabilities postcopy-ram and return-path off."
        : fate;
  }

  @Override
  Custody custodyAfter(MigrationStatus ending) {
    if (started) {
      return ending == MigrationStatus.COMPLETED && verified() ? Custody.HERE : Custody.IN_DOUBT;
    }
    // A source that gets no acknowledgement has given the guest up with its last message.
    Capabilities capabilities = agreed();
    boolean acknowledged = capabilities == null || capabilities.wridscope();
    return acknowledged || !cancellation.isClosed() ? Custody.ELSEWHERE : Custody.IN_DOUBT;
  }

  /** Stays a while for a source that may want to know who has the guest. */
  private void answerInquiries() {
    if (!loadedSaid || outcomeKnown) {
      return;
    }
    telemetry.setWaitingFor("a source that may ask who has the guest");
    long end = System.nanoTime() + limits.inquiry().toNanos();
    try {
      while (!outcomeKnown && System.nanoTime() < end) {
        answerInquiry();
      }
    } catch (IOException e) {
      LOG.warn("a source that may ask for the outcome cannot be answered: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  private void answerInquiry() throws IOException, InterruptedException {
    try {
      ConnectionRequest request = listener.nextRequest(SLICE);
      if (request != null && isInquiry(request)) {
        tellOutcome(request);
      } else if (request != null) {
        reject(request, "A migration is ending here.");
      }
    } catch (RuntimeException | Error e) {
      // The source's guest may stand still until it has its answer: it asks again.
      LOG.error("a source could not be answered, by an error of this program", e);
      Thread.sleep(SLICE);
    }
  }

  @Override
  void closeListener() throws IOException {
    listener.close();
  }
}
