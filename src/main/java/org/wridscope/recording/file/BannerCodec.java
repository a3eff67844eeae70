// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.telemetry.Banner;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription.LinkLayer;

/** The content of a block of {@link BlockType#BANNER}. */
final class BannerCodec {
  private static final LinkLayer[] LINK_LAYERS = LinkLayer.values();
  private static final int MAX_TEXT = 1 << 10;

  private BannerCodec() {}

  static void encode(Banner banner, ByteSink into) {
    into.signed(banner.nanos());
    DeviceIdentity device = banner.device();
    into.text(device.name());
    into.text(device.uverbsName());
    into.text(device.uverbsPath());
    into.text(device.classPath());
    ConnectionRoute route = banner.route();
    into.u8(route.linkLayer().ordinal());
    into.text(route.sourceGid());
    into.text(route.destinationGid());
  }

  static Banner decode(ByteSource source) throws RecordingException {
    long nanos = source.signed("time of a banner");
    var device =
        new DeviceIdentity(
            source.text(MAX_TEXT, "device's name"),
            source.text(MAX_TEXT, "uverbs device's name"),
            source.text(MAX_TEXT, "uverbs device's path"),
            source.text(MAX_TEXT, "device's path"));
    int linkLayer = source.u8("link layer");
    if (linkLayer >= LINK_LAYERS.length) {
      throw RecordingException.of("link layer", linkLayer, "0 to " + (LINK_LAYERS.length - 1));
    }
    return new Banner(
        nanos,
        device,
        new ConnectionRoute(
            LINK_LAYERS[linkLayer],
            source.text(MAX_TEXT, "source GID"),
            source.text(MAX_TEXT, "destination GID")));
  }
}
