// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.file.Names;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;

/**
 * What a trace log must say before the recording says it: whether pin-all was agreed on, and for
 * each READY of a destination whether it is for a registration message.
 */
final class TraceForesight {
  /** What a destination waits for while it reads the migration stream. */
  private static final Wait STREAM_WAIT =
      new Wait(Wait.Kind.MESSAGE, ControlType.QEMU_FILE.value());

  private final Names names;
  private final boolean source;
  private final BitSet registrationReady = new BitSet();
  private @Nullable Agreement agreement;
  private int readies;

  /** Whether the newest READY still waits for what tells its purpose. */
  private boolean undecided;

  private boolean exchanging;

  /** Whether a destination has sent its blocks. */
  private boolean exchanged;

  private int registeredInExchange;

  private TraceForesight(RecordedSession session) {
    names = session.names();
    source = session.role() == Role.SOURCE;
  }

  static TraceForesight of(RecordedSession session) throws IOException {
    var foresight = new TraceForesight(session);
    session.forEachEvent(foresight::see);
    return foresight;
  }

  private void see(Event event) {
    switch (event.kind()) {
      case ESTABLISHED -> agreement = Agreement.of(event.detail());
      case CONTROL_SENT -> sent(ControlType.of(event.detail()));
      case CONTROL_RECEIVED -> received(ControlType.of(event.detail()));
      case REGISTERED -> registeredInExchange += exchanging ? 1 : 0;
      case WAIT_BEGIN -> {
        Wait wait = names.wait(event.detail());
        if (undecided && wait.kind() == Wait.Kind.REGISTRATION_MESSAGE) {
          decide(true);
        } else if (undecided && wait.equals(STREAM_WAIT)) {
          decide(false);
        }
      }
      default -> {
        // tells nothing in advance
      }
    }
  }

  private void sent(@Nullable ControlType type) {
    if (source) {
      exchanging |= type == ControlType.RAM_BLOCKS_REQUEST;
    } else if (type == ControlType.RAM_BLOCKS_RESULT) {
      exchanging = false;
      exchanged = true;
    } else if (type == ControlType.READY) {
      readies++;
      undecided = true;
    }
  }

  private void received(@Nullable ControlType type) {
    if (source) {
      exchanging &= type != ControlType.RAM_BLOCKS_RESULT;
      return;
    }
    exchanging |= type == ControlType.RAM_BLOCKS_REQUEST;
    if (undecided && type != null && !type.isPrivate()) {
      decide(type != ControlType.QEMU_FILE);
    }
  }

  private void decide(boolean registration) {
    undecided = false;
    registrationReady.set(readies - 1, registration);
  }

  /** What both ends agreed on, as far as the recording tells. */
  Agreement agreement() {
    Agreement known = agreement;
    boolean pinned = registeredInExchange > 0;
    return known == null ? new Agreement(pinned, pinned, false) : known;
  }

  /**
   * Whether all blocks were registered in the exchange of RAM blocks, and a destination has said
   * so.
   *
   * @param blocks the number of blocks
   */
  boolean isPinned(int blocks) {
    return agreement().pinAll() && registeredInExchange == blocks && (source || exchanged);
  }

  /** Whether a READY of a destination, counted from 0, is for a registration message. */
  boolean isForRegistration(int ready) {
    return registrationReady.get(ready);
  }
}
