// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.Session;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.MigrationStatus;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DomainWatchTest {
  private static final VirtUri HERE = VirtUri.parse("qemu:///system");
  private static final VirtDomain WEB =
      new VirtDomain(UUID.randomUUID(), "web", VirtDomain.State.RUNNING, 1 << 30, 1);

  @TempDir private Path directory;
  private final FakeVirt virt = new FakeVirt();

  private static String real() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            Recording.class.getResourceAsStream("qemu/qemu-7.2-dyn-idle.source.log"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void nextMigration_isShown_andTraceEventsAreAsBeforeAfterIt() throws Exception {
    FakeVirt.Host host =
        virt.host(HERE.text(), "here")
            .set(WEB)
            .traceEvent("qemu_rdma_write_one_post", false)
            .traceEvent("qemu_rdma_poll_write", true)
            .traceEvent("ide_dma_cb", false);
    Path log = directory.resolve("web.log");
    Files.writeString(log, "2026-11-22 starting up libvirt version: 9.0.0\n" + real());

    Watch watch = DomainWatch.begin(virt, HERE, WEB, log);
    assertThat(host.traceEvents())
        .isEqualTo(
            Map.of(
                "qemu_rdma_write_one_post", true,
                "qemu_rdma_poll_write", true,
                "ide_dma_cb", false));
    Session session = watch.sessions().leading();
    assertThat(session.telemetry().log().size()).as("of earlier migrations").isZero();

    Files.writeString(log, real(), StandardOpenOption.APPEND);
    assertThat(session.await(Duration.ofSeconds(60))).isTrue();
    assertThat(session.status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(session.telemetry().log().size()).isPositive();
    while (host.connections() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(host.traceEvents()).containsEntry("qemu_rdma_write_one_post", false);
    assertThat(host.traceEvents()).containsEntry("qemu_rdma_poll_write", true);
  }

  @Test
  void domainElsewhere_orWithoutAReadableLog_isToldSo() {
    assertThatThrownBy(() -> DomainWatch.log(VirtUri.parse("qemu+ssh://node2/system"), WEB))
        .hasMessageContaining("is on its host");
    assertThatThrownBy(() -> DomainWatch.log(HERE, WEB)).hasMessageContaining("has no log");
    var outside =
        new VirtDomain(
            UUID.randomUUID(), "../../../../etc/x", VirtDomain.State.RUNNING, 1 << 30, 1);
    assertThatThrownBy(() -> DomainWatch.log(HERE, outside)).hasMessageContaining("has no log");
  }
}
