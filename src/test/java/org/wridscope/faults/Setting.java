// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.net.InetSocketAddress;
import java.util.List;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.RdmaUnderTest;
import org.wridscope.verbs.soft.SoftNetwork;

/** The kind of connection between the two ends. */
enum Setting {
  LAB("lab", List.of(Act.CUT, Act.STALL, Act.DELAY)),
  TCP("TCP", List.of(Act.KILL, Act.TERM, Act.INT, Act.HUP, Act.STOP, Act.CUT, Act.STALL)),
  /** On a device of the VM of {@code lab/softroce}: see {@link RdmaUnderTest}. */
  SOFT_ROCE("soft-RoCE", TCP.acts);

  /** Looked for once, and only where there is one. */
  private static final class Rdma {
    static final RdmaUnderTest DEVICE = new RdmaUnderTest();
  }

  private final String text;
  private final List<Act> acts;

  Setting(String text, List<Act> acts) {
    this.text = text;
    this.acts = acts;
  }

  String text() {
    return text;
  }

  /** The address on which a destination listens. */
  String uri() {
    String host =
        this == SOFT_ROCE ? Rdma.DEVICE.address().getAddress().getHostAddress() : "127.0.0.1";
    return "rdma:" + host + ":0";
  }

  /** The faults that can be injected. */
  List<Act> acts() {
    return acts;
  }

  /** Opens a device for an end in its own process. */
  RdmaDevice open() throws VerbsException {
    return switch (this) {
      case TCP -> SoftNetwork.open("watched");
      case SOFT_ROCE -> Rdma.DEVICE.open("watched");
      case LAB -> throw new IllegalStateException("both ends of the lab are in one process");
    };
  }

  static InetSocketAddress address(String uri) {
    int colon = uri.lastIndexOf(':');
    return new InetSocketAddress(
        uri.substring("rdma:".length(), colon), Integer.parseInt(uri.substring(colon + 1)));
  }
}
