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
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;

/** What arrives, where a guest that is to run here and one that is kept in a file differ. */
abstract sealed class Arrival permits ArrivingGuest, ArrivingFile {
  final DestinationSession session;
  final Connected peer;
  private final SessionTelemetry telemetry;
  private List<String> order = List.of();
  private @Nullable RegistrationServer server;

  Arrival(DestinationSession session, Connected peer) {
    this.session = session;
    this.peer = peer;
    telemetry = session.telemetry;
  }

  /** Reads the migration stream to its end. */
  abstract void read(QemuFileInput input) throws IOException;

  /** Makes sure that all is here which the guest needs; returns a digester of its RAM. */
  abstract RamDigester load() throws IOException, InterruptedException;

  /** Takes the guest over from the source, which has given it up. */
  abstract void takeOver() throws IOException;

  /** Makes durable what has to be, once everything was found equal. */
  void commit() throws IOException {
    session.guest.commit();
  }

  /** Whether the guest is here, and the source must not have it any more. */
  abstract boolean hasTakenOver();

  /** Whether the guest runs here once it was taken over, and does not stand still in a file. */
  abstract boolean runs();

  /** A sentence about what has become of the guest. */
  abstract String achieved();

  /** After a failure: a sentence about what has become of the guest. */
  abstract String giveBack(boolean takenOver);

  /** What nobody could confirm, besides what a source that sends no digests cannot. */
  List<String> doubts() {
    return List.of();
  }

  /** Names of the RAM blocks, in the source's order. */
  final List<String> order() {
    return order;
  }

  /**
   * Gets ready for RAM.
   *
   * @param ram our blocks, in the source's order
   */
  final void expect(List<RamBlock> ram) {
    List<ChunkTable> tables = RamSender.tablesOf(ram);
    order = ram.stream().map(RamBlock::name).toList();
    telemetry.setBlocks(tables);
    telemetry.metrics().set(Metric.RAM_TOTAL, ram.stream().mapToLong(RamBlock::length).sum());
    var registrar =
        new Registrar(
            peer.endpoint(),
            ram,
            tables,
            telemetry,
            EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    server = new RegistrationServer(peer, registrar, ram, tables, session.pinAll(), telemetry);
  }

  /** Serves registrations until the source has finished this phase. */
  final void register(RamPhase phase) throws IOException {
    RegistrationServer registrations = server;
    if (registrations == null) {
      throw ProtocolException.of("migration stream", "a hook", "the list of RAM blocks first");
    }
    if (phase == RamPhase.SETUP) {
      telemetry.metrics().set(Metric.SETUP_TIME, session.elapsed());
    } else {
      session.setStatus(phase == RamPhase.ROUND ? MigrationStatus.ACTIVE : MigrationStatus.DEVICE);
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
      throw MigrationSession.interrupted(e);
    }
  }
}
