// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.wridscope.verbs.QueuePairAttributes;

/**
 * Where a queue pair sends to, and its packet sequence numbers: what a {@link
 * EventKind#PROGRAM_PATH} tells. Only what is in the mask was set.
 *
 * @param mask bits of {@code enum ibv_qp_attr_mask}, only those of {@link #MEMBERS}
 * @param address an index into {@link SessionTelemetry#waits()}; 16 bits
 * @param queuePair the number of the peer's, as the program wrote it
 * @param sendPsn packet sequence number of the first packet that is sent
 * @param receivePsn that of the first packet that is expected
 */
public record QueuePairPath(
    QueueId queue, int mask, int address, int queuePair, int sendPsn, int receivePsn) {
  /** The attributes that it may have. */
  public static final int MEMBERS =
      QueuePairAttributes.ADDRESS
          | QueuePairAttributes.DESTINATION_QP
          | QueuePairAttributes.SEND_PSN
          | QueuePairAttributes.RECEIVE_PSN;

  private static final int MAX_ADDRESS = (1 << 16) - 1;

  /** An address with a higher index is left out. */
  public QueuePairPath {
    mask &= address > MAX_ADDRESS ? MEMBERS & ~QueuePairAttributes.ADDRESS : MEMBERS;
    address = Math.min(address, MAX_ADDRESS);
  }

  /** The path of an event. */
  public static QueuePairPath of(Event event) {
    return of(event.detail(), event.length(), event.wrid(), event.argument());
  }

  /** The path of an event with these values. */
  public static QueuePairPath of(int detail, int length, long wrid, long argument) {
    return new QueuePairPath(
        QueueId.ofArgument(argument),
        (int) (argument >>> 32),
        detail,
        length,
        (int) wrid,
        (int) (wrid >>> 32));
  }

  /** The wrid of its event; detail and length are the address and the peer's queue pair. */
  public long wrid() {
    return Integer.toUnsignedLong(sendPsn) | (long) receivePsn << 32;
  }

  /** The argument of its event. */
  public long argument() {
    return (long) mask << 32 | queue.argument();
  }

  /** Whether it has an attribute, a bit of the mask. */
  public boolean has(int attribute) {
    return (mask & attribute) != 0;
  }

  /** What is set after a later call that was not refused. */
  public QueuePairPath and(QueuePairPath later) {
    return new QueuePairPath(
        queue,
        mask | later.mask,
        later.has(QueuePairAttributes.ADDRESS) ? later.address : address,
        later.has(QueuePairAttributes.DESTINATION_QP) ? later.queuePair : queuePair,
        later.has(QueuePairAttributes.SEND_PSN) ? later.sendPsn : sendPsn,
        later.has(QueuePairAttributes.RECEIVE_PSN) ? later.receivePsn : receivePsn);
  }
}
