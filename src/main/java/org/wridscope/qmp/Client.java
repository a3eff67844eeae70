// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonObject;
import java.time.Instant;

/** The client that sent a command. Thread-safe. */
public interface Client {
  /**
   * Sends an event to this client alone, after it has read almost all that was sent before, so that
   * answers and events for all clients are not delayed by many of these.
   *
   * @return the length of the message in bytes; 0 if the connection has ended
   */
  int tell(String event, JsonObject data, Instant when) throws InterruptedException;

  /** Whether the connection has not ended. */
  boolean isConnected();
}
