// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.telemetry.Metric;

/** Whole migrations that succeed, over TCP. */
@ExtendWith(OverTcp.class)
final class MigrationOverTcpTest extends MigrationTest {
  /**
   * The whole block is one region, as large as the offsets of an RDMA WRITE can be; {@code
   * HolesMigrationTest} has a larger block without pin-all.
   */
  @Test
  void ramIsEqual_whenABlockIsLargerThan2GiB() throws Exception {
    long length = (2L << 30) + 5 * MIB + PAGE;
    try (var rig = new Rig();
        var guest = BlockGuest.of(length, PAGE);
        var copy = BlockGuest.of(length, PAGE)) {
      for (long offset : new long[] {0, (1L << 31) - 1, 1L << 31, (1L << 31) + MIB, length - 1}) {
        guest.write(0, offset, (byte) 7);
      }
      guest.boot(3, 1);
      var source = rig.source(guest, Rig.parameters(true, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      assertMoved("pin-all", guest, source, copy, destination);
      assertThat(source.verified()).isTrue();
      assertThat(source.telemetry().metrics().get(Metric.WRITES_POSTED)).isEqualTo(5);
    }
  }
}
