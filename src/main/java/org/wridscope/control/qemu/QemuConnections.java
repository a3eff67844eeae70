// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.qmp.QmpAddress;

/**
 * The QEMUs that the user has connected, in the order of connecting. Each is asked once a second,
 * and at each of its events, by a thread of its own; no method waits for a QEMU except {@link
 * #lend}. Thread-safe.
 */
public final class QemuConnections implements AutoCloseable {
  private final Map<QmpAddress, QemuLink> links = new LinkedHashMap<>();
  private boolean closed;

  /** Connects a QEMU; does nothing if it is connected already. */
  public synchronized void connect(QmpAddress address) {
    if (!closed) {
      links.computeIfAbsent(address, QemuLink::start);
    }
  }

  /** Ends the connection to a QEMU, which does not notice otherwise. */
  public synchronized void disconnect(QmpAddress address) {
    QemuLink link = links.remove(address);
    if (link != null) {
      link.close();
    }
  }

  /** All connected QEMUs, as they were a moment ago. */
  public synchronized List<QemuConnection> list() {
    return links.values().stream().map(QemuLink::now).toList();
  }

  /**
   * Leaves the QMP sockets of these QEMUs to a session, because a socket serves one client at a
   * time. Waits until they are free, some milliseconds.
   */
  public void lend(Collection<QmpAddress> addresses) throws InterruptedException {
    for (QemuLink link : of(addresses)) {
      link.lend();
    }
  }

  /** Connects QEMUs again that were lent. */
  public void takeBack(Collection<QmpAddress> addresses) {
    of(addresses).forEach(QemuLink::takeBack);
  }

  private synchronized List<QemuLink> of(Collection<QmpAddress> addresses) {
    return links.entrySet().stream()
        .filter(entry -> addresses.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Ends all connections. */
  @Override
  public synchronized void close() {
    closed = true;
    links.values().forEach(QemuLink::close);
    links.clear();
  }
}
