// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * Software devices that reach each other over TCP, between processes and hosts. A listener occupies
 * a TCP port, and each connection is a TCP connection; {@code docs/software-device.md} describes
 * the protocol.
 *
 * <p>As on an RDMA network nothing is encrypted or authenticated: any peer that reaches a listener
 * can request a connection, and once accepted write to memory registered for remote writes.
 */
public final class SoftNetwork {
  /** The name of a process's device. */
  public static final String NAME = "soft0";

  private SoftNetwork() {}

  /**
   * Opens a device.
   *
   * @param name of the device and its thread, for example {@code soft0}
   * @throws VerbsException with {@link Errno#ENOMEM} when this process can open no more files
   */
  public static SoftDevice open(String name) throws VerbsException {
    return open(name, NetworkLimits.DEFAULT);
  }

  /**
   * Listens on a socket that another process has bound, and may have accepted connections of.
   *
   * @param device of {@link #open}
   * @param listening closed with the listener
   * @param backlog as in {@link SoftDevice#listen}
   */
  public static ConnectionListener listen(
      SoftDevice device, ServerSocketChannel listening, int backlog) throws IOException {
    if (device.manager() instanceof NetworkManager manager) {
      return manager.listen(listening, backlog);
    }
    throw new IllegalArgumentException("the device %s has no network".formatted(device.name()));
  }

  static SoftDevice open(String name, NetworkLimits limits) throws VerbsException {
    NetworkThread thread;
    try {
      thread = new NetworkThread(name, limits);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.ENOMEM, "the device %s cannot be opened: %s".formatted(name, e.getMessage()));
    }
    return new SoftDevice(name, thread, device -> new NetworkManager(device, thread));
  }
}
