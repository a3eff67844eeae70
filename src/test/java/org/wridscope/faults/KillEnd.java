// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.Serializable;
import java.rmi.Remote;
import java.time.Duration;
import java.util.List;

/**
 * One end of a migration of which one is killed: a QEMU, and the program that takes its guest or
 * brings it one. On this machine, or on another through RMI.
 */
interface KillEnd extends Remote, AutoCloseable {
  /** The address where a destination listens. */
  String uri() throws Exception;

  /** Waits until the guest has stopped, or the program has ended. */
  void awaitStop(Duration limit) throws IOException, InterruptedException;

  /**
   * Kills the program.
   *
   * @return whether it ran until then
   */
  boolean kill() throws IOException;

  /** Asks the program to end if its QEMU waits for a guest that nobody has begun to bring. */
  void stopIfUntouched() throws IOException, InterruptedException;

  /**
   * Waits until the program, and its guards, have ended.
   *
   * @return whether they have
   */
  boolean await(Duration limit) throws IOException, InterruptedException;

  /** What the program, its guards and the QEMU have printed. */
  String output() throws IOException;

  /** What is there when the program and its guards have ended. */
  State state() throws IOException, InterruptedException;

  /** Ends everything and removes its files. */
  @Override
  void close() throws IOException;

  /**
   * An end after a migration.
   *
   * @param alive whether the QEMU runs
   * @param runs whether the guest runs in it
   * @param count the guest's last count
   * @param leftovers what is not as before the migration
   */
  record State(boolean alive, boolean runs, int count, List<String> leftovers)
      implements Serializable {}
}
