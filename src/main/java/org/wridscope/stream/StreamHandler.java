// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.util.List;

/**
 * What a {@link MigrationStreamReader} finds, in the order of the stream. Everything that is handed
 * over has the right form; whether it suits this machine is for the handler to say, by an
 * exception.
 */
public interface StreamHandler {

  /** The machine type of the source, for example {@code pc-i440fx-7.2}. Once, first. */
  void machine(String machineType) throws IOException;

  /** The RAM blocks of the source: at least one, names are unique. Once, before the first hook. */
  void ramBlocks(List<BlockListing> blocks) throws IOException;

  /**
   * Runs the registration loop: control messages, until REGISTER FINISHED. The input has no unread
   * bytes meanwhile. Once for SETUP, any number of times for ROUND, once for FINISH.
   */
  void hook(RamPhase phase) throws IOException;

  /**
   * The state of a device. Any number of times, all after FINISH.
   *
   * @param idstr name of the device, 1 to 255 characters of printable ASCII
   * @param instance among devices of that name, an unsigned number
   * @param version of the state's layout, an unsigned number
   * @param body at most 16 MiB; the handler may keep it
   */
  void device(String idstr, int instance, int version, byte[] body) throws IOException;
}
