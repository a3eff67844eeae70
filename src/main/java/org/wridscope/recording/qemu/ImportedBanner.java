// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.telemetry.Banner;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription.LinkLayer;

/** What a trace log of QEMU says about the device and the connection of a session. */
final class ImportedBanner {
  private static final Pattern OPENED =
      Pattern.compile(
          ".*RDMA Device opened: kernel name (\\S{1,64}) uverbs device name (\\S{1,64}),"
              + " infiniband_verbs class device path (\\S{1,256}), infiniband class device path"
              + " (\\S{1,256}), transport: \\(([0-9]{1,2})\\) .*");

  /** A GID that the log does not have. */
  private static final String NOT_TRACED = "not traced";

  private final ImportedSession session;
  private final boolean tracesRoute;
  private DeviceIdentity device;
  private LinkLayer linkLayer = LinkLayer.UNSPECIFIED;
  private int count;

  /**
   * @param device its name, empty when the log does not tell it
   * @param tracesRoute whether the log has the GIDs of the connection
   */
  ImportedBanner(ImportedSession session, String device, boolean tracesRoute) {
    this.session = session;
    this.tracesRoute = tracesRoute;
    this.device = DeviceIdentity.ofProgram(device.isEmpty() ? "unknown" : device);
  }

  /** A line that is not a trace event, or what {@code qemu_rdma_dump_id} tells. */
  void printed(String line) throws IOException {
    Matcher opened = OPENED.matcher(line);
    if (opened.matches()) {
      device =
          new DeviceIdentity(opened.group(1), opened.group(2), opened.group(3), opened.group(4));
      int number = Integer.parseInt(opened.group(5));
      LinkLayer[] all = LinkLayer.values();
      linkLayer = number < all.length ? all[number] : LinkLayer.UNSPECIFIED;
      if (!tracesRoute) {
        open(NOT_TRACED, NOT_TRACED);
      }
    }
  }

  /** {@code qemu_rdma_dump_gid}; the route is known once the host was resolved or connected. */
  void gids(String where, String source, String destination) throws IOException {
    if (where.equals("source_resolve_host") || where.equals("dest_connect")) {
      open(source, destination);
    }
  }

  private void open(String source, String destination) throws IOException {
    if (++count > SessionIndex.MAX_BANNERS) {
      return;
    }
    session.opened(
        new Banner(session.now(), device, new ConnectionRoute(linkLayer, source, destination)));
  }
}
