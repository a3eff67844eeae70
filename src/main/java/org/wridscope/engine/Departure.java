// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.wridscope.guest.Guest;
import org.wridscope.memory.Residency;
import org.wridscope.stream.MigrationStreamWriter;

/** What leaves, where a guest that runs here and one in a file differ. */
sealed interface Departure permits DepartingGuest, DepartingFile {

  Guest guest();

  /** Does what is to be done before there is a connection. */
  void prepare() throws IOException;

  /** Begins to note what changes, and what of its RAM the guest does not need. */
  void begin();

  /** Ends what {@link #begin} began. */
  void end();

  /**
   * How to get at RAM that is about to be sent. What is {@linkplain #standsStill() standing still}
   * is sent once.
   */
  Residency residency();

  /** Whether RAM stays as it is, so that no longer anything is needed of what was sent. */
  boolean standsStill();

  /** Whether the end of the stream can be told from its bytes. */
  boolean hasMarkedEnd();

  void header(MigrationStreamWriter stream) throws IOException;

  /** Returns bytes that have yet to be sent. */
  long sync(RamSender sender);

  /** Has nothing change any more. */
  void pause();

  /** Writes all that follows the RAM. */
  void rest(MigrationStreamWriter stream) throws IOException;

  /** What tells the destination apart, behind its name; empty where that is plain. */
  String place(InetSocketAddress destination);

  /**
   * After a failure: makes sure that the guest is where it belongs. Returns a sentence about it.
   *
   * @param handedOver whether the destination may have been told to start it
   * @param doubtful whether a destination that cannot be asked may have got everything
   */
  String giveBack(boolean handedOver, boolean doubtful);
}
