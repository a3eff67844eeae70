// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.guest.virtio.RequestFailure.Kind;

final class RequestFailureTest {
  @Test
  void theFirst_namesHowManyFollow_ofItsKindAndQueue() {
    var found =
        List.of(
            new RequestFailure(Kind.LOST, "virtio-blk requestq", 1000),
            new RequestFailure(Kind.LOST, "virtio-blk requestq", 1001),
            new RequestFailure(Kind.DONE_TWICE, "virtio-blk requestq", 1002),
            new RequestFailure(Kind.LOST, "virtio-net transmitq", 3),
            new RequestFailure(Kind.LOST, "virtio-blk requestq", 1003));
    assertThat(RequestFailure.firstOf(found).orElseThrow().prediction())
        .isEqualTo(
            "virtio-blk requestq: request 1000 is lost: it will never be completed; so it is with 2"
                + " later requests.");
    assertThat(RequestFailure.firstOf(found.subList(0, 1)).orElseThrow().alike()).isZero();
    assertThat(RequestFailure.firstOf(List.of())).isEmpty();
  }
}
