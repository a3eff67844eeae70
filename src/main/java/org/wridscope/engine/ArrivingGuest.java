// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.wridscope.guest.GuestDevice;
import org.wridscope.guest.MachineGuest;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.GlobalState;
import org.wridscope.stream.MigrationStreamReader;
import org.wridscope.stream.RamPhase;
import org.wridscope.stream.StreamHandler;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.text.Format;

/**
 * A guest that will run at the destination: its machine, RAM and devices must match the source's.
 */
final class ArrivingGuest extends Arrival implements StreamHandler {
  /** Bytes of RAM that are looked at between two checks for a cancel. */
  private static final long LOOK_BYTES = 64L << 20;

  private final MachineGuest guest;
  private final Map<GuestDevice, byte[]> deviceStates = new HashMap<>();

  /** Whether it ran at the source; a source says so only if it did not. */
  private boolean ranThere = true;

  private boolean arrived;
  private boolean runs;

  ArrivingGuest(DestinationSession session, Connected peer, MachineGuest guest) {
    super(session, peer);
    this.guest = guest;
  }

  @Override
  void take(long bytes) throws IOException {
    guest.take(bytes);
  }

  @Override
  void read(QemuFileInput input) throws IOException {
    new MigrationStreamReader(input).read(this);
    input.finish();
  }

  @Override
  public void machine(String machineType) throws IOException {
    if (!machineType.equals(guest.machineType())) {
      throw new StrangerException(
          Reason.UNSUITABLE,
          "The machine type is '%s' at the source and '%s' here; start the destination with the same guest."
              .formatted(machineType, guest.machineType()));
    }
    session.telemetry.beginPhase(Phase.Kind.SET_UP);
  }

  @Override
  public void ramBlocks(List<BlockListing> blocks) throws IOException {
    expect(match(blocks));
  }

  /** The blocks of this side in the source's order. */
  private List<RamBlock> match(List<BlockListing> theirs) throws MigrationException {
    Map<String, RamBlock> ours =
        guest.ramBlocks().stream().collect(Collectors.toMap(RamBlock::name, Function.identity()));
    var matched = new ArrayList<RamBlock>();
    for (BlockListing listing : theirs) {
      RamBlock block = ours.remove(listing.name());
      if (block == null) {
        throw mismatch("has a RAM block '%s', which does not exist here".formatted(listing.name()));
      }
      if (block.length() != listing.length()) {
        throw mismatch(
            "has %s in RAM block '%s', and here it has %s"
                .formatted(
                    Format.exactBytes(listing.length()),
                    listing.name(),
                    Format.exactBytes(block.length())));
      }
      matched.add(block);
    }
    if (!ours.isEmpty()) {
      throw mismatch("has no RAM block '%s'".formatted(ours.keySet().iterator().next()));
    }
    return List.copyOf(matched);
  }

  private static MigrationException mismatch(String what) {
    return new StrangerException(
        Reason.UNSUITABLE, "The source " + what + "; start the destination with the same RAM.");
  }

  @Override
  public void hook(RamPhase phase) throws IOException {
    register(phase);
  }

  @Override
  public void device(String name, int instance, int version, byte[] body) throws IOException {
    if (name.equals(GlobalState.NAME) && instance == 0 && version == GlobalState.VERSION) {
      ranThere = GlobalState.ran(body);
      return;
    }
    GuestDevice device =
        guest.devices().stream()
            .filter(ours ->
                ours.name().equals(name)
                    && ours.instance() == instance
                    && ours.version() == version)
            .findFirst()
            .orElseThrow(() ->
                new MigrationException(
                    "The source has a device '%s' (instance %d, version %d) that does not exist here."
                        .formatted(name, instance, version)));
    if (deviceStates.putIfAbsent(device, body) != null) {
      throw ProtocolException.of("device sections", "two of " + name, "one");
    }
  }

  @Override
  boolean letGo(boolean writable) throws IOException {
    if (!writable) {
      return true;
    }
    // A peer that has keys may have written; an RDMA WRITE makes no completion here.
    for (RamBlock block : guest.ramBlocks()) {
      for (long done = 0; done < block.length(); done += LOOK_BYTES) {
        session.cancellation.check();
        long part = Math.min(LOOK_BYTES, block.length() - done);
        if (!block.isZero(done, part)) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
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

  @Override
  void takeOver() {
    runs = guest.runControl().takeOver(ranThere);
    arrived = true;
    if (runs) {
      session.telemetry.event(EventKind.GUEST_RESUMED, 0, 0, 0, 0);
    }
  }

  @Override
  boolean hasTakenOver() {
    return arrived;
  }

  @Override
  int running() {
    return runs ? 1 : ControlType.TAKEN_OVER_PAUSED;
  }

  @Override
  String achieved() {
    return runs ? "The guest runs here." : "The guest is here, paused.";
  }

  @Override
  String giveBack(boolean takenOver) {
    return takenOver ? achieved() : "The guest was not started here.";
  }
}
