// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Guest;
import org.wridscope.guest.MachineGuest;
import org.wridscope.memory.BlockDigest;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.DigestEntry;
import org.wridscope.protocol.DigestList;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.RdmaDevice;

/**
 * One end of a migration. {@link #run} does all the work on the thread that calls it, and returns
 * when the migration has ended one way or another, with nothing left at the device. Everything else
 * may be called from any thread.
 */
public abstract sealed class MigrationSession permits SourceSession, DestinationSession {
  private static final Logger LOG = LoggerFactory.getLogger(MigrationSession.class);

  /** In an outcome of a side that lost its peer and knows no more. */
  public static final String SEE_THERE = "see what the other side reports";

  /** How the outcome of a destination begins whose source gave up. */
  public static final String SOURCE_GAVE_UP = "The source gave up";

  private static final Pattern LOWER_CASE_WORD = Pattern.compile("[a-z]+ ");

  /** When not even the reason can be said, as without any memory. */
  private static final Ending UNEXPLAINED =
      new Ending(MigrationStatus.FAILED, "This program made an error; see its log.");

  /**
   * How long a session may take to end after it was cancelled, when no guest can be lost: longer
   * than a destination stays for a source that may ask who has the guest. Whoever ended it sooner
   * would leave such a source, and its guest, undecided.
   */
  public static final Duration END_PATIENCE = Limits.DEFAULT.inquiry().plus(Duration.ofSeconds(10));

  /** How long a courtesy ERROR message may take to leave. */
  private static final Duration COURTESY = Duration.ofMillis(100);

  final RdmaDevice device;
  final Guest guest;
  final MigrationParameters parameters;
  final SessionTelemetry telemetry;
  final Cancellation cancellation;
  final Limits limits;
  private final Map<String, Long> downtimePhases = new LinkedHashMap<>();
  private long beginNanos = System.nanoTime();
  private long phaseBegin;
  private volatile @Nullable String outcome;
  private volatile Custody custody = Custody.IN_DOUBT;
  private volatile @Nullable Capabilities agreed;
  private volatile boolean verified;
  private volatile List<String> unconfirmed = List.of();
  private volatile List<BlockDigest> ownDigests = List.of();
  private volatile List<BlockDigest> peerDigests = List.of();

  /** A sentence about a defect that showed when all was over, with a space before it. */
  private String afterword = "";

  /** What to disconnect at the end; null while there is no connection. */
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
    this.cancellation = new Cancellation(parameters.timeout());
  }

  /** How a migration ended. */
  private record Ending(MigrationStatus status, String sentence) {}

  /** What is to be closed. */
  @FunctionalInterface
  interface Resource extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /** Runs the migration to its end, which it reaches whatever is thrown on the way. */
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
      if (telemetry.metrics().get(Metric.TOTAL_TIME) == 0) {
        telemetry.metrics().set(Metric.TOTAL_TIME, elapsed());
      }
      custody = custodyAfter(ending.status);
      outcome = ending.sentence;
      outcome = ending.sentence + afterword;
      telemetry.beginPhase(ending.status.qemuName());
    } finally {
      telemetry.setStatus(ending.status);
    }
  }

  private Ending attempt() {
    try {
      return new Ending(MigrationStatus.COMPLETED, migrate());
    } catch (UndecidedException e) {
      return new Ending(MigrationStatus.UNDECIDED, sentence(e));
    } catch (CancelledException e) {
      return giveUp(MigrationStatus.CANCELLED, e, sentence(e));
    } catch (IOException e) {
      return giveUp(MigrationStatus.FAILED, e, sentence(e));
    } catch (InterruptedException e) {
      // Set again at the end: the peer is to hear of it, which takes waits that it would end.
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
   * Ends a migration that cannot go on.
   *
   * @param told what the peer is told about the reason
   */
  private Ending giveUp(MigrationStatus status, IOException reason, String told) {
    if (!(reason instanceof PeerGaveUpException)) {
      sayError(told);
    }
    try {
      return new Ending(status, sentence(reason) + " " + giveBack(reason));
    } catch (RuntimeException | Error e) {
      return new Ending(MigrationStatus.FAILED, sentence(reason) + " " + sentence(mistake(e)));
    }
  }

  /** What a defect of this program is to the session. */
  static MigrationException mistake(Throwable e) {
    LOG.error("the session failed by an error of this program", e);
    return new MigrationException("This program made an error: " + e, e);
  }

  static MigrationException interrupted(InterruptedException e) {
    return new MigrationException("The session's thread was interrupted", e);
  }

  /**
   * Does it all.
   *
   * @return a sentence about what was achieved
   */
  abstract String migrate() throws IOException, InterruptedException;

  /**
   * After a failure: makes sure that the guest is where it belongs. Returns a sentence about it.
   */
  abstract String giveBack(IOException reason);

  /** Where the guest is after the session has ended this way. */
  abstract Custody custodyAfter(MigrationStatus ending);

  /** Releases what the connection does not own. */
  abstract void closeListener() throws IOException;

  /** Whether the connection has not been released yet, broken or not. */
  final boolean isConnected() {
    return connected != null;
  }

  /** Disconnects and releases all that the connection had. A second time does nothing. */
  final void closeConnection() {
    Connected peer = connected;
    connected = null;
    if (peer != null) {
      release(peer::close);
    }
  }

  /** Releases something, whose failure changes nothing about the migration. */
  private void release(Resource resource) {
    try {
      resource.close();
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      afterword = " " + sentence(mistake(e));
    }
  }

  /** What an exception says, as a sentence. */
  static String sentence(Throwable e) {
    String message = e.getMessage();
    String text = message == null || message.isBlank() ? e.toString() : message.strip();
    String end = text.endsWith(".") ? "" : ".";
    // A name that it may begin with stays as it is.
    return LOWER_CASE_WORD.matcher(text).lookingAt()
        ? text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + end
        : text + end;
  }

  /** Tells the peer that this side gives up, if it still can be told. */
  private void sayError(String reason) {
    Connected peer = connected;
    if (peer == null || peer.poller().disconnected()) {
      return;
    }
    try {
      peer.control().sendErrorIfPossible(reason);
      long end = System.nanoTime() + COURTESY.toNanos();
      while (peer.control().isSending() && !peer.poller().hasFailed() && System.nanoTime() < end) {
        peer.poller().takeAll();
        Thread.onSpinWait();
      }
    } catch (IOException e) {
      LOG.debug("the peer could not be told: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the peer could not be told, by an error of this program", e);
    }
  }

  // ---------------------------------------------------------------------- what both ends do alike

  void pause(MachineGuest running) {
    beginDowntime();
    running.pause();
    telemetry.event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
  }

  void resume(MachineGuest paused) {
    paused.resume();
    telemetry.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
  }

  /** From now on its parts are measured. */
  void beginDowntime() {
    phaseBegin = System.nanoTime();
  }

  /** Ends a part of the downtime. */
  void downtimePhase(String name) {
    long now = System.nanoTime();
    synchronized (downtimePhases) {
      downtimePhases.merge(name, now - phaseBegin, Long::sum);
    }
    phaseBegin = now;
  }

  /** Both ends are connected and have agreed on these. */
  void setAgreed(Capabilities capabilities) {
    agreed = capabilities;
  }

  void setUnconfirmed(List<String> sentences) {
    unconfirmed = List.copyOf(sentences);
  }

  /**
   * Exchanges digests with the peer and compares them, while the guest may run already.
   *
   * @param order names of the RAM blocks, in the order of the migration stream
   * @return a sentence that says what was found
   */
  String verify(Connected peer, RamDigester digester, List<String> order)
      throws IOException, InterruptedException {
    if (order.size() > DigestList.MAX_ENTRIES) {
      throw new MigrationException(
          "The guest has %d RAM blocks, and a message holds the digests of %d"
              .formatted(order.size(), DigestList.MAX_ENTRIES));
    }
    telemetry.beginPhase("verify");
    try (var worker = new DigestWorker(digester)) {
      peer.poller().await(worker::isDone, "the digests of RAM", limits.work());
      ownDigests = inOrder(worker.result(), order);
    }
    var list =
        new DigestList(
            ownDigests.stream().map(d -> new DigestEntry(d.length(), d.sha256())).toList());
    list.encode(peer.control().payload());
    peer.control().send(ControlType.DIGESTS, 1);
    Message message = peer.control().receive(ControlType.DIGESTS, limits.work());
    List<DigestEntry> theirs =
        DigestList.decode(message.payload(), message.header().length()).entries();
    peer.control().release(message);
    return compare(theirs);
  }

  private static List<BlockDigest> inOrder(List<BlockDigest> digests, List<String> order) {
    Map<String, BlockDigest> named =
        digests.stream().collect(Collectors.toMap(BlockDigest::name, Function.identity()));
    return order.stream().map(named::get).toList();
  }

  private String compare(List<DigestEntry> theirs) throws MigrationException {
    List<BlockDigest> mine = ownDigests;
    if (theirs.size() != mine.size()) {
      throw new MigrationException(
          "The peer sent digests of %d RAM blocks, here are %d."
              .formatted(theirs.size(), mine.size()));
    }
    var named = new ArrayList<BlockDigest>();
    for (int i = 0; i < mine.size(); i++) {
      DigestEntry entry = theirs.get(i);
      named.add(new BlockDigest(mine.get(i).name(), entry.length(), entry.sha256()));
    }
    peerDigests = List.copyOf(named);
    var different = new ArrayList<>(named);
    different.removeAll(mine);
    verified = different.isEmpty();
    if (!verified) {
      String names = String.join(", ", different.stream().map(BlockDigest::name).toList());
      setUnconfirmed(List.of("The RAM differs in " + names + "."));
      return "The RAM differs between source and destination in "
          + names
          + ": do not trust the guest there.";
    }
    return "Its RAM is equal at both ends.";
  }

  /**
   * Says that the digests could not be compared, which is no failure of the migration.
   *
   * @return a sentence about it
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
   * Waits for the peer to disconnect, which is no failure if it does not.
   *
   * @return whether it did
   */
  boolean awaitGoodbye(Connected peer, Duration limit) {
    try {
      peer.poller().awaitDisconnect(limit);
    } catch (IOException e) {
      LOG.debug("at the end: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the peer's disconnect was not awaited, by an error of this program", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return peer.poller().disconnected();
  }

  /** Whether the digests of both ends were compared and found different. */
  boolean differs() {
    return !verified && !peerDigests.isEmpty();
  }

  void setStatus(MigrationStatus status) {
    telemetry.setStatus(status);
  }

  /** The migration begins now; a destination may have waited for it. */
  void begin() {
    beginNanos = System.nanoTime();
    cancellation.begin(beginNanos);
    // The phase first: times are counted from it, and the change of status is the first event.
    telemetry.beginPhase("connect");
    setStatus(MigrationStatus.SETUP);
  }

  /** Nanoseconds since the migration began. */
  long elapsed() {
    return System.nanoTime() - beginNanos;
  }

  // --------------------------------------------------------------------------- for any thread

  /** Asks the session to give up; without effect once the switch-over is decided. */
  public final void cancel() {
    cancellation.request();
  }

  /**
   * Whether the source has given the guest up, or may have, and this side has not done yet what it
   * must for the guest. It cannot be cancelled any more, and must not be ended from outside.
   */
  public final boolean mustFinish() {
    return cancellation.isClosed() && outcome == null;
  }

  public final SessionTelemetry telemetry() {
    return telemetry;
  }

  /** How it ended, one or two sentences; null while it runs. */
  public final @Nullable String outcome() {
    return outcome;
  }

  /** Where the guest is; in doubt while the session runs. */
  public final Custody custody() {
    return custody;
  }

  /** What both ends agreed on; null until they are connected. */
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
    return verified;
  }

  /** What could not be confirmed, a sentence each. */
  public final List<String> unconfirmed() {
    return unconfirmed;
  }

  /** Digests of our RAM blocks at the switch-over; empty until known. */
  public final List<BlockDigest> ownDigests() {
    return ownDigests;
  }

  /** Digests of the peer's RAM blocks at the switch-over; empty until known. */
  public final List<BlockDigest> peerDigests() {
    return peerDigests;
  }

  /** Nanoseconds of each part of the downtime, in order. */
  public final Map<String, Long> downtimePhases() {
    synchronized (downtimePhases) {
      return new LinkedHashMap<>(downtimePhases);
    }
  }
}
