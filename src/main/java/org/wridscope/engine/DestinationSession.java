// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Guest;
import org.wridscope.guest.GuestDevice;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.MigrationStreamReader;
import org.wridscope.stream.RamPhase;
import org.wridscope.stream.StreamHandler;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;
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

  private final ConnectionListener listener;

  /** Of the migration that goes on, when both ends are Wridscopes. */
  private @Nullable MigrationId id;

  /** Whether the source may have been told that all was loaded, and may ask what came of it. */
  private boolean loadedSaid;

  private boolean started;

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
    telemetry.beginPhase("listen");
    Connected peer = awaitSource();
    peer.poller().setIdleTask(this::answerOthers);
    var incoming = new Incoming(peer);
    try (var input = new QemuFileInput(peer.control(), limits)) {
      new MigrationStreamReader(input).read(incoming);
      input.finish();
    }
    RamDigester digester = incoming.load();
    try {
      takeOver(peer);
      return finish(peer, digester, incoming.order());
    } finally {
      digester.abandon();
    }
  }

  // --------------------------------------------------------------------------------- connection

  /** Takes the first source that speaks our protocol; whoever does not is turned away. */
  private Connected awaitSource() throws IOException, InterruptedException {
    telemetry.setWaitingFor("a source to connect");
    try {
      while (true) {
        cancellation.check();
        ConnectionRequest request = listener.nextRequest(SLICE);
        Connected peer = request == null ? null : accept(request);
        if (peer != null) {
          return peer;
        }
      }
    } finally {
      telemetry.setWaitingFor(null);
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
    int known = Capabilities.PIN_ALL | (parameters.extensions() ? Capabilities.WRIDSCOPE : 0);
    Capabilities granted = wanted.and(known);
    Connected peer =
        Connected.open(device, request.connection(), List.of(), telemetry, cancellation, limits);
    connected = peer;
    if (granted.wridscope()) {
      peer.control().enableExtensions();
    }
    try {
      request.accept(SourceSession.connectionParameters(granted.toBytes()), limits.connect());
    } catch (IOException e) {
      LOG.warn("a source went away while it was being accepted: {}", e.getMessage());
      closeConnection();
      return null;
    }
    begin();
    setPinAll(granted.pinAll());
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
      reject(request, "A migration is going on here.");
      return;
    }
    tellOutcome(request);
    if (!started) {
      throw new MigrationException("The source lost the connection before the guest was started.");
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

  private static void reject(ConnectionRequest request, String sentence) {
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

  // ------------------------------------------------------------------------------------- stream

  /** What the migration stream brings. */
  private final class Incoming implements StreamHandler {
    private final Connected peer;
    private List<String> order = List.of();
    private @Nullable RegistrationServer server;
    private final Map<GuestDevice, byte[]> deviceStates = new HashMap<>();

    Incoming(Connected peer) {
      this.peer = peer;
    }

    List<String> order() {
      return order;
    }

    @Override
    public void machine(String machineType) throws IOException {
      if (!machineType.equals(guest.machineType())) {
        throw new MigrationException(
            "The source's machine type is '%s', here it is '%s': start the destination with the same guest."
                .formatted(machineType, guest.machineType()));
      }
      telemetry.beginPhase("set-up");
    }

    @Override
    public void ramBlocks(List<BlockListing> blocks) throws IOException {
      List<RamBlock> ram = match(blocks);
      List<ChunkTable> tables = RamSender.tablesOf(ram);
      order = ram.stream().map(RamBlock::name).toList();
      telemetry.setBlocks(tables);
      var registrar =
          new Registrar(
              peer.endpoint(),
              ram,
              tables,
              telemetry,
              EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
      server = new RegistrationServer(peer, registrar, ram, tables, pinAll(), telemetry);
    }

    /** Our blocks in the source's order. */
    private List<RamBlock> match(List<BlockListing> theirs) throws MigrationException {
      Map<String, RamBlock> ours =
          guest.ramBlocks().stream().collect(Collectors.toMap(RamBlock::name, Function.identity()));
      var matched = new ArrayList<RamBlock>();
      for (BlockListing listing : theirs) {
        RamBlock block = ours.remove(listing.name());
        if (block == null) {
          throw mismatch("has a RAM block '%s', which is not here".formatted(listing.name()));
        }
        if (block.length() != listing.length()) {
          throw mismatch(
              "has %d bytes in RAM block '%s', here it has %d"
                  .formatted(listing.length(), listing.name(), block.length()));
        }
        matched.add(block);
      }
      if (!ours.isEmpty()) {
        throw mismatch("has no RAM block '%s'".formatted(ours.keySet().iterator().next()));
      }
      return List.copyOf(matched);
    }

    private static MigrationException mismatch(String what) {
      return new MigrationException(
          "The source " + what + ": start the destination with the same RAM.");
    }

    @Override
    public void hook(RamPhase phase) throws IOException {
      RegistrationServer registrations = server;
      if (registrations == null) {
        throw ProtocolException.of("migration stream", "a hook", "the list of RAM blocks first");
      }
      if (phase == RamPhase.SETUP) {
        telemetry.metrics().set(Metric.SETUP_TIME, elapsed());
      } else {
        setStatus(phase == RamPhase.ROUND ? MigrationStatus.ACTIVE : MigrationStatus.DEVICE);
        telemetry.metrics().increment(Metric.DIRTY_SYNC_COUNT);
        telemetry.beginPhase(
            phase == RamPhase.ROUND
                ? "round " + telemetry.metrics().get(Metric.DIRTY_SYNC_COUNT)
                : "switch-over");
      }
      try {
        registrations.serve(phase);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new MigrationException("The session's thread was interrupted.", e);
      }
    }

    @Override
    public void device(String name, int instance, int version, byte[] body) throws IOException {
      GuestDevice device =
          guest.devices().stream()
              .filter(ours ->
                  ours.name().equals(name)
                      && ours.instance() == instance
                      && ours.version() == version)
              .findFirst()
              .orElseThrow(() ->
                  new MigrationException(
                      "The source has a device '%s' (instance %d, version %d) that is not here."
                          .formatted(name, instance, version)));
      if (deviceStates.putIfAbsent(device, body) != null) {
        throw ProtocolException.of("device sections", "two of " + name, "one");
      }
    }

    /** Loads the state of each device; RAM is complete now. */
    RamDigester load() throws IOException {
      for (GuestDevice device : guest.devices()) {
        byte[] state = deviceStates.get(device);
        if (state == null) {
          throw ProtocolException.of("device sections", "none of " + device.name(), "one");
        }
        try {
          device.load(state);
        } catch (IllegalArgumentException e) {
          throw new MigrationException(
              "The state of device '%s' cannot be loaded: %s"
                  .formatted(device.name(), e.getMessage()),
              e);
        }
      }
      return guest.beginDigest();
    }
  }

  // -------------------------------------------------------------------------------- switch-over

  private void takeOver(Connected peer) throws IOException, InterruptedException {
    ControlChannel control = peer.control();
    if (control.extensions()) {
      loadedSaid = true;
      control.sendEmpty(ControlType.LOADED);
      control.release(control.receive(ControlType.SWITCH_OVER, limits.work()));
    }
    cancellation.close();
    resumeGuest();
    started = true;
    telemetry.metrics().set(Metric.TOTAL_TIME, elapsed());
  }

  private String finish(Connected peer, RamDigester digester, List<String> order)
      throws IOException {
    String finding;
    if (peer.control().extensions()) {
      finding = confirm(peer, digester, order);
    } else {
      setUnconfirmed("The source cannot send digests of its RAM.");
      finding = "This source cannot tell whether its RAM is equal.";
    }
    closeConnection();
    if (differs()) {
      return "The guest runs here. " + finding;
    }
    guest.commit();
    return "The guest runs here. " + finding;
  }

  private String confirm(Connected peer, RamDigester digester, List<String> order) {
    try {
      peer.control().sendEmpty(ControlType.RUNNING);
      peer.control().awaitSent();
      outcomeKnown = true;
      String finding = verify(peer, digester, order);
      awaitGoodbye(peer);
      return finding;
    } catch (IOException | InterruptedException e) {
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
    return started ? "The guest runs here." : "The guest was not started here.";
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
        ConnectionRequest request = listener.nextRequest(SLICE);
        if (request != null && isInquiry(request)) {
          tellOutcome(request);
        } else if (request != null) {
          reject(request, "A migration is ending here.");
        }
      }
    } catch (IOException e) {
      LOG.warn("a source that may ask for the outcome cannot be answered: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      telemetry.setWaitingFor(null);
    }
  }

  @Override
  void closeListener() {
    try {
      listener.close();
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage(), e);
    }
  }
}
