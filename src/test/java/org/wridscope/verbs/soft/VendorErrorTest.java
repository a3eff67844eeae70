// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;

final class VendorErrorTest {

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void everyConstant_isExplained(VendorError error) {
    assertThat(Meanings.findVendorErrors(Integer.toString(error.code())))
        .extracting(Meaning::name)
        .anyMatch(name -> name.contains("software device"));
  }
}
