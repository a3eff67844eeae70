// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.util.List;

/**
 * Receives the parts of a stream from a {@link MigrationStreamReader}, in their order. Their format
 * has been checked; the handler checks whether they match this machine, and throws if not.
 */
public interface StreamHandler {

  /** The machine type of the source, for example {@code pc-i440fx-7.2}. Called once, first. */
  void machine(String machineType) throws IOException;

  /**
   * The RAM blocks of the source: at least one, with unique names. Called once, before {@link
   * #hook}.
   */
  void ramBlocks(List<BlockListing> blocks) throws IOException;

  /**
   * Runs the registration loop, which handles control messages until REGISTER FINISHED. The input
   * has no unread bytes meanwhile. Called once for SETUP, any number of times for ROUND, and once
   * for FINISH.
   */
  void hook(RamPhase phase) throws IOException;

  /**
   * The state of a device. Called any number of times, after FINISH.
   *
   * @param idstr name of the device, 1 to 255 characters of printable ASCII
   * @param instance among devices of this name, an unsigned number
   * @param version of the state's layout, an unsigned number
   * @param body at most 16 MiB; the handler may keep it
   */
  void device(String idstr, int instance, int version, byte[] body) throws IOException;
}
