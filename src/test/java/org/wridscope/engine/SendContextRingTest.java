// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SendContextRingTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 508, 512})
  void ring_handsOutAsManyAsItHas_eachOnce(int capacity) {
    var ring = new SendContextRing(capacity);
    var taken = new ArrayList<SendContext>();
    SendContext context;
    while ((context = ring.take()) != null) {
      taken.add(context);
      assertThat(ring.inUse()).isEqualTo(taken.size());
      assertThat(ring.free()).isEqualTo(capacity - taken.size());
    }
    assertThat(taken).hasSize(capacity).doesNotHaveDuplicates();
    assertThat(ring.oldest()).isSameAs(taken.getFirst());
    assertThat(ring.peek(capacity - 1)).isSameAs(taken.getLast());
    assertThat(ring.peek(capacity)).isNull();
    ring.putBack();
    assertThat(ring.take()).isNotNull();
    assertThat(ring.take()).isNull();
  }

  @Test
  void untake_leavesTheRingAsItWas() {
    var ring = new SendContextRing(2);
    SendContext first = ring.take();
    ring.untake();
    assertThat(ring.inUse()).isZero();
    assertThat(ring.oldest()).isNull();
    assertThat(ring.take()).isSameAs(first);
  }

  @Test
  void putBack_ofMoreThanWereTaken_throws() {
    var ring = new SendContextRing(2);
    assertThatIllegalStateException().isThrownBy(ring::putBack);
  }

  @Test
  void contextsComeBack_inTheOrderOfTheirPosts() {
    var random = new SplittableRandom(1);
    var ring = new SendContextRing(13);
    var expected = new ArrayDeque<SendContext>();
    for (int i = 0; i < 100_000; i++) {
      if (random.nextBoolean()) {
        SendContext context = ring.take();
        assertThat(context == null).isEqualTo(expected.size() == 13);
        if (context != null) {
          assertThat(expected).doesNotContain(context);
          expected.add(context);
        }
      } else if (!expected.isEmpty()) {
        assertThat(ring.oldest()).isSameAs(expected.remove());
        ring.putBack();
      }
    }
  }
}
