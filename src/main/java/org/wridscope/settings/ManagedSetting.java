// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import static org.wridscope.settings.Place.LIBVIRT;
import static org.wridscope.settings.Place.QEMU;

import java.util.List;
import org.wridscope.units.Parse;

/** How a guest is migrated by QEMU's own engine, or by libvirt with it. */
public final class ManagedSetting {
  /** Most connections of QEMU's multifd, and most migrations of a host that make sense. */
  public static final int MOST = 255;

  /** The guest's processors are slowed down until the migration converges. */
  public static final Setting<Boolean> AUTO_CONVERGE =
      Setting.flag("auto-converge", false)
          .at(QEMU, LIBVIRT)
          .inQmp("auto-converge")
          .option("", "Slow the guest's processors down until the migration converges")
          .input(
              "Slow the guest down until it converges (auto-converge)",
              "",
              "QEMU takes time from the virtual processors, more and more, as long as rounds do not"
                  + " get shorter.");

  /** The guest is started at a destination that was started with {@code -S}, if it ran before. */
  public static final Setting<Boolean> START_GUEST =
      Setting.flag("start-guest", true)
          .at(QEMU)
          .seldom()
          .input(
              "Start the guest even if QEMU was started with -S",
              "",
              "Otherwise a guest that QEMU was told not to start stays paused at the destination.");

  /** Connections of QEMU's multifd; 0 for one without it. */
  public static final Setting<Integer> CONNECTIONS =
      Setting.of(
              "connections",
              (field, text, _) -> (int) Parse.number(field, text, 0, MOST),
              Object::toString,
              0)
          .emptyFor(0)
          .at(LIBVIRT)
          .option("COUNT", "Parallel connections over TCP (multifd); 0 for none")
          .input(
              "Connections",
              "one, without QEMU's multifd",
              "The number of connections of QEMU's multifd: 0 to 255. 0 or empty for one connection"
                  + " without it.");

  /** Migrations that a host takes part in at a time. */
  public static final Setting<Integer> AT_ONCE =
      Setting.of(
              "at-once",
              (field, text, _) -> (int) Parse.number(field, text, 1, MOST),
              Object::toString,
              2)
          .at(LIBVIRT)
          .input(
              "At once",
              "most migrations of a host at a time",
              "How many migrations a host has at a time: 1 to 255. The others wait.");

  /** The definition of a persistent domain stays at the source, shut off. */
  public static final Setting<Boolean> KEEP_DEFINITION =
      Setting.flag("keep-definition", false)
          .at(LIBVIRT)
          .option("", "Leave the definition of a persistent domain at the source, shut off")
          .input(
              "Keep the definition of a persistent domain at the source",
              "",
              "It stays at the source, shut off. Otherwise the domain is defined at the destination"
                  + " and no longer at the source.");

  /** libvirt does not check that both hosts see the same disks without a cache. */
  public static final Setting<Boolean> UNSAFE =
      Setting.flag("unsafe", false)
          .at(LIBVIRT)
          .option("", "Skip libvirt's check that both hosts see the same disks without a cache")
          .input(
              "Skip libvirt's check of the disks (unsafe)",
              "",
              "Use it only if both hosts see the same disks, and neither caches their content.");

  /** In the order in which help and dialogs show them. */
  static final List<Setting<?>> ALL =
      List.of(CONNECTIONS, AT_ONCE, AUTO_CONVERGE, START_GUEST, KEEP_DEFINITION, UNSAFE);

  private ManagedSetting() {}
}
