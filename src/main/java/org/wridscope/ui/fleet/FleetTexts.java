// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import org.wridscope.control.fleet.FleetHost;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.text.Format;

/** What the window says about hosts and domains. */
final class FleetTexts {
  private FleetTexts() {}

  static String name(FleetRow row) {
    return switch (row) {
      case FleetRow.Host(FleetHost host) -> host.title();
      case FleetRow.Domain(_, VirtDomain domain) -> domain.name();
    };
  }

  static String state(FleetRow row) {
    return switch (row) {
      case FleetRow.Host(FleetHost host) -> state(host);
      case FleetRow.Domain(FleetHost host, VirtDomain domain) ->
          host.phase() == FleetHost.Phase.CONNECTED
              ? domain.state().text()
              : "was %s".formatted(domain.state().text());
    };
  }

  private static String state(FleetHost host) {
    if (host.silent()) {
      return host.phase() == FleetHost.Phase.CONNECTING
          ? "connecting for %d s".formatted(host.silence().toSeconds())
          : "no answer for %d s".formatted(host.silence().toSeconds());
    }
    return switch (host.phase()) {
      case CONNECTING -> "connecting";
      case CONNECTED ->
          "%d of %s active"
              .formatted(host.active().size(), Format.counted(host.domains().size(), "domain"));
      case LOST -> "not connected";
    };
  }

  static String ram(FleetRow row) {
    return switch (row) {
      case FleetRow.Host(FleetHost host) ->
          host.identity() == null ? "" : Format.bytes(host.identity().memoryBytes());
      case FleetRow.Domain(_, VirtDomain domain) ->
          domain.memoryBytes() == 0 ? "" : Format.bytes(domain.memoryBytes());
    };
  }

  static String processors(FleetRow row) {
    return switch (row) {
      case FleetRow.Host(FleetHost host) ->
          host.identity() == null ? "" : Integer.toString(host.identity().processors());
      case FleetRow.Domain(_, VirtDomain domain) -> Integer.toString(domain.processors());
    };
  }

  /** What a host is, and why it cannot be asked; the UUID of a domain. */
  static String about(FleetRow row) {
    return switch (row) {
      case FleetRow.Host(FleetHost host) -> about(host);
      case FleetRow.Domain(_, VirtDomain domain) -> domain.id().toString();
    };
  }

  private static String about(FleetHost host) {
    if (!host.message().isEmpty()) {
      return host.message();
    }
    VirtHost.Identity identity = host.identity();
    return identity == null
        ? host.uri().toString()
        : "%s  ·  %s  ·  libvirt %s  ·  %s"
            .formatted(host.uri(), identity.hypervisor(), identity.libvirt(), identity.processor());
  }
}
