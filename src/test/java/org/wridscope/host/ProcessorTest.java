// SPDX-License-Identifier: Apache-2.0
package org.wridscope.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProcessorTest {
  @ParameterizedTest
  @CsvSource({
    "amd64, X86_64, qemu-system-x86_64",
    "x86_64, X86_64, qemu-system-x86_64",
    "aarch64, AARCH64, qemu-system-aarch64"
  })
  void processor_isKnown_withItsQemu(String architecture, Processor processor, String qemu) {
    assertThat(Processor.of(architecture)).isEqualTo(processor);
    assertThat(processor.qemu()).isEqualTo(qemu);
  }

  @Test
  void another_isNotTakenForOneOfThem() {
    assertThat(Processor.of("riscv64")).isEqualTo(Processor.OTHER);
    assertThat(Processor.of("arm")).isEqualTo(Processor.OTHER);
  }
}
