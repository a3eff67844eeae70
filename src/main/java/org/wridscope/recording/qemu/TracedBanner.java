// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription.LinkLayer;

/** Writes what QEMU says about its device and its connection. */
final class TracedBanner {
  private final Role role;
  private final TraceLines lines;

  /** That of the last connection; null without a connection. */
  private final @Nullable Banner banner;

  TracedBanner(RecordedSession session, TraceLines lines) {
    role = session.role();
    this.lines = lines;
    List<Banner> all = session.banners();
    banner = all.isEmpty() ? null : all.getLast();
  }

  /** {@code qemu_rdma_dump_id}, which prints without a trace event; needs a kernel's device. */
  void device() throws IOException {
    if (banner != null && banner.device().isKernels()) {
      DeviceIdentity device = banner.device();
      LinkLayer linkLayer = banner.route().linkLayer();
      lines.message(
          "%s RDMA Device opened: kernel name %s uverbs device name %s, infiniband_verbs class device path %s, infiniband class device path %s, transport: (%d) %s"
              .formatted(
                  role == Role.SOURCE ? "source_resolve_host" : "dest_init",
                  device.name(),
                  device.uverbsName(),
                  device.uverbsPath(),
                  device.classPath(),
                  linkLayer.ordinal(),
                  switch (linkLayer) {
                    case UNSPECIFIED -> "Unknown";
                    case INFINIBAND -> "Infiniband";
                    case ETHERNET -> "Ethernet";
                  }));
    }
  }

  /** {@code qemu_rdma_dump_gid}. */
  void route(long nanos) throws IOException {
    if (banner != null) {
      lines.event(
          nanos,
          QemuTraceEvent.DUMP_GID,
          role == Role.SOURCE ? "source_resolve_host" : "dest_connect",
          banner.route().sourceGid(),
          banner.route().destinationGid());
    }
  }
}
