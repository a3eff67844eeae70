// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.wridscope.control.attach.RegionsBefore.Regions;

/** What the program rdma prints of memory regions; keys are hexadecimal, lengths decimal. */
final class RegionsBeforeTest {
  private static String region(String device, long pid, String key, long length) {
    return "{\"ifindex\":1,\"ifname\":\"%s\",\"mrn\":3,\"rkey\":\"7\",\"lkey\":%s,\"mrlen\":%d,\"pdn\":1,\"pid\":%d}"
        .formatted(device, key, length, pid);
  }

  @Test
  void regions_areCountedByProcess_andThoseOfTheKernelLeftOut() throws Exception {
    String json =
        "[%s,%s,%s,%s]"
            .formatted(
                region("a", 5, "\"1f03\"", 4096),
                region("b", 5, "\"1f03\"", 100),
                region("a", 6, "1234", 1),
                region("a", 0, "\"9\"", 1));
    assertThat(RegionsBefore.parse(json, null))
        .isEqualTo(
            Map.of(
                5L, new Regions(2, 4196, Map.of(0x1f03L, 2)),
                6L, new Regions(1, 1, Map.of(0x1234L, 1))));
    assertThat(RegionsBefore.parse(json, "b"))
        .isEqualTo(Map.of(5L, new Regions(1, 100, Map.of(0x1f03L, 1))));
    assertThat(RegionsBefore.parse("[]", null)).isEmpty();
  }

  @Test
  void aRegionWithoutKeyOrLength_isNotUnderstood() {
    assertThatThrownBy(() -> RegionsBefore.parse("[{\"pid\":5,\"mrlen\":5}]", null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("without its key");
    assertThatThrownBy(() -> RegionsBefore.parse("[{\"pid\":5,\"lkey\":\"5\"}]", null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("without length");
  }
}
