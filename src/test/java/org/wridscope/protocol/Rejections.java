// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions on rejected input. */
final class Rejections {
  private Rejections() {}

  /** Requires a {@link ProtocolException} with these values, whose message contains them. */
  static void assertRejected(ThrowingCallable code, String field, Object value, String limit) {
    ProtocolException e = catchThrowableOfType(ProtocolException.class, code);
    assertThat(e).as("nothing was rejected").isNotNull();
    assertThat(e.field()).isEqualTo(field);
    assertThat(e.value()).isEqualTo(value.toString());
    assertThat(e.limit()).isEqualTo(limit);
    assertNamesAllThree(e);
  }

  static void assertNamesAllThree(ProtocolException e) {
    assertThat(e.field()).isNotBlank();
    assertThat(e.limit()).isNotBlank();
    assertThat(e).hasMessage("%s is %s; it must be %s", e.field(), e.value(), e.limit());
  }
}
