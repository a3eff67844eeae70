// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.wridscope.guest.Handover;
import org.wridscope.memory.Residency;
import org.wridscope.stream.MigrationStreamWriter;

/** The steps of a source that differ between a guest that runs here and one in a file. */
sealed interface Departure permits DepartingGuest, DepartingMachine, DepartingFile {

  /** Prepares the guest before the connection is established. */
  void prepare() throws IOException;

  /** Begins to log the guest's writes, and to receive its hints about RAM that it does not need. */
  void begin() throws IOException;

  /**
   * Ends what {@link #begin} began.
   *
   * @param handedOver whether the destination may have been told to start the guest
   */
  void end(boolean handedOver);

  /**
   * How RAM is brought into memory before it is sent. RAM that {@linkplain #standsStill() stands
   * still} is sent once.
   */
  Residency residency();

  /** Whether RAM does not change, so that it is no longer needed after it was sent. */
  boolean standsStill();

  /** Whether the end of the stream is marked. */
  boolean hasMarkedEnd();

  void header(MigrationStreamWriter stream) throws IOException;

  /** Adds what has changed; returns the number of bytes to be sent. */
  long sync(RamSender sender) throws IOException;

  /** Pauses the guest, so that nothing changes any more. */
  void pause() throws IOException;

  /**
   * To be called before the destination may start the guest.
   *
   * @param to where to ask for the outcome, if the destination can be asked
   * @throws IOException if the destination must not be told to start it
   */
  void handOver(Handover to) throws IOException;

  /** To be called as soon as it is known that the destination has the guest. */
  default void handedOver() {}

  /** Writes everything that follows the RAM. */
  void rest(MigrationStreamWriter stream) throws IOException;

  /**
   * Whether the guest must stay paused while it is in doubt whether the destination has started it.
   */
  boolean mustNotRunTwice();

  /** The destination's address for a sentence, with a space before it; empty if not needed. */
  String place(InetSocketAddress destination);

  /**
   * After a failure: makes sure that the guest is where it belongs.
   *
   * @param handedOver whether the destination may have been told to start it
   * @param doubtful whether a destination that cannot be asked may have received everything
   * @return a sentence about where the guest is
   */
  String giveBack(boolean handedOver, boolean doubtful);
}
