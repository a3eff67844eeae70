// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Wait.Kind;
import org.wridscope.verbs.DeviceCounter;

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
  void counterOfADevice_isFoundAgain_andATextOfAFileIsNone() {
    for (DeviceCounter counter :
        List.of(
            new DeviceCounter("mlx5_0", 1, "out_of_buffer"), new DeviceCounter("a.b", 0, "c"))) {
      assertThat(new Wait(counter).counter()).isEqualTo(counter);
    }
    assertThat(new Wait(new DeviceCounter("mlx5_0", 1, "out_of_buffer")).text())
        .isEqualTo("out_of_buffer of mlx5_0 port 1");
    for (String name : List.of("", "/", "a/", "/b", "a", "a/b/c", "a/../b", "a/b c", "\u202e/b")) {
      assertThat(new Wait(Kind.DEVICE_COUNTER, 1, name).counter()).as(name).isNull();
      assertThat(new Wait(Kind.DEVICE_COUNTER, 1, name).text()).isEqualTo("unknown counter");
    }
    for (long port : new long[] {-1, 256, Long.MIN_VALUE, 1L << 32}) {
      assertThat(new Wait(Kind.DEVICE_COUNTER, port, "a/b").counter()).isNull();
    }
    assertThat(new Wait(Kind.OF_PROGRAM, 1, "a/b").counter()).isNull();
  }

  @Test
  void text_ofAMessageThatIsNotKnown_saysSo() {
    for (long unknown :
        new long[] {4711, -1, Long.MAX_VALUE, (1L << 32) + ControlType.READY.value()}) {
      assertThat(new Wait(Kind.MESSAGE, unknown).text()).isEqualTo("a message that is not known");
    }
  }
}
