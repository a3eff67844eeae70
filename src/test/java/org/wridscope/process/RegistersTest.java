// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class RegistersTest {

  /** mov $231, %eax; syscall; and mov x8, #93; svc #0. */
  @ParameterizedTest
  @CsvSource({
    "X86_64, b8e70000000f05c3, 5",
    "X86_64, 900f05, 1",
    "X86_64, 0f0f, -1",
    "AARCH64, a80b8052010000d4, 4",
    // Not where an instruction begins.
    "AARCH64, a80b010000d40000, -1",
    "AARCH64, 010000d4, 0",
    "AARCH64, a80b805201, -1",
    // svc #1
    "AARCH64, 210000d4, -1"
  })
  void findCall_findsTheFirstInstruction(Registers registers, String code, int at) {
    byte[] bytes = HexFormat.of().parseHex(code);
    assertThat(registers.findCall(bytes, bytes.length)).isEqualTo(at);
  }

  @ParameterizedTest
  @CsvSource({"X86_64, ffffffffffff050f", "AARCH64, ffffffffd4000001"})
  void isCall_looksAtTheInstructionAlone(Registers registers, String word) {
    assertThat(registers.isCall(Long.parseUnsignedLong(word, 16))).isTrue();
    assertThat(registers.isCall(Long.parseUnsignedLong(word, 16) + 1)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void registersOfACall_lieApart_andWithinTheStructure(Registers registers) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(registers.size());
      registers.setCounter(all, 11);
      registers.setNumber(all, 12);
      registers.setArguments(all, new long[] {1, 2, 3, 4, 5, 6});
      assertThat(registers.counter(all)).isEqualTo(11);
      assertThat(registers.number(all)).isEqualTo(12);
      assertThat(all.toArray(ValueLayout.JAVA_LONG)).contains(1, 2, 3, 4, 5, 6, 11, 12);
      registers.setResult(all, 13);
      assertThat(registers.result(all)).isEqualTo(13);
      assertThat(registers.counter(all)).isEqualTo(11);
    }
  }
}
