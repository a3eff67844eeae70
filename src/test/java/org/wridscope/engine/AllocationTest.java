// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.Slow;
import org.wridscope.account.Account;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Access;

/** What a migration costs on the Java heap. */
@Slow("so many requests that an allocation shows")
class AllocationTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long RAM = 64L << 20;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private record Cost(long bytes, long writes) {}

  @ParameterizedTest(name = "pin-all {0}")
  @CsvSource({"false", "true"})
  void sourceAllocatesNothing_forAWrite(boolean pinAll) throws Exception {
    migrate(pinAll, 4);
    Cost few = migrate(pinAll, 2);
    Cost many = migrate(pinAll, 14);
    long writes = many.writes - few.writes;
    assertThat(writes).isGreaterThan(80_000);
    // The messages of a round are objects.
    assertThat((many.bytes - few.bytes) / (double) writes).isLessThan(1);
  }

  /** A migration with a number of rounds, in each of which every other page is written. */
  private static Cost migrate(boolean pinAll, int rounds) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(RAM).boot(1, 0);
        var copy = BlockGuest.of(RAM)) {
      guest.onSync(sync -> {
        for (long page = 0; sync < rounds && page < RAM / PAGE; page += 2) {
          guest.write(0, page * PAGE, (byte) sync);
        }
      });
      var source = rig.source(guest, Rig.parameters(pinAll, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      long[] bytes = new long[1];
      Thread here =
          Thread.ofPlatform()
              .name("allocation test")
              .start(() -> {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                source.run();
                bytes[0] = THREADS.getCurrentThreadAllocatedBytes() - before;
              });
      Rig.join(here, source);
      Rig.join(there, destination);
      assertThat(source.verified()).as(source.outcome()).isTrue();
      return new Cost(bytes[0], source.telemetry().metrics().get(Metric.WRITES_POSTED));
    }
  }

  @Test
  @SuppressWarnings("restricted")
  void aChunkCostsAtMost64Bytes() throws Exception {
    // Large enough to make everything else negligible; there is no memory behind it.
    int chunks = 1 << 20;
    long length = (long) chunks << ChunkTable.CHUNK_SHIFT;
    var block = new RamBlock("pc.ram", MemorySegment.ofAddress(PAGE).reinterpret(length));
    var telemetry = new SessionTelemetry(Role.SOURCE, false, Account::new);
    try (var rig = new Rig();
        var connected =
            Connected.open(
                rig.sourceDevice,
                rig.sourceDevice.resolve(rig.address(), Rig.END),
                Role.SOURCE,
                false,
                telemetry,
                new Cancellation(Duration.ZERO),
                Limits.DEFAULT,
                MessageMemory::single)) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      List<RamBlock> ram = List.of(block);
      List<ChunkTable> tables = ChunkTable.tablesOf(ram);
      var registrar =
          new Registrar(connected.endpoint(), ram, tables, telemetry, EnumSet.noneOf(Access.class));
      var sender =
          new RamSender(
              connected,
              registrar,
              ram,
              tables,
              new long[1],
              false,
              Rig.parameters(false, true),
              telemetry);
      var digester = new RamDigester(ram);
      long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;

      assertThat(List.of(sender, digester)).isNotNull();
      assertThat(tables.getFirst().chunkCount()).isEqualTo(chunks);
      assertThat(bytes / (double) chunks).isGreaterThan(32).isLessThan(64);
    }
  }
}
