// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.memory.NativeMemory;
import org.wridscope.telemetry.Metric;

/** Whole migrations that succeed, over TCP. */
@ExtendWith(OverTcp.class)
final class MigrationOverTcpTest extends MigrationTest {
  /**
   * The whole block is one region, as large as the offsets of an RDMA WRITE can be; {@code
   * HolesMigrationTest} has a larger block without pin-all. What no end has touched takes no
   * memory.
   */
  @Test
  void ramIsEqual_whenABlockIsLargerThan2GiB() throws Exception {
    long length = (2L << 30) + 5 * MIB + PAGE;
    long[] written = {0, (1L << 31) - 1, 1L << 31, (1L << 31) + MIB, length - 1};
    try (var rig = new Rig();
        var guest = BlockGuest.in(NativeMemory.allocateSparse(length));
        var copy = BlockGuest.in(NativeMemory.allocateSparse(length))) {
      for (int i = 0; i < written.length; i++) {
        guest.write(0, written[i], (byte) (i + 1));
      }
      guest.resume();
      var source = rig.source(guest, Rig.parameters(true, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(source.verified()).isTrue();
      assertThat(source.pinAll() && destination.pinAll()).isTrue();
      for (int i = 0; i < written.length; i++) {
        assertThat(copy.read(written[i])).as("byte at %x", written[i]).isEqualTo((byte) (i + 1));
      }
      assertThat(copy.digests()).isEqualTo(guest.digests());
      assertThat(source.telemetry().metrics().get(Metric.WRITES_POSTED)).isEqualTo(5);
    }
  }
}
