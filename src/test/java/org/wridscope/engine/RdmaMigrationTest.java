// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.account.Account;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** Whole migrations over an RDMA device of this machine, both ends in this process. */
@Tag("rdma")
final class RdmaMigrationTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] BLOCKS = {8 * MIB + PAGE, PAGE, MIB, 3 * MIB - PAGE};

  @ParameterizedTest(name = "pin-all {0}, extensions {1}")
  @CsvSource({"false, true", "true, true", "false, false", "true, false"})
  void ramAndStateAreEqual(boolean pinAll, boolean extensions) throws Exception {
    var verbs = new RdmaUnderTest();
    try (var sourceDevice = verbs.open("source");
        var destinationDevice = verbs.open("destination");
        var guest = BlockGuest.of(BLOCKS).boot(1, 0.5);
        var copy = BlockGuest.of(BLOCKS)) {
      var random = new SplittableRandom(2);
      guest.onSync(sync -> {
        if (sync <= 3) {
          for (int i = 0; i < 20; i++) {
            guest.write(0, random.nextLong(8 * MIB), (byte) random.nextInt(3));
          }
        }
      });
      var listener = destinationDevice.listen(verbs.address(), 5);
      var destination =
          new DestinationSession(
              destinationDevice,
              listener,
              copy,
              Rig.parameters(false, extensions),
              new SessionTelemetry(Role.DESTINATION, false, Account::new),
              null,
              Limits.DEFAULT);
      var source =
          new SourceSession(
              sourceDevice,
              listener.localAddress(),
              guest,
              Rig.parameters(pinAll, extensions, Duration.ofNanos(1)),
              new SessionTelemetry(Role.SOURCE, false, Account::new),
              Limits.DEFAULT);

      Thread there = Thread.ofPlatform().daemon().name("destination").start(destination::run);
      Thread here = Thread.ofPlatform().daemon().name("source").start(source::run);
      Rig.join(here, source);
      Rig.join(there, destination);
      listener.close();

      Rig.assertCompleted(source, destination);
      assertThat(copy.hasEqualRam(guest)).as("equal").isTrue();
      assertThat(copy.guardsAreIntact()).as("nothing written beside").isTrue();
      assertThat(source.verified()).isEqualTo(extensions);
      assertThat(source.pinAll()).isEqualTo(pinAll);
    }
  }
}
