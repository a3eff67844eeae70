// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Guest;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.RdmaDevice;

/**
 * One end of a migration. {@link #run} does all the work on the thread that calls it, and returns
 * when the migration has ended, successfully or not, and all verbs objects have been destroyed. The
 * other public methods may be called from any thread.
 */
public abstract sealed class MigrationSession permits SourceSession, DestinationSession {
  private static final Logger LOG = LoggerFactory.getLogger(MigrationSession.class);

  /** The finding about RAM that was not compared. */
  static final String NOT_COMPARED = "Its RAM was not compared at both ends.";

  private static final Pattern LOWER_CASE_WORD = Pattern.compile("[a-z]+ ");

  /** The ending if not even the reason can be determined, for example without memory. */
  private static final Ending UNEXPLAINED =
      new Ending(
          MigrationStatus.FAILED, new SessionOutcome("This program made an error; see its log."));

  /**
   * How long a session may take to end after it was cancelled, if no guest can be lost: longer than
   * a destination waits for a source that may ask where the guest is. If it were ended sooner, such
   * a source could not find out, and its guest would stay paused.
   */
  public static final Duration END_PATIENCE = Limits.DEFAULT.inquiry().plus(Duration.ofSeconds(10));

  /**
   * How long to wait until an ERROR message has been sent. On a busy machine the device may get no
   * processor for some hundred milliseconds, and without the message the peer's user does not learn
   * the reason. Nobody waits for a peer that is known to be gone; for a silent one, the guest of a
   * source that fails during the switch-over is paused longer by this, after {@link
   * Limits#silence}.
   */
  private static final Duration ERROR_LIMIT = Duration.ofSeconds(1);

  /** Between two looks whether it has been sent, so that the device can use the processor. */
  private static final long ERROR_SLICE_NANOS = 50_000;

  final RdmaDevice device;
  final Guest guest;
  final MigrationParameters parameters;
  final SessionTelemetry telemetry;
  final Cancellation cancellation;
  final Limits limits;
  final Downtime downtime = new Downtime();
  private final RamComparison comparison;
  private long beginNanos = Time.nanos();
  private boolean totalTimeNoted;
  private volatile @Nullable SessionOutcome outcome;
  private volatile Custody custody = Custody.IN_DOUBT;
  private volatile @Nullable Capabilities agreed;
  private volatile List<String> unconfirmed = List.of();

  /** A sentence about a bug in Wridscope at the end. */
  private String afterword = "";

  /** Null while there is no connection. */
  @Nullable Connected connected;

  MigrationSession(
      RdmaDevice device,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      Limits limits) {
    this.device = device;
    this.guest = guest;
    this.parameters = parameters;
    this.telemetry = telemetry;
    this.limits = limits;
    cancellation = new Cancellation(parameters.get(MigrationSetting.TIMEOUT));
    comparison = new RamComparison(limits);
  }

  /** How a migration ended. */
  private record Ending(MigrationStatus status, SessionOutcome outcome) {}

  @FunctionalInterface
  interface Resource extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /** Runs the migration to its end, which it reaches whatever is thrown. */
  public final void run() {
    Ending ending = UNEXPLAINED;
    try {
      ending = attempt();
    } finally {
      try {
        closeConnection();
      } finally {
        try {
          release(this::closeListener);
        } finally {
          end(ending);
        }
      }
    }
  }

  private void end(Ending ending) {
    try {
      noteTotalTime();
      custody = custodyAfter(ending.status);
      outcome = ending.outcome;
      outcome = afterword.isEmpty() ? ending.outcome : ending.outcome.with(afterword);
      telemetry.beginPhase(Phase.Kind.of(ending.status));
    } finally {
      telemetry.setStatus(ending.status);
    }
  }

  private Ending attempt() {
    try {
      return new Ending(MigrationStatus.COMPLETED, migrate());
    } catch (UndecidedException e) {
      return new Ending(MigrationStatus.UNDECIDED, outcome(e, ""));
    } catch (CancelledException e) {
      return giveUp(MigrationStatus.CANCELLED, e, sentence(e));
    } catch (IOException e) {
      return giveUp(MigrationStatus.FAILED, e, sentence(e));
    } catch (InterruptedException e) {
      // Set again at the end, because it would end the waits that are needed to tell the peer.
      MigrationException reason = interrupted(e);
      Ending ending = giveUp(MigrationStatus.CANCELLED, reason, sentence(reason));
      Thread.currentThread().interrupt();
      return ending;
    } catch (RuntimeException | Error e) {
      return giveUp(
          MigrationStatus.FAILED, mistake(e), "It made an error; see what it reports itself.");
    }
  }

  /**
   * Ends a migration that failed or was cancelled.
   *
   * @param told the reason that is sent to the peer
   */
  private Ending giveUp(MigrationStatus status, IOException reason, String told) {
    if (!(reason instanceof PeerGaveUpException)) {
      sendError(told);
    }
    try {
      return new Ending(status, outcome(reason, giveBack(reason)));
    } catch (RuntimeException | Error e) {
      return new Ending(MigrationStatus.FAILED, outcome(reason, sentence(mistake(e))));
    }
  }

  private static SessionOutcome outcome(IOException reason, String guest) {
    return new SessionOutcome(sentence(reason), guest, MigrationException.originOf(reason));
  }

  /** Logs a bug in Wridscope, and turns it into the reason for a failure. */
  static MigrationException mistake(Throwable e) {
    LOG.error("the session failed because of a bug in Wridscope", e);
    Time.note(e);
    return new MigrationException("This program made an error: " + e, e);
  }

  static MigrationException interrupted(InterruptedException e) {
    return new MigrationException("The session's thread was interrupted", e);
  }

  /**
   * Performs the migration.
   *
   * @return where the guest is, and what else is known
   */
  abstract SessionOutcome migrate() throws IOException, InterruptedException;

  /**
   * After a failure: makes sure that the guest is where it belongs.
   *
   * @return a sentence about where it is
   */
  abstract String giveBack(IOException reason);

  /** Where the guest is after the session has ended with this status. */
  abstract Custody custodyAfter(MigrationStatus ending);

  /** Closes the listener, if there is one. */
  abstract void closeListener() throws IOException;

  /** Whether there is a connection that has not been released, broken or not. */
  final boolean isConnected() {
    return connected != null;
  }

  /** Takes over a connection, and posts its receives. */
  final Connected open(Connection connection, Role role) throws IOException {
    boolean opened = false;
    try {
      setConnected(open(connection, role, telemetry, cancellation, MessageMemory::single));
      opened = true;
    } finally {
      if (!opened) {
        release(connection::close);
      }
    }
    return Objects.requireNonNull(connected);
  }

  /** Opens a connection that may become this session's. */
  final Connected open(
      Connection connection,
      Role role,
      SessionTelemetry notes,
      Cancellation cancelled,
      Endpoint.Buffers memory)
      throws IOException {
    return Connected.open(
        device, connection, role, parameters.sharedQueue(), notes, cancelled, limits, memory);
  }

  /** Makes a connection that of this session. */
  final void setConnected(Connected peer) {
    connected = peer;
    if (parameters.releaseOnReply()) {
      peer.poller().setRelease(new ReleaseOnReply(peer.endpoint().sendQueue()));
    }
  }

  /**
   * Disconnects and releases all that belongs to the connection. Does nothing the second time.
   *
   * @return false if something may be left of it, such as a key of the peer
   */
  final boolean closeConnection() {
    Connected peer = connected;
    connected = null;
    if (peer == null) {
      return true;
    }
    telemetry.event(EventKind.DISCONNECTING, 0, 0, 0, 0);
    return release(peer::close);
  }

  /** Releases a resource; a failure to do so does not change the result of the migration. */
  final boolean release(Resource resource) {
    try {
      resource.close();
      return true;
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      afterword = sentence(mistake(e));
    }
    return false;
  }

  /** The message of an exception as a sentence. */
  static String sentence(Throwable e) {
    String message = e.getMessage();
    String text = message == null || message.isBlank() ? e.toString() : message.strip();
    String end = text.endsWith(".") ? "" : ".";
    // A name at the beginning is not capitalized.
    return LOWER_CASE_WORD.matcher(text).lookingAt()
        ? text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + end
        : text + end;
  }

  /** Sends ERROR to the peer, if that is still possible. */
  private void sendError(String reason) {
    sendError(reason, ERROR_LIMIT);
  }

  /** Sends ERROR to the peer, if that is still possible within a limit. */
  final void sendError(String reason, Duration limit) {
    Connected peer = connected;
    if (peer == null || peer.poller().disconnected()) {
      return;
    }
    try {
      peer.control().sendErrorIfPossible(reason);
      long end = Time.nanos() + limit.toNanos();
      while (peer.control().isSending() && !peer.poller().hasFailed() && Time.nanos() < end) {
        peer.poller().takeAll();
        Time.park(this, ERROR_SLICE_NANOS);
      }
    } catch (IOException e) {
      LOG.debug("the peer could not be told: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the peer could not be told because of a bug in Wridscope", e);
    }
  }

  // ------------------------------------------------------------------- steps common to both ends

  /** Does something while views show what is waited for. */
  void waitingFor(Wait what, Background.Work work) throws IOException {
    telemetry.setWaitingFor(what);
    try {
      work.run();
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  /**
   * Does work that may take long and cannot be ended early, on another thread, while the peer hears
   * heartbeats.
   *
   * @param what is waited for
   * @throws IOException that of the work; or of the migration, which has ended meanwhile, but not
   *     before the end of the work
   */
  void work(Wait what, Background.Work work) throws IOException {
    waitingFor(what, () -> new Background("work", work).join(this::tend));
  }

  /** As {@link #work}, but only the work can fail: what the peer does meanwhile changes nothing. */
  void workRegardless(Wait what, Background.Work work) throws IOException {
    waitingFor(
        what,
        () ->
            new Background("work", work)
                .join(() -> {
                  try {
                    tend();
                  } catch (IOException e) {
                    LOG.debug("while {} is awaited: {}", what.text(), e.getMessage());
                  }
                }));
  }

  /** Keeps the connection alive during long work, and ends that if the migration has ended. */
  void tend() throws IOException {
    Connected peer = connected;
    if (peer == null) {
      cancellation.check();
      return;
    }
    peer.poller().keepAlive();
  }

  /**
   * Notes that the connection was established, with the capabilities that both ends have agreed on.
   *
   * @param pinAllRequested whether the source requested pin-all
   */
  void setAgreed(Capabilities capabilities, boolean pinAllRequested) {
    agreed = capabilities;
    var agreement = new Agreement(pinAllRequested, capabilities.pinAll(), capabilities.wridscope());
    telemetry.event(EventKind.ESTABLISHED, agreement.detail(), 0, 0, 0);
  }

  /** Notes that what began was no migration, and that the session waits for another one. */
  void beginNot() {
    agreed = null;
    cancellation.beginNot();
    telemetry.setBlocks(List.of());
    telemetry.metrics().set(Metric.COMPLETION_GAP, 0);
    telemetry.beginPhase(Phase.Kind.LISTEN);
    setStatus(MigrationStatus.NONE);
  }

  void setUnconfirmed(List<String> sentences) {
    unconfirmed = List.copyOf(sentences);
  }

  /**
   * Compares the RAM of both ends, while the guest may already run.
   *
   * @param order names of the RAM blocks, in the order of the migration stream
   * @return a sentence about the result
   */
  String verify(Connected peer, RamDigester digester, List<String> order)
      throws IOException, InterruptedException {
    telemetry.beginPhase(Phase.Kind.VERIFY);
    boolean answers = !peer.poller().isPipelined() && telemetry.role() == Role.DESTINATION;
    comparison.compare(peer, digester, order, answers);
    if (comparison.isEqual()) {
      return "Its RAM is equal at both ends.";
    }
    String names = String.join(", ", comparison.different());
    setUnconfirmed(List.of("The RAM differs in " + names + "."));
    return "The RAM differs between source and destination in "
        + names
        + ": do not trust the guest there.";
  }

  /**
   * Notes that the RAM could not be compared, which is not a failure of the migration.
   *
   * @return a sentence about the reason
   */
  String uncompared(Throwable e) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    String why =
        sentence(
            switch (e) {
              case InterruptedException i -> interrupted(i);
              case IOException known -> known;
              default -> mistake(e);
            });
    setUnconfirmed(List.of("The RAM could not be compared: " + why));
    return "Its RAM could not be compared: " + why;
  }

  /**
   * Waits for the peer to disconnect; it is not a failure if it does not.
   *
   * @return whether it has disconnected
   */
  boolean awaitGoodbye(Connected peer, Duration limit) {
    try {
      peer.poller().awaitDisconnect(limit);
    } catch (IOException e) {
      LOG.debug("at the end: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the peer's disconnect was not awaited because of a bug in Wridscope", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return peer.poller().disconnected();
  }

  /** Whether the digests of both ends were compared and found different. */
  boolean differs() {
    return comparison.isDone() && !comparison.isEqual();
  }

  void setStatus(MigrationStatus status) {
    telemetry.setStatus(status);
  }

  /** Notes that the migration begins; a destination has waited for its source before. */
  void begin() {
    beginNanos = Time.nanos();
    cancellation.begin(beginNanos);
    // The phase first: times are counted from it, also that of the first event, the change of
    // status.
    telemetry.beginPhase(Phase.Kind.CONNECT);
    setStatus(MigrationStatus.SETUP);
  }

  /** Notes that the migration took until now, unless that was noted before. */
  void noteTotalTime() {
    if (!totalTimeNoted) {
      totalTimeNoted = true;
      telemetry.metrics().set(Metric.TOTAL_TIME, elapsed());
    }
  }

  /** Notes how much of some RAM has memory, unless that is not known of all of it. */
  final void noteInUse(Metric when, List<RamBlock> ram) {
    long bytes = 0;
    for (RamBlock block : ram) {
      OptionalLong existing = block.holes().existing(block.length());
      if (existing.isEmpty()) {
        return;
      }
      bytes += existing.getAsLong();
    }
    telemetry.metrics().setInUse(when, bytes);
  }

  /** Nanoseconds since the migration began. */
  long elapsed() {
    return Time.nanos() - beginNanos;
  }

  // ----------------------------------------------------------------------- from any thread

  /** Cancels the migration; has no effect after the switch-over has been decided. */
  public final void cancel() {
    cancellation.request();
  }

  /**
   * Whether the guest may have been handed over and this session has not yet finished what must be
   * done for it. The session can no longer be cancelled, and the process must not be ended.
   */
  public final boolean mustFinish() {
    return cancellation.isClosed() && outcome == null;
  }

  /**
   * Ends the doubt of a session that had ended undecided; for one thread at a time.
   *
   * @param where the guest is
   * @param runs whether it runs at this end
   * @param sentence what has become of it
   */
  public final void settle(
      MigrationStatus status, Custody where, OperatorAct act, boolean runs, String sentence) {
    custody = where;
    outcome = Objects.requireNonNull(outcome, "it has ended").with(sentence);
    telemetry.settle(status, act, runs);
  }

  public final SessionTelemetry telemetry() {
    return telemetry;
  }

  /** How the session ended; null while it runs. */
  public final @Nullable SessionOutcome result() {
    return outcome;
  }

  /** The sentences of the {@link #result}; null while it runs. */
  public final @Nullable String outcome() {
    SessionOutcome ended = outcome;
    return ended == null ? null : ended.sentence();
  }

  /** Where the guest is; in doubt while the session runs. */
  public final Custody custody() {
    return custody;
  }

  /** The capabilities that both ends agreed on; null until they are connected. */
  public final @Nullable Capabilities agreed() {
    return agreed;
  }

  /** Whether all RAM is registered at the beginning; known once connected. */
  public final boolean pinAll() {
    Capabilities capabilities = agreed;
    return capabilities != null && capabilities.pinAll();
  }

  /** Whether the digests of both ends were compared and found equal. */
  public final boolean verified() {
    return comparison.isEqual();
  }

  /**
   * Whether the digests of both ends are to be compared at the end; false once it is known that the
   * destination does not digest its RAM, because its guest is in another process.
   */
  public abstract boolean isCompared();

  /** A sentence for each thing that could not be confirmed. */
  public final List<String> unconfirmed() {
    return unconfirmed;
  }

  /** Digests of this side's RAM blocks at the switch-over; empty until known. */
  public final List<BlockDigest> ownDigests() {
    return comparison.own();
  }

  /** Digests of the peer's RAM blocks at the switch-over; empty until known. */
  public final List<BlockDigest> peerDigests() {
    return comparison.peers();
  }

  /** Nanoseconds of each part of the downtime, in order. */
  public final Map<DowntimePart, Long> downtimePhases() {
    return downtime.parts();
  }
}
