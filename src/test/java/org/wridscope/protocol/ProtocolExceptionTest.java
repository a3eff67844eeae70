// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ProtocolExceptionTest {
  @Test
  void message_anyKind_namesFieldValueAndLimit() {
    assertThat(ProtocolException.of("repeat", 5000, "0 to 4096"))
        .hasMessage("repeat is 5000; it must be 0 to 4096");
    assertThat(ProtocolException.ofUnsigned("repeat", -1, "0 to 4096"))
        .hasMessage("repeat is 4294967295; it must be 0 to 4096");
    assertThat(ProtocolException.ofUnsigned("length", -1L, "1"))
        .hasMessage("length is 18446744073709551615; it must be 1");
    assertThat(ProtocolException.ofAddress("address", -4096, "0x0 to 0xfff"))
        .hasMessage("address is 0xfffffffffffff000; it must be 0x0 to 0xfff");
  }

  /** A value of the peer must not control a terminal, or forge or fill lines of a log. */
  @Test
  void value_textOfThePeer_isMadePrintableAndShort() {
    ProtocolException e =
        ProtocolException.of("name", "a\n\u001b[2J\u0007\u00e4\u202e" + "x".repeat(1000), "short");

    assertThat(e.value())
        .startsWith("a\\n\\x1b[2J\\x07\u00e4<U+202E>xx")
        .endsWith("x...")
        .hasSize(80);
    assertThat(e.getMessage()).doesNotContain("\n", "\u001b");
  }
}
