// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Guest;
import org.wridscope.guest.Handover;
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.MemoryHints;
import org.wridscope.guest.RunningMachine;
import org.wridscope.guest.SavedGuest;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.RoundRates;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.time.Time;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.RdmaDevice;

/**
 * The source of a migration: pre-copy rounds until what remains to be sent fits the downtime limit
 * and the switch-over is permitted, then the switch-over. Any failure before the destination was
 * told to start the guest leaves it running here.
 */
public final class SourceSession extends MigrationSession implements MemoryHints {
  private static final Logger LOG = LoggerFactory.getLogger(SourceSession.class);

  /** Rounds that sent less are too short to measure the bandwidth. */
  private static final long MIN_SAMPLE_BYTES = 1 << 20;

  private final InetSocketAddress destination;
  private final MigrationId id = MigrationId.random();
  private final Departure departure;
  private final SwitchoverHold hold;

  /** Null until the destination's RAM blocks are known. */
  private volatile @Nullable RamSender sender;

  /** Rounds that have begun, including that of the switch-over. */
  private int rounds;

  /** The RAM blocks of the migration; those of the guest are checked against them. */
  private RamLayout layout = new RamLayout(List.of());

  /** With which the destination proves what it answers; null if it cannot. */
  private @Nullable MigrationSecret secret;

  /** Whether all of the guest may have arrived at a destination without acknowledgements. */
  private boolean allSent;

  /** Where the guest is after the handover; a sentence. */
  private String place = "The destination has the guest.";

  /** Whether the destination sends digests of its RAM. */
  private volatile boolean compared = true;

  /** Whether the destination may have been told to start the guest. */
  private boolean handedOver;

  /** Whether it is not known which end has the guest. */
  private boolean undecided;

  /** Whether the destination may have started the guest although the migration failed. */
  private boolean doubtful;

  /**
   * @param guest to be migrated; it continues to run until the switch-over
   */
  public SourceSession(
      RdmaDevice device,
      InetSocketAddress destination,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry) {
    this(device, destination, guest, parameters, telemetry, Limits.DEFAULT);
  }

  SourceSession(
      RdmaDevice device,
      InetSocketAddress destination,
      Guest guest,
      MigrationParameters parameters,
      SessionTelemetry telemetry,
      Limits limits) {
    super(device, guest, parameters, telemetry, limits);
    this.destination = destination;
    hold =
        new SwitchoverHold(
            parameters.get(MigrationSetting.PAUSE_BEFORE_SWITCHOVER), telemetry, cancellation);
    departure =
        switch (guest) {
          case MachineGuest machine -> new DepartingGuest(this, machine);
          case RunningMachine machine -> new DepartingMachine(this, machine);
          case SavedGuest saved -> new DepartingFile(this, saved);
          case WaitingMachine _, CapturedGuest _ ->
              throw new IllegalArgumentException("a guest that is to arrive cannot leave");
        };
  }

  /**
   * Notes that the guest does not need a range of its RAM soon, so that the registrations that
   * cover part of it may be deregistered at both ends, once nothing of them is in transit, until
   * some of it is sent again. From any thread. Has no effect while the session is not sending RAM,
   * with pin-all, where a block has one registration only, and for a guest in a file, which is
   * registered only while it is being sent.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1
   * @throws IllegalArgumentException if the range is not in the block
   */
  @Override
  public void notNeeded(int block, long offset, long length) {
    requireRange(block, offset, length);
    RamSender now = sender;
    if (now != null) {
      now.hintUnregister(block, offset, length);
    }
  }

  /**
   * Deregisters a range of the guest's RAM now, at both ends, and waits until that is done: what is
   * in transit or is to be written next is written before. From any thread but the session's. The
   * range is registered again if some of it is still to be sent, or the guest writes to it and the
   * migration goes on.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1
   * @return the number of registrations that were given back for it; they may cover more
   * @throws StillRegisteredException if that is not possible, or not within the limit
   * @throws IllegalArgumentException if the range is not in the block
   */
  @Override
  public int release(int block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException {
    requireRange(block, offset, length);
    RamSender now = sender;
    if (now == null) {
      throw new StillRegisteredException(
          "The session is not sending RAM now, so no RAM is registered.");
    }
    return now.unregister(block, offset, length, limit);
  }

  /**
   * Permits a source to switch over that has the status {@link MigrationStatus#PRE_SWITCHOVER}; has
   * no effect on another one. From any thread. It switches over as soon as the rest fits the
   * downtime limit, which is at once unless the guest has become busier meanwhile.
   */
  public void permitSwitchover() {
    hold.permit();
  }

  /** Whether a caller waits for a range to be unregistered. */
  boolean isUnregistering() {
    RamSender now = sender;
    return now != null && now.isUnregistering();
  }

  private void requireRange(int block, long offset, long length) {
    List<RamBlock> ram = guest.ramBlocks();
    if (block < 0
        || block >= ram.size()
        || offset < 0
        || length < 1
        || length > ram.get(block).length() - offset) {
      throw new IllegalArgumentException(
          "the range %d +%d is not in RAM block %d".formatted(offset, length, block));
    }
  }

  /**
   * Where a source that has ended undecided can ask for the outcome, if the destination can tell.
   */
  public Handover handover() {
    Capabilities capabilities = agreed();
    return handover(capabilities != null && capabilities.wridscope() ? id : null);
  }

  @Override
  SessionOutcome migrate() throws IOException, InterruptedException {
    begin();
    departure.prepare();
    layout = new RamLayout(guest.ramBlocks());
    List<RamBlock> ram = layout.blocks();
    List<ChunkTable> tables = ChunkTable.tablesOf(ram);
    telemetry.setBlocks(tables);
    long bytes = ram.stream().mapToLong(RamBlock::length).sum();
    telemetry.metrics().set(Metric.RAM_REMAINING, bytes);
    telemetry.metrics().set(Metric.RAM_TOTAL, bytes);
    noteInUse(Metric.RAM_IN_USE_BEFORE, ram);
    Connected peer = connect();

    telemetry.beginPhase(Phase.Kind.SET_UP);
    departure.begin();
    try (var output = new QemuFileOutput(peer.control())) {
      var stream = new MigrationStreamWriter(output);
      departure.header(stream);
      stream.ramStart(ram.stream().map(b -> new BlockListing(b.name(), b.length())).toList());
      RamSender ramSender = exchangeBlocks(peer, ram, tables);
      sender = ramSender;
      stream.ramEos();
      telemetry.metrics().set(Metric.SETUP_TIME, elapsed());

      setStatus(MigrationStatus.ACTIVE);
      precopy(stream, ramSender, peer);
      setStatus(MigrationStatus.DEVICE);
      RamDigester digester = sendRest(stream, output, ramSender, peer);
      try {
        handOver(peer);
        telemetry.metrics().set(Metric.DOWNTIME, downtime.elapsed());
        noteTotalTime();
        SessionOutcome result = finish(peer, digester);
        noteInUse(Metric.RAM_IN_USE_AFTER, ram);
        return result;
      } finally {
        digester.abandon();
      }
    } finally {
      endSending();
      endDeparture();
    }
  }

  private void endSending() {
    RamSender now = sender;
    if (now != null) {
      now.end();
    }
  }

  private void endDeparture() {
    try {
      departure.end(handedOver);
    } catch (RuntimeException | Error e) {
      LOG.error("the guest's writes are still logged because of a bug in Wridscope", e);
    }
  }

  // ---------------------------------------------------------------------------------- set-up

  private Connected connect() throws IOException, InterruptedException {
    Connection connection = device.resolve(destination, limits.connect());
    Connected peer = open(connection, Role.SOURCE);
    int flags =
        (parameters.get(MigrationSetting.PIN_ALL) ? Capabilities.PIN_ALL : 0)
            | (parameters.extensions() && departure.hasMarkedEnd()
                ? Capabilities.WRIDSCOPE | Capabilities.PROOF
                : 0);
    byte[] request = Capabilities.of(flags).toBytes(id);
    ByteBuffer answer = ByteBuffer.wrap(connect(connection, request));
    Capabilities granted = Capabilities.decode(answer).and(flags);
    secret = granted.proof() ? MigrationSecret.decode(answer) : null;
    setAgreed(granted, parameters.get(MigrationSetting.PIN_ALL));
    if (granted.wridscope()) {
      peer.control().enableExtensions();
    }
    return peer;
  }

  private byte[] connect(Connection connection, byte[] request)
      throws IOException, InterruptedException {
    try {
      return connection.connect(Endpoint.connectionParameters(request), limits.connect());
    } catch (ConnectionRejectedException e) {
      String why = printable(e.privateData());
      throw why.isEmpty() ? e : new MigrationException(e.getMessage() + ": " + why, e);
    }
  }

  /** The reason in a Wridscope's reject, which the transport pads with zeros. */
  private static String printable(byte[] privateData) {
    String text = new String(privateData, StandardCharsets.ISO_8859_1);
    return Legible.of(text.replaceAll("\0+$", "").strip());
  }

  /** Requests the destination's RAM blocks and checks them against those of this side. */
  private RamSender exchangeBlocks(Connected peer, List<RamBlock> ram, List<ChunkTable> tables)
      throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    var registrar =
        new Registrar(peer.endpoint(), ram, tables, telemetry, EnumSet.noneOf(Access.class));
    control.payload();
    control.sendWhenReady(ControlType.RAM_BLOCKS_REQUEST, 1);
    boolean whole = pinAll() && !departure.standsStill();
    for (int block = 0; whole && block < ram.size(); block++) {
      registrar.registerBlock(block, peer.poller());
    }
    Message message = control.receive(ControlType.RAM_BLOCKS_RESULT, limits.work());
    List<RemoteBlock> remote =
        RemoteBlock.decodeList(message.payload(), message.header().length(), ram.size());
    long[] offsets = RemoteBlocks.adopt(remote, tables, pinAll());
    control.release(message);
    finishRegistrations(control);
    var made =
        new RamSender(peer, registrar, ram, tables, offsets, pinAll(), parameters, telemetry);
    if (departure.standsStill()) {
      made.sendOnce(departure.residency());
    }
    return made;
  }

  private static void finishRegistrations(ControlChannel control)
      throws IOException, InterruptedException {
    control.payload();
    control.sendWhenReady(ControlType.REGISTER_FINISHED, 1);
  }

  // -------------------------------------------------------------------------------- pre-copy

  /**
   * Sends RAM in rounds until the expected downtime is within the limit and the switch-over is
   * permitted.
   *
   * @throws MigrationException if there were more rounds than the limit allows
   */
  private void precopy(MigrationStreamWriter stream, RamSender sender, Connected peer)
      throws IOException, InterruptedException {
    var metrics = telemetry.metrics();
    long remaining = sender.remaining();
    var rates = new RoundRates();
    long expectedDowntime;
    long counted = 0;
    long lastSync = Time.nanos();
    do {
      boolean counts = !hold.isHeld();
      if (counts) {
        counted++;
        telemetry.beginRound((rounds + 1));
      }
      beginRound(remaining);
      long begin = Time.nanos();
      stream.ramPart();
      long written = sender.sendRound(true);
      stream.ramEos();
      endRound();

      long now = Time.nanos();
      long moved = written >= MIN_SAMPLE_BYTES ? written : remaining;
      if (moved >= MIN_SAMPLE_BYTES || rates.bandwidth() == 0) {
        rates.sent(moved, now - begin, parameters.bandwidthLimit());
        metrics.set(Metric.BANDWIDTH, rates.bandwidth());
      }
      hold.rest(peer.poller(), this::isUnregistering);
      long sync = Time.nanos();
      remaining = sync(sender);
      rates.dirtied(remaining, sync - lastSync);
      metrics.set(Metric.DIRTY_BYTES_RATE, rates.dirtyRate());
      lastSync = sync;
      expectedDowntime = (long) (remaining * 1e9 / Math.max(1, rates.surestBandwidth()));
      metrics.set(Metric.EXPECTED_DOWNTIME, expectedDowntime);
      if (counts && expectedDowntime > parameters.downtimeLimitNanos()) {
        requireAnotherRound(counted, expectedDowntime);
      }
    } while (expectedDowntime > parameters.downtimeLimitNanos() || !hold.permits());
  }

  private void requireAnotherRound(long counted, long expectedDowntime) throws MigrationException {
    long limit = parameters.get(MigrationSetting.ROUND_LIMIT);
    if (limit > 0 && counted >= limit) {
      throw new MigrationException(
          "The migration did not converge within %s: the downtime would be %s, and its limit is %s. Allow more rounds, a longer downtime or more bandwidth, or let the guest write less."
              .formatted(
                  Format.counted(counted, "round"),
                  Format.duration(expectedDowntime),
                  Format.duration(parameters.downtimeLimitNanos())),
          Origin.LIMIT);
    }
  }

  /** Adds what the guest has changed, and checks that it still has the same RAM blocks. */
  private long sync(RamSender sender) throws IOException {
    long remaining = departure.sync(sender);
    layout.requireSame(guest.ramBlocks());
    return remaining;
  }

  private void beginRound(long dirtyBytes) {
    rounds++;
    telemetry.event(EventKind.ROUND_BEGIN, rounds, 0, 0, dirtyBytes);
  }

  private void endRound() {
    telemetry.event(
        EventKind.ROUND_END, rounds, 0, 0, telemetry.metrics().get(Metric.ROUND_PROCESSED));
  }

  // ------------------------------------------------------------------------------ switch-over

  /**
   * Pauses the guest and sends the rest.
   *
   * @return a digester of RAM as it is now
   */
  private RamDigester sendRest(
      MigrationStreamWriter stream, QemuFileOutput output, RamSender sender, Connected peer)
      throws IOException, InterruptedException {
    departure.pause();
    downtime.end(DowntimePart.PAUSE);
    long remaining = sync(sender);
    telemetry.beginPhase(Phase.Kind.SWITCH_OVER);
    beginRound(remaining);
    stream.ramEnd();
    sender.sendRound(false);
    sender.end();
    stream.ramEos();
    endRound();
    downtime.end(DowntimePart.LAST_PAGES);
    if (!peer.control().extensions()) {
      // Without acknowledgements, the guest belongs to the destination as soon as the last message
      // has arrived. After a cancel in between it would run at both ends.
      cancellation.check();
      cancellation.close();
      departure.handOver(handover(null));
    }
    return sendLast(stream, output, peer);
  }

  /**
   * Sends what follows the RAM, and waits until it has been sent. After a failure, whatever it is,
   * the guest is in doubt if a destination without acknowledgements may have all of it.
   */
  private RamDigester sendLast(MigrationStreamWriter stream, QemuFileOutput output, Connected peer)
      throws IOException, InterruptedException {
    try {
      try {
        departure.rest(stream);
      } finally {
        allSent = output.mayHaveArrived() >= stream.loadable();
      }
      peer.control().awaitSent();
      downtime.end(DowntimePart.DEVICE_STATE);
      return guest.beginDigest();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      handedOver = departure.mustNotRunTwice() && isDoubtful();
      if (!handedOver) {
        throw e;
      }
      throw undecided(
          switch (e) {
            case IOException known -> known;
            case InterruptedException interrupt -> {
              Thread.currentThread().interrupt();
              yield interrupted(interrupt);
            }
            default -> mistake(e);
          });
    }
  }

  /**
   * Waits until the destination has loaded everything, and tells it to start the guest. Once it may
   * have been told, the guest is resumed here only if the destination confirms that it has not
   * started it.
   */
  private void handOver(Connected peer) throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    if (!control.extensions()) {
      handedOver = true;
      return;
    }
    control.release(control.receive(ControlType.LOADED, limits.work()));
    control.requireNoMessage("SWITCH OVER");
    downtime.end(DowntimePart.LOAD);
    cancellation.check();
    cancellation.close();
    departure.handOver(handover(id));
    handedOver = true;
    try {
      control.sendEmpty(ControlType.SWITCH_OVER);
      Message running = control.receive(ControlType.RUNNING, limits.answer());
      int how = running.header().repeat();
      compared = how != ControlType.RUNNING_UNCOMPARED && how != ControlType.PAUSED_UNCOMPARED;
      place =
          switch (how) {
            case ControlType.KEPT_IN_A_FILE ->
                "The guest is in a file at the destination and is paused.";
            case ControlType.TAKEN_OVER_PAUSED, ControlType.PAUSED_UNCOMPARED ->
                "The guest is paused at the destination.";
            default ->
                "The guest runs at the destination%s.".formatted(departure.place(destination));
          };
      control.release(running);
    } catch (IOException e) {
      inquire(e);
    } catch (RuntimeException | Error e) {
      inquire(mistake(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw undecided(interrupted(e));
    }
    downtime.end(DowntimePart.RESUME);
    departure.handedOver();
  }

  private Handover handover(@Nullable MigrationId asked) {
    return new Handover(device.name(), destination, asked, secret);
  }

  /** Asks the destination, over a new connection, whether it has started the guest. */
  private void inquire(IOException cause) throws MigrationException {
    telemetry.beginPhase(Phase.Kind.INQUIRY);
    telemetry.setWaitingFor(new Wait(Wait.Kind.OUTCOME));
    try {
      var inquiry = new Inquiry(device, handover(id), limits);
      Inquiry.Reply reply = inquiry.ask();
      switch (reply.outcome()) {
        case RUNNING -> {}
        case NOT_STARTED -> {
          handedOver = false;
          throw new MigrationException(
              sentence(cause) + " The destination says that it did not start the guest.", cause);
        }
        case UNKNOWN -> throw undecided(cause, inquiry.doubt(reply));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw undecided(cause);
    } catch (RuntimeException | Error e) {
      throw undecided(mistake(e));
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  /** Whether it is not known which end has the guest. */
  boolean isUndecided() {
    return undecided;
  }

  private UndecidedException undecided(IOException cause) {
    return undecided(cause, "");
  }

  private UndecidedException undecided(IOException cause, String doubt) {
    undecided = true;
    return new UndecidedException(
        sentence(cause)
            + doubt
            + " It is unknown whether the destination started the guest, so it is kept paused here;"
            + " check the destination before you start it again.",
        cause);
  }

  private SessionOutcome finish(Connected peer, RamDigester digester) {
    if (!peer.control().extensions()) {
      return SessionOutcome.completed(finishUnacknowledged(peer), pinning().strip());
    }
    if (!compared) {
      sayNoted(peer);
      setUnconfirmed(List.of(NOT_COMPARED));
      return SessionOutcome.completed(place, NOT_COMPARED + pinning());
    }
    List<String> order = guest.ramBlocks().stream().map(RamBlock::name).toList();
    try {
      String finding = verify(peer, digester, order);
      peer.control().awaitSent();
      return SessionOutcome.completed(place, finding + pinning());
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // The destination has the guest, whatever happens to the comparison.
      return SessionOutcome.completed(place, uncompared(e) + pinning());
    }
  }

  /** Without it the destination waits longer for a question, and that is all. */
  private static void sayNoted(Connected peer) {
    try {
      peer.control().sendNoted();
    } catch (IOException e) {
      LOG.debug("the destination does not know that the outcome is noted: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the destination was not told because of a bug in Wridscope", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A sentence if pin-all was requested and not granted ({@code qemu_rdma_connect}). */
  private String pinning() {
    return parameters.get(MigrationSetting.PIN_ALL) && !pinAll()
        ? " The destination does not pin all RAM, so RAM was registered in chunks."
        : "";
  }

  /** QEMU disconnects after it has loaded the guest, and also if it could not. */
  private String finishUnacknowledged(Connected peer) {
    telemetry.setWaitingFor(new Wait(Wait.Kind.DESTINATION_TO_LEAVE));
    boolean gone = awaitGoodbye(peer, limits.loading());
    telemetry.setWaitingFor(null);
    var doubts = new ArrayList<String>();
    doubts.add("The destination cannot acknowledge that it loaded the guest.");
    doubts.add("The destination cannot send digests of its RAM.");
    if (!gone) {
      doubts.add(
          "The destination did not disconnect within %s; see what it reports."
              .formatted(Format.duration(limits.loading().toNanos())));
    }
    setUnconfirmed(doubts);
    String to = departure.place(destination);
    return "The guest was sent%s; this destination cannot confirm that it runs there."
        .formatted(to.isEmpty() ? "" : " to" + to);
  }

  @Override
  String giveBack(IOException reason) {
    doubtful = isDoubtful();
    return departure.giveBack(handedOver, doubtful);
  }

  @Override
  public boolean isCompared() {
    return compared;
  }

  @Override
  Custody custodyAfter(MigrationStatus ending) {
    return switch (ending) {
      case COMPLETED -> verified() ? Custody.ELSEWHERE : Custody.IN_DOUBT;
      case FAILED, CANCELLED -> handedOver || doubtful ? Custody.IN_DOUBT : Custody.HERE;
      default -> Custody.IN_DOUBT;
    };
  }

  /**
   * Whether a destination that cannot be asked may have received everything and started the guest.
   * Its ERROR proves nothing: QEMU sends that when it cleans up after any error of its connection
   * ({@code qemu_rdma_cleanup}), also one after its guest was loaded.
   */
  private boolean isDoubtful() {
    Connected peer = connected;
    return allSent && peer != null && !peer.control().extensions();
  }

  @Override
  void closeListener() {
    // A source has none.
  }
}
