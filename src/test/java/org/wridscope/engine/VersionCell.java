// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.qemu.QemuRelease;

/**
 * What is run with two QEMUs of the same or of two releases.
 *
 * @param from the QEMU in which the guest is first
 * @param family of the machine: {@code pc} or {@code q35}, in the newest type that both QEMUs have
 * @param pinAll whether all RAM is registered at once; false where nothing is registered
 */
record VersionCell(
    Link link, Way way, QemuRelease from, QemuRelease to, String family, boolean pinAll) {
  private static final List<String> FAMILIES = List.of("pc", "q35");

  /** Over what the guest is sent. */
  enum Link {
    SOFTWARE("software device", "soft", "127.0.0.1"),
    /** The device rxe0 of a VM of {@code lab/softroce}. */
    SOFT_ROCE("soft-RoCE", "rxe0", "10.9.0.1");

    private final String text;
    private final String device;
    private final String host;

    Link(String text, String device, String host) {
      this.text = text;
      this.device = device;
      this.host = host;
    }

    String text() {
      return text;
    }

    String device() {
      return device;
    }

    String host() {
      return host;
    }
  }

  /** The source of the guest. */
  enum Sender {
    /** {@code source --qemu}. */
    LIFT,
    /** {@code source --restore}, of a file that a QEMU has written by itself. */
    RESTORE,
    /** QEMU's own {@code migrate rdma:}. */
    OWN
  }

  /** Its destination. */
  enum Receiver {
    /** {@code destination --qemu}. */
    LAND,
    /** {@code destination --capture}, whose file a QEMU then loads by itself. */
    CAPTURE,
    /** QEMU's own {@code -incoming rdma:}. */
    OWN
  }

  /** What is done. */
  enum Way {
    LIFT_LAND("`source --qemu` to `destination --qemu`", Sender.LIFT, Receiver.LAND),
    LIFT_CAPTURE(
        "`source --qemu` to `destination --capture`, loaded", Sender.LIFT, Receiver.CAPTURE),
    RESTORE_LAND(
        "`source --restore` of QEMU's own file to `destination --qemu`",
        Sender.RESTORE,
        Receiver.LAND),
    OWN_CAPTURE(
        "QEMU's `migrate rdma:` to `destination --capture`, loaded", Sender.OWN, Receiver.CAPTURE),
    RESTORE_OWN("`source --restore` to QEMU's `-incoming rdma:`", Sender.RESTORE, Receiver.OWN),
    LIFT_OWN("`source --qemu` to QEMU's `-incoming rdma:`", Sender.LIFT, Receiver.OWN),
    OWN_LAND("QEMU's `migrate rdma:` to `destination --qemu`", Sender.OWN, Receiver.LAND),
    /** Over soft-RoCE the counts are compared with the log of the same run. */
    WATCH("`watch` of QEMU's own migration", null, null),
    LAB("`lab --qemu`", null, null),
    KILL_SOURCE("the source killed in the switch-over", null, null),
    KILL_DESTINATION("the destination killed in the switch-over", null, null),
    /** Without this program: what QEMU itself can do. */
    ALONE("QEMU's own migration, `virtio-rng` included", null, null);

    private final String text;
    private final @Nullable Sender sender;
    private final @Nullable Receiver receiver;

    Way(String text, @Nullable Sender sender, @Nullable Receiver receiver) {
      this.text = text;
      this.sender = sender;
      this.receiver = receiver;
    }

    String text() {
      return text;
    }

    /** Null if this is no migration by this program's engine. */
    @Nullable Sender sender() {
      return sender;
    }

    @Nullable Receiver receiver() {
      return receiver;
    }

    boolean registers(Link link) {
      return sender != null || this == LAB || (this == WATCH && link == Link.SOFT_ROCE);
    }

    /** Whether a QEMU's own RDMA takes part in it. */
    private boolean ownRdma() {
      return sender == Sender.OWN || receiver == Receiver.OWN;
    }
  }

  /** All cells over a link, those of one release before those of two, the newest releases first. */
  static List<VersionCell> all(Link link, List<QemuRelease> releases) {
    var cells = new ArrayList<VersionCell>();
    List<QemuRelease> newest = releases.stream().sorted((a, b) -> b.major() - a.major()).toList();
    for (Way way : Way.values()) {
      if ((!way.ownRdma() && way.sender() != null) || (link == Link.SOFT_ROCE && way.ownRdma())) {
        newest.forEach(each -> add(cells, link, way, each, each));
      }
    }
    List<Way> others =
        link == Link.SOFTWARE
            ? List.of(Way.WATCH, Way.LAB, Way.KILL_SOURCE, Way.KILL_DESTINATION)
            : List.of(Way.WATCH);
    for (Way way : others) {
      newest.forEach(each -> add(cells, link, way, each, each));
    }
    List<Way> mixed =
        link == Link.SOFTWARE
            ? List.of(Way.LIFT_LAND, Way.RESTORE_LAND, Way.ALONE)
            : List.of(Way.OWN_LAND, Way.LIFT_OWN, Way.WATCH);
    for (Way way : mixed) {
      for (QemuRelease from : newest) {
        newest.stream()
            .filter(to -> !to.equals(from))
            .forEach(to -> add(cells, link, way, from, to));
      }
    }
    return cells;
  }

  private static void add(
      List<VersionCell> cells, Link link, Way way, QemuRelease from, QemuRelease to) {
    for (String family : FAMILIES) {
      // These start the QEMUs themselves, with one type of machine.
      boolean fixed = way == Way.LAB || way == Way.KILL_SOURCE || way == Way.KILL_DESTINATION;
      if (!fixed || family.equals(FAMILIES.getFirst())) {
        cells.add(new VersionCell(link, way, from, to, family, false));
        if (way.registers(link)) {
          cells.add(new VersionCell(link, way, from, to, family, true));
        }
      }
    }
  }

  /** The type of machine: its own, or with two releases that of the older one. */
  String machine() {
    return from.equals(to) ? family : from.machine(family, to);
  }

  /** Names the cell, also in files of rows. */
  String name() {
    return "%s %s %s %s %s %s"
        .formatted(link, way, from, to, family, pinAll ? "pin-all" : "dynamic")
        .toLowerCase(Locale.ROOT);
  }
}
