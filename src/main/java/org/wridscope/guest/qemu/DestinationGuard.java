// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import org.wridscope.guest.Handover;

/**
 * A guard of a QEMU that waits for a guest.
 *
 * <p>The guest is never started before its start was noted, and the source is never told of it
 * before that:
 *
 * <ol>
 *   <li>QEMU has loaded the guest; {@link #loaded}; LOADED is sent
 *   <li>SWITCH OVER is received; {@link #switchingOver}; {@code cont}; {@link #running}; RUNNING is
 *       sent
 * </ol>
 *
 * <p>So whoever ends this process between two of these steps, the guard knows who has the guest. Up
 * to {@code switchingOver} the guest has certainly not been started: the guard ends the QEMU before
 * it answers NOT_STARTED, and the source, which has not received RUNNING, asks or goes on without
 * asking. From then on it is never the source's again: the guard starts the guest, unless it runs,
 * before it answers RUNNING. If QEMU refuses that, the guard ends the QEMU first, too. If it cannot
 * be reached, nobody answers, and the source keeps its guest paused.
 */
public interface DestinationGuard extends QemuGuard {

  /**
   * Notes that the source keeps its guest until it is told that it can start here, and where it may
   * ask. Without this, as with a QEMU, the source hands its guest over with its last message.
   */
  void connected(Handover handover) throws IOException;

  /**
   * Notes that the QEMU is about to load a guest. If this process ends after that, the guard ends
   * the QEMU, which can load no other. If it turns out that the QEMU has got all of the guest, and
   * {@link #connected} was not noted, the guard leaves the guest loaded and paused, and says so.
   */
  void loading() throws IOException;

  /**
   * Notes that the QEMU has loaded a guest, and that the source will be told. If this process ends
   * after that, the guard ends the QEMU, and then answers the source that the guest was not
   * started; unless {@link #connected} was not noted, see {@link #loading}.
   */
  void loaded() throws IOException;

  /**
   * Notes that the source has handed the guest over, before it is started. If this process ends
   * after that, the guard makes sure that the guest runs, and answers a source that asks.
   *
   * @param run whether the guest is to run; false if it did not run at the source
   */
  void switchingOver(boolean run) throws IOException;

  /**
   * Notes that the guest may be loaded, and is kept paused because the source, which cannot be
   * asked, may have handed it over. The journal stays after {@link #close}, without settings, until
   * a user says what the source does.
   */
  void kept();

  /** Notes that the guest runs, or stays paused because it did not run at the source. */
  void running() throws IOException;

  /**
   * Notes that everything in the QEMU is put back: from now on it belongs to others, and the guard
   * only answers a source that asks.
   */
  void restored() throws IOException;
}
