// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RamBlockTest {
  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void release() {
    arena.close();
  }

  private MemorySegment memory(long bytes) {
    return arena.allocate(bytes, RamBlock.PAGE_SIZE);
  }

  @Test
  void aBlock_knowsItsLengthInBytesAndPages() {
    RamBlock block = new RamBlock("0000:00:02.0/vga.vram", memory(12288));
    assertThat(block.length()).isEqualTo(12288);
    assertThat(block.pages()).isEqualTo(3);
  }

  @Test
  void aName_mayHaveUpTo255Characters() {
    assertThat(new RamBlock("x".repeat(255), memory(4096)).name()).hasSize(255);
    assertThatThrownBy(() -> new RamBlock("x".repeat(256), memory(4096)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 255");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "pc\nram", "r\u00e4m", "\u007f", "ram\0"})
  void aName_thatTheWireCannotCarry_isRefused(String name) {
    assertThatThrownBy(() -> new RamBlock(name, memory(4096)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ASCII");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 4095, 4097, 6144})
  void aLength_thatIsNotAMultipleOfThePage_isRefused(long length) {
    assertThatThrownBy(() -> new RamBlock("pc.ram", memory(length)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pc.ram")
        .hasMessageContaining(Long.toString(length));
  }

  @Test
  void anEmptyBlock_isRefused() {
    assertThatThrownBy(() -> new RamBlock("pc.ram", memory(4096).asSlice(0, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("length 0");
  }

  @Test
  void memoryOnTheHeap_isRefused() {
    assertThatThrownBy(() -> new RamBlock("pc.ram", MemorySegment.ofArray(new long[512])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not native");
  }
}
