// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Wait.Kind;

final class WaitTest {
  @Test
  void text_namesTheSubject() {
    assertThat(new Wait(Kind.READY).text()).isEqualTo("the destination's READY");
    assertThat(new Wait(Kind.MESSAGE, ControlType.REGISTER_RESULT.value()).text())
        .isEqualTo("the peer's REGISTER RESULT");
    assertThat(new Wait(Kind.SEND, ControlType.QEMU_FILE.value()).text())
        .isEqualTo("the SEND of QEMU FILE to complete");
    assertThat(new Wait(Kind.HANDLER, 18).text())
        .isEqualTo("the handler of an event of queue pair 18");
    assertThat(new Wait(Kind.MACHINE_LOAD, "QEMU 7").text()).isEqualTo("QEMU 7 to load the guest");
    assertThat(new Wait(Kind.SPACE_FOR_NAME, "Disk quota exceeded").text())
        .isEqualTo("space on the disk for the name of the guest's file (Disk quota exceeded)");
    assertThat(new Wait(Kind.OF_PROGRAM, "50 %s").text()).isEqualTo("50 %s");
  }

  @Test
  void text_ofAMessageThatIsNotKnown_saysSo() {
    for (long unknown :
        new long[] {4711, -1, Long.MAX_VALUE, (1L << 32) + ControlType.READY.value()}) {
      assertThat(new Wait(Kind.MESSAGE, unknown).text()).isEqualTo("a message that is not known");
    }
  }
}
