// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import com.google.gson.JsonElement;

/** A command of a server. The commands of a client are executed one after the other. */
@FunctionalInterface
public interface Command {
  /**
   * Executes the command; any thread may call it.
   *
   * @return what the client is answered
   * @throws CommandException if it is refused
   */
  JsonElement execute(Arguments arguments) throws CommandException, InterruptedException;
}
