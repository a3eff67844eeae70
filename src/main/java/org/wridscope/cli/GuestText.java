// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.GuestSettings;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.text.Format;

/** Describes guests in a phrase. */
final class GuestText {
  private GuestText() {}

  /** The guest of a source. */
  static String running(GuestSettings settings) {
    return switch (settings) {
      case GuestSettings.Synthetic guest ->
          "a synthetic guest: %s of RAM, %s of it zero, dirtied at %s%s%s"
              .formatted(
                  Format.bytes(guest.ramBytes()),
                  Format.percent(guest.zeroShare()),
                  Format.rate(guest.dirtyRate()),
                  guest.balloonBytes() == 0
                      ? ""
                      : ", with a balloon of " + Format.bytes(guest.balloonBytes()),
                  fault(guest));
      case GuestSettings.Image guest ->
          "a guest whose RAM is %s, %s".formatted(guest.file(), Format.bytes(guest.ramBytes()));
      case GuestSettings.Restore guest -> "the guest in " + guest.file();
      case GuestSettings.Lift guest ->
          "the guest of the QEMU at %s%s%s"
              .formatted(
                  guest.qmp(),
                  guest.dirtyLog() == DirtyLogChoice.AUTO
                      ? ""
                      : ", dirty log: " + guest.dirtyLog().text(),
                  guest.throttle().isOff()
                      ? ""
                      : ", stopped for %s of the time".formatted(guest.throttle().text()));
      case GuestSettings.Capture guest -> incoming(guest);
      case GuestSettings.Land guest -> incoming(guest);
    };
  }

  /** The guest of a destination. */
  static String incoming(GuestSettings settings) {
    return switch (settings) {
      case GuestSettings.Synthetic guest ->
          "waits for a synthetic guest with %s of RAM%s"
              .formatted(Format.bytes(guest.ramBytes()), fault(guest));
      case GuestSettings.Image guest ->
          "waits for a guest with %s of RAM, which is written to %s"
              .formatted(
                  Format.bytes(guest.ramBytes()),
                  guest.out() == null ? "a file" : guest.out().path());
      case GuestSettings.Capture guest ->
          "waits for a guest, which is captured in " + guest.out().path();
      case GuestSettings.Land guest ->
          "waits for a guest, which the QEMU at %s will run%s"
              .formatted(
                  guest.qmp(), guest.verify() ? "; its RAM is compared before it starts" : "");
      case GuestSettings.Restore guest -> running(guest);
      case GuestSettings.Lift guest -> running(guest);
    };
  }

  private static String fault(GuestSettings.Synthetic guest) {
    VirtioVariant variant = guest.virtio().variant();
    return (variant.fault() == VirtioFault.NONE
            ? ""
            : "; its virtio devices have a fault: " + variant.fault().description())
        + (variant.policy() == VirtioPolicy.WHOLE_STATE
            ? ""
            : "; when its virtio devices are stopped, " + variant.policy().description());
  }
}
