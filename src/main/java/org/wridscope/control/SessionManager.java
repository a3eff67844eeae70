// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.util.List;
import org.wridscope.verbs.soft.WireTap;

/**
 * Starts sessions and keeps the list of this process's sessions. Thread-safe. Starting may take a
 * moment, because memory is allocated and sockets are opened. The messages of all exceptions are
 * sentences for the user.
 */
public interface SessionManager extends AutoCloseable {

  /**
   * Starts a source, which migrates a guest to a destination.
   *
   * @throws IOException if it cannot be started
   */
  Session startSource(SourceSettings settings) throws IOException;

  /**
   * Starts a destination, which waits for a guest.
   *
   * @throws IOException if it cannot be started, for example because the port is in use
   */
  Session startDestination(DestinationSettings settings) throws IOException;

  /**
   * The same, but returns as soon as sources can connect. The memory for the guest is prepared
   * meanwhile, see {@link Session#preparing}; if that fails, so does the session.
   *
   * @throws IOException if it cannot be started, for example because the port is in use
   */
  Session openDestination(DestinationSettings settings) throws IOException;

  /**
   * Starts a migration with both ends in this process.
   *
   * @throws IOException if it cannot be started
   */
  Lab startLab(LabSettings settings) throws IOException;

  /** Shows what the labs that are started from now on carry; call it before the first one. */
  void tap(WireTap tap);

  /**
   * Starts a migration with both ends in this process, with injected faults.
   *
   * @throws IOException if it cannot be started, for example because an earlier one still uses the
   *     devices
   */
  Lab startLab(LabSettings settings, LabFaults faults) throws IOException;

  /**
   * Starts a migration by QEMU's own engine, and watches it. Returns at once; what goes wrong is in
   * the outcome of its sessions.
   *
   * @return the sessions of the ends that are connected to this process, the source first
   */
  List<Session> startQemuMigration(QemuMigrationSettings settings);

  /**
   * Gets ready for this process's first migration by this program's engine, so that its switch-over
   * is short; does not wait. To be called when one is likely soon.
   */
  default void expectMigration() {}

  /**
   * Gets ready for a migration of a QEMU's guest by this program's engine, so that it begins
   * sooner; does not wait. To be called when one is likely soon.
   */
  default void expectQemu() {}

  /**
   * Takes a sample of all sessions now, and not only when it is time for the next one. To be called
   * where all of them stand still.
   */
  default void sample() {}

  /** Adds a session that somebody else has started. */
  void add(Session session);

  /** How much RAM is ready of the guests that are being started. */
  default RamProgress ramProgress() {
    return RamProgress.NONE;
  }

  /** The same of those that a thread is starting, by a call that has not returned. */
  default RamProgress ramProgress(Thread starter) {
    return ramProgress();
  }

  /** All sessions that were not removed, including those that have ended, in start order. */
  List<Session> sessions();

  /** Closes a session and removes it from the list. Waits until the session is closed. */
  void remove(Session ended);

  /**
   * Lists the devices that sessions can use now. Asks the kernel, so it may take a moment.
   *
   * @throws IOException if not even the software device is available
   */
  DeviceListing devices() throws IOException;

  /** Closes all sessions, and waits until they are closed. */
  @Override
  void close();
}
