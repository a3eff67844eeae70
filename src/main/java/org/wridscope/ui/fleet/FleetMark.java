// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import org.kordamp.ikonli.feather.Feather;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.libvirt.VirtDomain;

/** The icon and the colour of a row's state. */
record FleetMark(Feather icon, String styleClass) {

  static FleetMark of(FleetRow row) {
    return switch (row) {
      case FleetRow.Host(FleetHost host) -> of(host);
      case FleetRow.Domain(FleetHost host, VirtDomain domain) ->
          host.phase() == FleetHost.Phase.CONNECTED
              ? of(domain)
              : new FleetMark(Feather.CIRCLE, "status-idle");
    };
  }

  private static FleetMark of(FleetHost host) {
    if (host.silent()) {
      return new FleetMark(Feather.CLOCK, "status-warning");
    }
    return switch (host.phase()) {
      case CONNECTING -> new FleetMark(Feather.LOADER, "status-idle");
      case CONNECTED -> new FleetMark(Feather.SERVER, "status-done");
      case LOST -> new FleetMark(Feather.X_CIRCLE, "status-failed");
    };
  }

  private static FleetMark of(VirtDomain domain) {
    return switch (domain.state()) {
      case RUNNING -> new FleetMark(Feather.PLAY_CIRCLE, "status-done");
      case PAUSED, SUSPENDED -> new FleetMark(Feather.PAUSE_CIRCLE, "status-warning");
      case SHUTTING_DOWN, SHUT_OFF -> new FleetMark(Feather.POWER, "status-idle");
      case CRASHED, UNKNOWN -> new FleetMark(Feather.ALERT_CIRCLE, "status-failed");
    };
  }
}
