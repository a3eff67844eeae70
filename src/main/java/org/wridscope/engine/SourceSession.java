// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
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
import org.wridscope.guest.MachineGuest;
import org.wridscope.guest.SavedGuest;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.Legible;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.RdmaDevice;

/**
 * The end that a guest leaves: pre-copy rounds over its dirty log until what remains fits the
 * downtime limit, then the switch-over. Whatever fails before the destination was told to start the
 * guest leaves it running here.
 */
public final class SourceSession extends MigrationSession {
  private static final Logger LOG = LoggerFactory.getLogger(SourceSession.class);

  /** What this side lets the transport repeat; 7 would be endless on some devices. */
  private static final int RETRIES = 5;

  /** The peer's messages wait for our receives as long as it takes: our own deadlines watch. */
  private static final int RNR_RETRIES = 7;

  /** Between two attempts to ask for the outcome. */
  private static final Duration INQUIRY_INTERVAL = Duration.ofMillis(100);

  /** Rounds that moved less say nothing about the bandwidth. */
  private static final long MIN_SAMPLE_BYTES = 1 << 20;

  private final InetSocketAddress destination;
  private final MigrationId id = MigrationId.random();
  private final Departure departure;

  /** Sends RAM; null until the destination's blocks are known. */
  private volatile @Nullable RamSender sender;

  /** Rounds that have begun, the switch-over's among them. */
  private int rounds;

  /** Whether the last message may have arrived at a destination that acknowledges nothing. */
  private boolean allSent;

  /** Where the guest is once it was handed over; a sentence. */
  private String place = "The destination has the guest.";

  /** Whether the destination may have been told to start the guest. */
  private boolean handedOver;

  /** Whether the destination may have started the guest although the migration failed. */
  private boolean doubtful;

  /**
   * @param guest to be migrated; it goes on running until the switch-over
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
    departure =
        switch (guest) {
          case MachineGuest machine -> new DepartingGuest(this, machine);
          case SavedGuest saved -> new DepartingFile(this, saved);
          case CapturedGuest _ ->
              throw new IllegalArgumentException("a guest that is being captured cannot leave");
        };
  }

  /**
   * Says that the guest does not need a range of its RAM soon, so that the registrations that cover
   * part of it may be given back to both ends' devices: after what is in transit there, and until
   * something of it is sent again. From any thread. Without effect while the session is not sending
   * RAM, with pin-all, where a block has but one registration, and for a guest in a file, whose
   * registrations go as they come.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1
   * @throws IllegalArgumentException when the range is not in the block
   */
  public void hintUnregister(int block, long offset, long length) {
    List<RamBlock> ram = guest.ramBlocks();
    if (block < 0
        || block >= ram.size()
        || offset < 0
        || length < 1
        || length > ram.get(block).length() - offset) {
      throw new IllegalArgumentException(
          "the range %d +%d is not in RAM block %d".formatted(offset, length, block));
    }
    RamSender now = sender;
    if (now != null) {
      now.hintUnregister(block, offset, length);
    }
  }

  @Override
  String migrate() throws IOException, InterruptedException {
    begin();
    departure.prepare();
    List<RamBlock> ram = guest.ramBlocks();
    List<ChunkTable> tables = RamSender.tablesOf(ram);
    telemetry.setBlocks(tables);
    long bytes = ram.stream().mapToLong(RamBlock::length).sum();
    telemetry.metrics().set(Metric.RAM_REMAINING, bytes);
    telemetry.metrics().set(Metric.RAM_TOTAL, bytes);
    Connected peer = connect();

    telemetry.beginPhase("set-up");
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
      precopy(stream, ramSender);
      setStatus(MigrationStatus.DEVICE);
      long begin = System.nanoTime();
      RamDigester digester = sendRest(stream, ramSender, peer);
      try {
        handOver(peer);
        telemetry.metrics().set(Metric.DOWNTIME, System.nanoTime() - begin);
        telemetry.metrics().set(Metric.TOTAL_TIME, elapsed());
        return finish(peer, digester);
      } finally {
        digester.abandon();
      }
    } finally {
      endDeparture();
    }
  }

  private void endDeparture() {
    try {
      departure.end();
    } catch (RuntimeException | Error e) {
      LOG.error("the guest's writes are still noted, by an error of this program", e);
    }
  }

  // ---------------------------------------------------------------------------------- set-up

  private Connected connect() throws IOException, InterruptedException {
    Connection connection = device.resolve(destination, limits.connect());
    Connected peer =
        Connected.open(
            device, connection, parameters.sharedQueue(), telemetry, cancellation, limits);
    connected = peer;
    int flags =
        (parameters.pinAll() ? Capabilities.PIN_ALL : 0)
            | (parameters.extensions() && departure.hasMarkedEnd() ? Capabilities.WRIDSCOPE : 0);
    byte[] request = Capabilities.of(flags).toBytes(id);
    Capabilities granted = Capabilities.decode(connect(connection, request)).and(flags);
    setAgreed(granted);
    if (granted.wridscope()) {
      peer.control().enableExtensions();
    }
    return peer;
  }

  private byte[] connect(Connection connection, byte[] request)
      throws IOException, InterruptedException {
    try {
      return connection.connect(connectionParameters(request), limits.connect());
    } catch (ConnectionRejectedException e) {
      String why = printable(e.privateData());
      throw why.isEmpty() ? e : new MigrationException(e.getMessage() + ": " + why, e);
    }
  }

  /** The text that a Wridscope rejects with, padded with zeros by the transport. */
  private static String printable(byte[] privateData) {
    String text = new String(privateData, StandardCharsets.ISO_8859_1);
    return Legible.of(text.replaceAll("\0+$", "").strip());
  }

  static ConnectionParameters connectionParameters(byte[] privateData) {
    return new ConnectionParameters(privateData, RETRIES, RNR_RETRIES);
  }

  /** Asks for the destination's RAM blocks and checks them against ours. */
  private RamSender exchangeBlocks(Connected peer, List<RamBlock> ram, List<ChunkTable> tables)
      throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    var registrar =
        new Registrar(peer.endpoint(), ram, tables, telemetry, EnumSet.noneOf(Access.class));
    control.payload();
    control.sendWhenReady(ControlType.RAM_BLOCKS_REQUEST, 1);
    boolean whole = pinAll() && !departure.standsStill();
    for (int block = 0; whole && block < ram.size(); block++) {
      registrar.registerBlock(block);
    }
    Message message = control.receive(ControlType.RAM_BLOCKS_RESULT, limits.work());
    List<RemoteBlock> remote =
        RemoteBlock.decodeList(message.payload(), message.header().length(), ram.size());
    long[] offsets = RemoteBlocks.adopt(remote, tables, pinAll());
    control.release(message);
    finishRegistrations(control);
    var made =
        new RamSender(
            peer.endpoint(),
            peer.poller(),
            control,
            registrar,
            ram,
            tables,
            offsets,
            pinAll(),
            parameters,
            telemetry);
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

  /** Sends RAM in rounds, until what the guest dirtied meanwhile fits the downtime limit. */
  private void precopy(MigrationStreamWriter stream, RamSender sender)
      throws IOException, InterruptedException {
    var metrics = telemetry.metrics();
    long remaining = sender.remaining();
    long bandwidth = 0;
    long expectedDowntime;
    long lastSync = System.nanoTime();
    do {
      beginRound("round " + (rounds + 1), remaining);
      long begin = System.nanoTime();
      stream.ramPart();
      long written = sender.sendRound(true);
      stream.ramEos();
      endRound();

      long now = System.nanoTime();
      long moved = written >= MIN_SAMPLE_BYTES ? written : remaining;
      if (moved >= MIN_SAMPLE_BYTES || bandwidth == 0) {
        bandwidth = perSecond(moved, now - begin);
        metrics.set(Metric.BANDWIDTH, bandwidth);
      }
      remaining = departure.sync(sender);
      metrics.set(Metric.DIRTY_BYTES_RATE, perSecond(remaining, now - lastSync));
      lastSync = now;
      expectedDowntime = (long) (remaining * 1e9 / Math.max(1, bandwidth));
      metrics.set(Metric.EXPECTED_DOWNTIME, expectedDowntime);
    } while (expectedDowntime > parameters.downtimeLimitNanos());
  }

  private static long perSecond(long amount, long nanos) {
    return (long) (amount * 1e9 / Math.max(1, nanos));
  }

  private void beginRound(String phase, long dirtyBytes) {
    var metrics = telemetry.metrics();
    rounds++;
    metrics.set(Metric.DIRTY_SYNC_COUNT, rounds);
    metrics.set(Metric.ROUND_BYTES, dirtyBytes);
    metrics.set(Metric.ROUND_PROCESSED, 0);
    telemetry.beginPhase(phase);
    telemetry.event(EventKind.ROUND_BEGIN, rounds, 0, 0, dirtyBytes);
  }

  private void endRound() {
    telemetry.event(
        EventKind.ROUND_END, rounds, 0, 0, telemetry.metrics().get(Metric.ROUND_PROCESSED));
  }

  // ------------------------------------------------------------------------------ switch-over

  /** Stops the guest and sends the rest. Returns a digester of RAM as it is now. */
  private RamDigester sendRest(MigrationStreamWriter stream, RamSender sender, Connected peer)
      throws IOException, InterruptedException {
    departure.pause();
    downtimePhase("pause");
    long remaining = departure.sync(sender);
    beginRound("switch-over", remaining);
    stream.ramEnd();
    sender.sendRound(false);
    stream.ramEos();
    endRound();
    downtimePhase("last pages");
    if (!peer.control().extensions()) {
      // The protocol has no acknowledgement: as soon as the last message has arrived, the guest is
      // the destination's. A cancel that came between would have it run at both ends.
      cancellation.check();
      cancellation.close();
    }
    departure.rest(stream);
    allSent = true;
    peer.control().awaitSent();
    downtimePhase("device state");
    return guest.beginDigest();
  }

  /**
   * Waits until the destination has loaded everything, and tells it to start the guest. From the
   * moment that it may have been told, the guest is started here again only if it says that it did
   * not start it there.
   */
  private void handOver(Connected peer) throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    if (!control.extensions()) {
      handedOver = true;
      return;
    }
    control.release(control.receive(ControlType.LOADED, limits.work()));
    control.requireNoMessage("SWITCH OVER");
    downtimePhase("load");
    cancellation.check();
    cancellation.close();
    handedOver = true;
    try {
      control.sendEmpty(ControlType.SWITCH_OVER);
      Message running = control.receive(ControlType.RUNNING, limits.answer());
      boolean kept = running.header().repeat() == ControlType.KEPT_IN_A_FILE;
      place =
          kept
              ? "The guest is in a file at the destination and stands still."
              : "The guest runs at the destination%s.".formatted(departure.place(destination));
      control.release(running);
    } catch (IOException e) {
      inquire(e);
    } catch (RuntimeException | Error e) {
      inquire(mistake(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw undecided(interrupted(e));
    }
    downtimePhase("resume");
  }

  /** Asks the destination, over a new connection, whether it started the guest. */
  private void inquire(IOException cause) throws MigrationException {
    telemetry.beginPhase("inquiry");
    telemetry.setWaitingFor("the destination to say whether it started the guest");
    long end = System.nanoTime() + limits.inquiry().toNanos();
    try {
      do {
        switch (ask()) {
          case RUNNING -> {
            return;
          }
          case NOT_STARTED -> {
            handedOver = false;
            throw new MigrationException(
                sentence(cause) + " The destination says that it did not start the guest.", cause);
          }
          case UNKNOWN -> Thread.sleep(INQUIRY_INTERVAL);
        }
      } while (System.nanoTime() < end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      telemetry.setWaitingFor(null);
    }
    throw undecided(cause);
  }

  private static UndecidedException undecided(IOException cause) {
    return new UndecidedException(
        sentence(cause)
            + " Whether the destination started the guest could not be found out: the guest stands"
            + " still here; look there before you start it again.",
        cause);
  }

  private InquiryAnswer.Outcome ask() throws InterruptedException {
    byte[] question = Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.INQUIRY).toBytes(id);
    try (var endpoint =
        new Endpoint(device, device.resolve(destination, limits.connect()), false)) {
      endpoint.connection().connect(connectionParameters(question), limits.connect());
    } catch (ConnectionRejectedException e) {
      return answer(e);
    } catch (IOException e) {
      return InquiryAnswer.Outcome.UNKNOWN;
    } catch (RuntimeException | Error e) {
      LOG.error("the destination could not be asked, by an error of this program", e);
      return InquiryAnswer.Outcome.UNKNOWN;
    }
    return InquiryAnswer.Outcome.UNKNOWN;
  }

  private InquiryAnswer.Outcome answer(ConnectionRejectedException rejected) {
    try {
      InquiryAnswer answer = InquiryAnswer.decode(rejected.privateData());
      return answer.id().equals(id) ? answer.outcome() : InquiryAnswer.Outcome.UNKNOWN;
    } catch (IOException e) {
      return InquiryAnswer.Outcome.UNKNOWN;
    }
  }

  private String finish(Connected peer, RamDigester digester) {
    if (!peer.control().extensions()) {
      return finishUnacknowledged(peer) + pinning();
    }
    List<String> order = guest.ramBlocks().stream().map(RamBlock::name).toList();
    try {
      String finding = verify(peer, digester, order);
      peer.control().awaitSent();
      return place + " " + finding + pinning();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // The destination has the guest, whatever happens to the digests.
      return place + " " + uncompared(e) + pinning();
    }
  }

  /** What became of a wish for pin-all, as a QEMU says it ({@code qemu_rdma_connect}). */
  private String pinning() {
    return parameters.pinAll() && !pinAll()
        ? " The destination does not pin all RAM, so it was registered a chunk at a time."
        : "";
  }

  /** A QEMU disconnects when it has loaded the guest, and also when it could not. */
  private String finishUnacknowledged(Connected peer) {
    telemetry.setWaitingFor("the destination to load the guest and disconnect");
    boolean gone = awaitGoodbye(peer, limits.loading());
    telemetry.setWaitingFor(null);
    var doubts = new ArrayList<String>();
    doubts.add("The destination cannot acknowledge that it loaded the guest.");
    doubts.add("The destination cannot send digests of its RAM.");
    if (!gone) {
      doubts.add(
          "The destination did not disconnect within %s; see what it reports."
              .formatted(Format.exactDuration(limits.loading().toNanos())));
    }
    setUnconfirmed(doubts);
    String to = departure.place(destination);
    return "The guest was sent%s; this destination cannot confirm that it runs there."
        .formatted(to.isEmpty() ? "" : " to" + to);
  }

  @Override
  String giveBack(IOException reason) {
    doubtful = isDoubtful(reason);
    return departure.giveBack(handedOver, doubtful);
  }

  @Override
  Custody custodyAfter(MigrationStatus ending) {
    return switch (ending) {
      case COMPLETED -> verified() ? Custody.ELSEWHERE : Custody.IN_DOUBT;
      case FAILED, CANCELLED -> handedOver || doubtful ? Custody.IN_DOUBT : Custody.HERE;
      default -> Custody.IN_DOUBT;
    };
  }

  /** Whether a destination that cannot be asked may have got everything and started the guest. */
  private boolean isDoubtful(IOException reason) {
    Connected peer = connected;
    return allSent
        && !(reason instanceof PeerGaveUpException)
        && peer != null
        && !peer.control().extensions();
  }

  @Override
  void closeListener() {
    // It has none.
  }
}
