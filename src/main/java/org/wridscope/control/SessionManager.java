// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.util.List;

/**
 * Starts sessions and knows those of this process. Thread-safe. Starting may take a moment, for
 * memory and sockets are made ready; messages of its exceptions are sentences for the user.
 */
public interface SessionManager extends AutoCloseable {

  /**
   * Starts to migrate a guest away.
   *
   * @throws IOException when that cannot even begin
   */
  Session startSource(SourceSettings settings) throws IOException;

  /**
   * Starts to wait for a guest.
   *
   * @throws IOException when that cannot even begin, for example because the port is in use
   */
  Session startDestination(DestinationSettings settings) throws IOException;

  /**
   * Starts a migration with both ends in this process.
   *
   * @throws IOException when that cannot even begin
   */
  Lab startLab(LabSettings settings) throws IOException;

  /** All sessions, ended ones too until they are removed, in the order of starting. */
  List<Session> sessions();

  /** Closes a session that has ended and forgets it; waits for what closing takes. */
  void remove(Session ended);

  /**
   * The devices that sessions can use, as they are now; asks the kernel, which may take a moment.
   *
   * @throws IOException when not even the software device can be had
   */
  DeviceListing devices() throws IOException;

  /** Closes all sessions and waits for their ends. */
  @Override
  void close();
}
