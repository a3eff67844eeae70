// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtUri;

/**
 * A host that the user has connected, as it was a moment ago.
 *
 * @param identity null until it has answered
 * @param domains as it listed them last
 * @param silence how long it has not answered the present question, in whole seconds
 * @param message why there is no connection, a sentence; empty when connected
 */
public record FleetHost(
    VirtUri uri,
    Phase phase,
    VirtHost.@Nullable Identity identity,
    List<VirtDomain> domains,
    Duration silence,
    String message) {

  /** Silence from which on the user is told. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /** Whether the host can be asked. */
  public enum Phase {
    CONNECTING,
    CONNECTED,
    /** It is tried again. */
    LOST
  }

  public FleetHost {
    domains = List.copyOf(domains);
  }

  /** The host's own name, or its address until that is known. */
  public String title() {
    return identity == null ? uri.toString() : identity.name();
  }

  /** Whether it has not answered for longer than usual. */
  public boolean silent() {
    return phase != Phase.LOST && silence.compareTo(PATIENCE) > 0;
  }

  /** Its domains that can be migrated live. */
  public List<VirtDomain> active() {
    return domains.stream().filter(VirtDomain::active).toList();
  }
}
