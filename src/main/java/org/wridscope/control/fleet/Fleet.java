// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtUri;

/**
 * The hosts whose libvirt the user has connected, in the order of connecting. Each is asked every
 * two seconds, and at each of its events, by a thread of its own; no method waits for a host.
 * Thread-safe.
 */
public final class Fleet implements AutoCloseable {
  private final VirtConnector connector;
  private final Map<VirtUri, HostLink> links = new LinkedHashMap<>();
  private boolean closed;

  /**
   * @param connector opens the connections
   */
  public Fleet(VirtConnector connector) {
    this.connector = connector;
  }

  /** Connects a host; does nothing if it is connected already. */
  public synchronized void connect(VirtUri uri) {
    if (!closed) {
      links.computeIfAbsent(uri, address -> HostLink.start(address, connector));
    }
  }

  /** Ends the connection to a host, whose domains go on. */
  public synchronized void disconnect(VirtUri uri) {
    HostLink link = links.remove(uri);
    if (link != null) {
      link.close();
    }
  }

  /** All connected hosts, as they were a moment ago. */
  public synchronized List<FleetHost> list() {
    return links.values().stream().map(HostLink::now).toList();
  }

  /** Ends all connections. */
  @Override
  public synchronized void close() {
    closed = true;
    links.values().forEach(HostLink::close);
    links.clear();
  }
}
