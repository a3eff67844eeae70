// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.libvirt.Domain.MigrateFlags;

final class LibvirtHostTest {
  @ParameterizedTest
  @CsvSource({
    "rdma://10.9.0.1, 7002022, 7002022, true",
    "rdma://10.9.0.1, 7002022, 8000000, true",
    "rdma://10.9.0.1, 10001002, 7002022, true",
    "rdma://10.9.0.1, 8000000, 10001002, false",
    "tcp://10.9.0.1, 7002022, 7002022, false",
    "'', 7002022, 7002022, false"
  })
  void postCopyIsAllowed_onlyOverRdma_ifOneOfTheQemusIsOlderThan8(
      String uri, long source, long destination, boolean allowed) {
    var migration = new VirtMigration(uri, false, 0, 0, false, true, false);
    int flags = LibvirtHost.flags(migration, false, ReturnPath.needsPostCopy(source, destination));
    assertThat((flags & MigrateFlags.POSTCOPY) != 0).isEqualTo(allowed);
    assertThat(flags & MigrateFlags.LIVE).isNotZero();
  }
}
