// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import org.libvirt.Connect;
import org.libvirt.Library;
import org.libvirt.LibvirtException;
import org.libvirt.jna.Libvirt.VirErrorCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code libvirt.so} of this machine, which is loaded, and whose thread of events is started,
 * when the first connection is opened.
 */
public final class SystemLibvirt implements VirtConnector {
  private static final Logger LOG = LoggerFactory.getLogger(SystemLibvirt.class);

  /**
   * What libvirt would print on standard error; each error is also thrown. Kept from collection.
   */
  private static final class Quiet {
    static final VirErrorCallback CALLBACK = (_, _) -> {};

    private Quiet() {}
  }

  private static boolean started;

  @Override
  public VirtHost open(VirtUri uri) throws VirtException {
    start();
    try {
      return LibvirtHost.open(uri);
    } catch (LibvirtException e) {
      throw new VirtException(
          "libvirt could not connect to %s: %s".formatted(uri, LibvirtHost.reason(e)));
    }
  }

  private static synchronized void start() throws VirtException {
    if (started) {
      return;
    }
    try {
      // Before the first connection: libvirt uses the loop for the events and keep-alive messages
      // of those that are opened later.
      Library.initEventLoop();
      Connect.setErrorCallback(Quiet.CALLBACK);
    } catch (LinkageError e) {
      LOG.debug("libvirt", e);
      throw new VirtException(
          "libvirt is not installed on this machine; on Debian or Ubuntu, install the package"
              + " libvirt0 (apt-get install libvirt0), on Fedora libvirt-libs, and connect again.");
    } catch (LibvirtException e) {
      throw new VirtException("libvirt could not be started: " + LibvirtHost.reason(e));
    }
    Thread.ofPlatform().daemon().name("libvirt events").start(SystemLibvirt::events);
    started = true;
  }

  private static void events() {
    while (true) {
      try {
        Library.processEvent();
      } catch (LibvirtException | RuntimeException e) {
        LOG.error("events of libvirt", e);
        return;
      }
    }
  }
}
