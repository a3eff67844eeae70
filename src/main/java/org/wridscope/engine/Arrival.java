// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.stream.RamPhase;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;

/**
 * The steps of a destination that differ between a guest that will run and one that is captured.
 */
abstract sealed class Arrival permits ArrivingGuest, OpaqueArrival {
  final DestinationSession session;
  final Connected peer;
  private final SessionTelemetry telemetry;
  private List<String> order = List.of();
  private List<RamBlock> expected = List.of();

  /** Rounds that have begun, including that of the switch-over. */
  private int rounds;

  private @Nullable RegistrationServer server;
  private RamPhase phase = RamPhase.SETUP;

  Arrival(DestinationSession session, Connected peer) {
    this.session = session;
    this.peer = peer;
    telemetry = session.telemetry;
  }

  /** Reads the migration stream to its end. */
  abstract void read(QemuFileInput input) throws IOException;

  /**
   * Loads everything that the guest needs; returns a digester of its RAM, null if RAM is not to be
   * compared.
   */
  abstract @Nullable RamDigester load() throws IOException, InterruptedException;

  /** Whether the source has not begun to send RAM as the protocol has it. */
  final boolean isInSetUp() {
    return phase == RamPhase.SETUP;
  }

  /**
   * After the source failed before it sent RAM: makes the guest as it was, for another one. Nothing
   * is connected any more.
   *
   * @param writable whether the source could write to RAM
   * @return whether the guest is as it was
   * @throws IOException if it can take no other guest
   */
  abstract boolean letGo(boolean writable) throws IOException;

  /** To be called before the source is told that everything was loaded. */
  void loaded() throws IOException {}

  /** Takes the guest over from the source, which has handed it over. */
  abstract void takeOver() throws IOException;

  /** Makes the guest durable, unless its RAM was found different. */
  void commit() throws IOException {
    session.guest.commit();
  }

  /** Whether the guest has been taken over, so that the source must not resume it. */
  abstract boolean hasTakenOver();

  /** Whether it is unknown if the guest has been taken over, so that a source gets no answer. */
  boolean isDoubtful() {
    return false;
  }

  /** The repeat of the message RUNNING, which says how the guest was taken over. */
  abstract int running();

  /** A sentence about where the guest is. */
  abstract String achieved();

  /** After a failure: makes sure the guest is where it belongs; a sentence about where it is. */
  abstract String giveBack(boolean takenOver);

  /**
   * To be called at the end if the source may still ask where the guest is, and has not: whatever
   * can go on answering after the session does so.
   */
  void leaveAnswers() {}

  /** A sentence for each thing that could not be confirmed, besides the digests of a QEMU. */
  List<String> doubts() {
    return List.of();
  }

  /** Names of the RAM blocks, in the source's order. */
  final List<String> order() {
    return order;
  }

  /**
   * Called before so many bytes of RAM are registered, which may give them memory.
   *
   * @throws IOException if there is not enough
   */
  void take(long bytes) throws IOException {}

  /** Notes how much of the RAM has memory now. */
  final void noteInUse() {
    session.noteInUse(Metric.RAM_IN_USE_AFTER, expected);
  }

  /**
   * Prepares for the arrival of RAM.
   *
   * @param ram blocks of this side, in the source's order
   */
  final void expect(List<RamBlock> ram) {
    List<ChunkTable> tables = ChunkTable.tablesOf(ram);
    order = ram.stream().map(RamBlock::name).toList();
    telemetry.setBlocks(tables);
    expected = ram;
    session.noteInUse(Metric.RAM_IN_USE_BEFORE, ram);
    telemetry.metrics().set(Metric.RAM_TOTAL, ram.stream().mapToLong(RamBlock::length).sum());
    var registrar =
        new Registrar(
            peer.endpoint(),
            ram,
            tables,
            telemetry,
            EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    var registrations =
        new RegistrationServer(peer, registrar, ram, tables, session.pinAll(), telemetry);
    registrations.setBeforeRam(session::ramMayArrive);
    registrations.setBlocksAsked(session::blocksAsked);
    registrations.setBeforeRegistering(this::take);
    server = registrations;
  }

  /** Serves registrations until the source has finished this phase. */
  final void register(RamPhase phase) throws IOException {
    RegistrationServer registrations = server;
    if (registrations == null) {
      throw ProtocolException.of("migration stream", "a hook", "the list of RAM blocks first");
    }
    this.phase = phase;
    if (phase == RamPhase.FINISH) {
      session.ramMayArrive();
    }
    if (phase == RamPhase.SETUP) {
      telemetry.metrics().set(Metric.SETUP_TIME, session.elapsed());
    } else {
      session.setStatus(phase == RamPhase.ROUND ? MigrationStatus.ACTIVE : MigrationStatus.DEVICE);
      rounds++;
      telemetry.metrics().set(Metric.DIRTY_SYNC_COUNT, rounds);
      if (phase == RamPhase.ROUND) {
        telemetry.beginRound(rounds);
      } else {
        telemetry.beginPhase(Phase.Kind.SWITCH_OVER);
      }
    }
    try {
      registrations.serve(phase);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    }
  }
}
