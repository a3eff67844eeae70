// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.protocol.ProtocolException;

final class GlobalStateTest {

  /** As QEMU writes it: the length includes the 0. */
  private static byte[] state(String name) {
    return ByteBuffer.allocate(104)
        .putInt(name.length() + 1)
        .put(name.getBytes(StandardCharsets.US_ASCII))
        .array();
  }

  @Test
  void aPausedGuest_isWrittenAsQemuDoes() {
    assertThat(GlobalState.paused()).isEqualTo(state("paused"));
  }

  @ParameterizedTest
  @CsvSource({
    "running,true",
    "paused,false",
    "prelaunch,false",
    "running-wild,false",
    "runnin,false",
    "'',false"
  })
  void onlyRunning_ran(String name, boolean ran) throws ProtocolException {
    assertThat(GlobalState.ran(state(name))).isEqualTo(ran);
  }

  @Test
  void anotherLength_isRefused() {
    assertThatThrownBy(() -> GlobalState.ran(new byte[103]))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("globalstate");
  }
}
