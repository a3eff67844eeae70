// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import java.util.List;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.libvirt.VirtDomain;

/** A row of the list of hosts and their domains. */
sealed interface FleetRow {

  /** A host; above its domains. */
  record Host(FleetHost host) implements FleetRow {}

  /** A domain, with the host where it is. */
  record Domain(FleetHost host, VirtDomain domain) implements FleetRow {}

  /** What stays the same while the row changes. */
  default Object key() {
    return switch (this) {
      case Host(FleetHost host) -> host.uri();
      case Domain(FleetHost host, VirtDomain domain) -> List.of(host.uri(), domain.id());
    };
  }

  /** The host that the row is about, or belongs to. */
  FleetHost host();
}
