// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.SendRequest;

/**
 * Sees what software devices of one process carry, as the mirror port of a switch does. Threads of
 * devices call it; it must not wait.
 */
public interface WireTap {

  /**
   * Two queue pairs are about to be connected.
   *
   * @param client the number of the queue pair that asked
   * @param server the number of the one that answers
   * @param port on which the server listens
   * @param request private data of the client
   * @param accept private data of the server
   * @return what sees the packets between them; null when nothing does
   */
  @Nullable Line connected(int client, int server, int port, byte[] request, byte[] accept);

  /** A queue pair was destroyed. */
  default void destroyed(QueuePairCounts counts) {}

  /** The line between two queue pairs. */
  interface Line {
    /**
     * A message begins to travel.
     *
     * @param fromClient whether the client sends it
     * @param request how many requests were posted to the send queue before it; the same number
     *     again when it is sent again
     * @param postedNanos when it was posted, in the clock of {@link Time#nanos}
     * @param length bytes of the message
     * @param address of an RDMA WRITE
     * @param key of an RDMA WRITE
     * @param payload copies the message
     * @return is told the answer; null when the message is left out
     */
    @Nullable Carriage carries(
        boolean fromClient,
        long request,
        SendRequest.Opcode opcode,
        long postedNanos,
        int length,
        long address,
        int key,
        Payload payload);

    /**
     * A program polls the completion of a request that was shown. It covers those before it that
     * have none, because they are unsignaled.
     *
     * @param fromClient whether it is the client's
     * @param request as in {@link #carries}
     */
    void polled(boolean fromClient, long request);

    /** An end disconnects. */
    void disconnects(boolean client);
  }

  /** A message on its way. */
  interface Carriage {
    /**
     * The answer comes back, or none does.
     *
     * @param syndrome of the acknowledgement (IBTA table 45), -1 for no answer
     */
    void answered(int syndrome);
  }

  /** The content of a message. */
  @FunctionalInterface
  interface Payload {
    /**
     * Copies it.
     *
     * @return false when its memory was freed
     */
    boolean copyTo(byte[] into);
  }
}
