// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Wait.Kind;

final class WaitTest {
  /** One of each kind that a session of ours may have, and all messages. */
  private static Stream<Wait> waits() {
    Stream<Wait> others =
        Stream.of(Kind.values())
            .filter(kind -> kind != Kind.OF_PROGRAM)
            .map(kind ->
                switch (kind) {
                  case MESSAGE, SEND -> new Wait(kind, ControlType.READY.value());
                  case HANDLER -> new Wait(kind, 0xffffff);
                  default -> {
                    var named = new Wait(kind, "QEMU 7 (vm \"a to b\")");
                    var plain = new Wait(kind);
                    yield named.text().equals(plain.text()) ? plain : named;
                  }
                });
    return Stream.concat(
        others,
        Stream.of(ControlType.values())
            .flatMap(type ->
                Stream.of(Kind.MESSAGE, Kind.SEND).map(kind -> new Wait(kind, type.value()))));
  }

  @ParameterizedTest
  @MethodSource("waits")
  void named_isTheOneWithTheText(Wait wait) {
    assertThat(Wait.named(wait.text())).isEqualTo(wait);
  }

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
  void messageThatIsNotKnown_isAKindOfItsOwn() {
    assertThat(Wait.named("the peer's SURPRISE")).isEqualTo(new Wait(Kind.UNKNOWN_MESSAGE));
    assertThat(new Wait(Kind.MESSAGE, 4711).text()).isEqualTo("a message that is not known");
  }

  /** As a newer version, or somebody else, may write it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "%s",
        "nothing",
        "the peer's ",
        "The destination's READY",
        "the handler of an event of queue pair ",
        "the handler of an event of queue pair -1",
        "the handler of an event of queue pair 9999999999999999999",
        " to load the guest"
      })
  void named_withAnotherText_isUnknown(String text) {
    assertThat(Wait.named(text)).isEqualTo(new Wait(Kind.UNKNOWN));
    assertThat(Wait.named(text).text()).isEqualTo("unknown wait");
  }
}
