// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;

/**
 * Events of a session for the JDK Flight Recorder, which shows them together with those of the JVM.
 * They are created only while a flight recording runs ({@code -XX:StartFlightRecording}); otherwise
 * each costs one test of a flag. For the session's engine thread only.
 */
final class FlightEvents {
  private static final EventType PHASE = EventType.getEventType(PhaseEvent.class);
  private static final EventType WAIT = EventType.getEventType(WaitEvent.class);
  private static final EventType REGISTRATION = EventType.getEventType(RegistrationEvent.class);

  private final Role role;
  private @Nullable PhaseEvent phase;
  private @Nullable WaitEvent wait;

  FlightEvents(Role role) {
    this.role = role;
  }

  /** A phase of a migration: connect, set-up, a round, switch-over. */
  @Name("org.wridscope.Phase")
  @Label("Migration Phase")
  @Category("Wridscope")
  @StackTrace(false)
  static final class PhaseEvent extends Event {
    @Label("Role")
    String role = "";

    @Label("Phase")
    String phase = "";
  }

  /** The engine waited. */
  @Name("org.wridscope.Wait")
  @Label("Engine Wait")
  @Category("Wridscope")
  @StackTrace(false)
  static final class WaitEvent extends Event {
    @Label("Role")
    String role = "";

    @Label("Waited For")
    String waitedFor = "";
  }

  /** Memory was registered or deregistered. */
  @Name("org.wridscope.Registration")
  @Label("Memory Registration")
  @Category("Wridscope")
  @StackTrace(false)
  static final class RegistrationEvent extends Event {
    @Label("Role")
    String role = "";

    @Label("Registered")
    @Description("True for a registration, false for a deregistration")
    boolean registered;

    @Label("RAM Block")
    int block;

    @Label("First Chunk")
    long firstChunk;

    @Label("Size")
    @DataAmount
    long bytes;
  }

  /** Ends the current phase and starts another one, unless null. */
  void phase(@Nullable String name) {
    PhaseEvent before = phase;
    if (before != null) {
      before.commit();
      phase = null;
    }
    if (name != null && PHASE.isEnabled()) {
      var event = new PhaseEvent();
      event.role = role.name();
      event.phase = name;
      event.begin();
      phase = event;
    }
  }

  /** Ends the current wait and starts another one, unless null. */
  void waitingFor(@Nullable Wait what) {
    WaitEvent before = wait;
    if (before != null) {
      before.commit();
      wait = null;
    }
    if (what != null && WAIT.isEnabled()) {
      var event = new WaitEvent();
      event.role = role.name();
      event.waitedFor = what.text();
      event.begin();
      wait = event;
    }
  }

  /** Memory was registered or deregistered. */
  void registration(boolean registered, int chunks, long wrid) {
    if (REGISTRATION.isEnabled()) {
      var event = new RegistrationEvent();
      event.role = role.name();
      event.registered = registered;
      event.block = WorkRequestId.block(wrid);
      event.firstChunk = WorkRequestId.chunk(wrid);
      event.bytes = (long) chunks << ChunkTable.CHUNK_SHIFT;
      event.commit();
    }
  }
}
