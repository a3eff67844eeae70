// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.WorkCompletionStatus;

/**
 * A responder's answer to a message, and how the requester's request completes then (IBTA 9.7.5:
 * NAK codes, 9.9.2: completions).
 */
enum Response {
  /** This message and all before it were executed. */
  ACK(WorkCompletionStatus.SUCCESS, VendorError.NONE, 0x1f),
  /** No receive is posted: the message is repeated after the RNR timer. */
  RNR_NAK(WorkCompletionStatus.RNR_RETRY_EXC_ERR, VendorError.RECEIVER_NOT_READY, 0x2c),
  /** The message is longer than the receive. */
  NAK_INVALID_REQUEST(WorkCompletionStatus.REM_INV_REQ_ERR, VendorError.RECEIVE_TOO_SHORT, 0x61),
  /** The remote key, its rights, its domain or the address range is wrong. */
  NAK_REMOTE_ACCESS(WorkCompletionStatus.REM_ACCESS_ERR, VendorError.REFUSED_BY_PEER, 0x62),
  /** The responder failed for a local reason. */
  NAK_REMOTE_OPERATIONAL(WorkCompletionStatus.REM_OP_ERR, VendorError.REFUSED_BY_PEER, 0x63),
  /** The requester's memory was freed during the transfer. */
  SOURCE_FAULT(WorkCompletionStatus.LOC_PROT_ERR, VendorError.MEMORY_FAULT, Response.NO_PACKET),
  /** There is no answer. */
  SILENCE(WorkCompletionStatus.RETRY_EXC_ERR, VendorError.NO_ANSWER, Response.NO_PACKET);

  /** The syndrome of an answer that is not sent. */
  static final int NO_PACKET = -1;

  private final WorkCompletionStatus status;
  private final VendorError vendorError;
  private final int syndrome;

  Response(WorkCompletionStatus status, VendorError vendorError, int syndrome) {
    this.status = status;
    this.vendorError = vendorError;
    this.syndrome = syndrome;
  }

  /**
   * The syndrome of its acknowledgement (IBTA table 45): without a credit limit, or with the timer
   * code of {@code Requester}; {@link #NO_PACKET} when none is sent.
   */
  int syndrome() {
    return syndrome;
  }

  WorkCompletionStatus status() {
    return status;
  }

  VendorError vendorError() {
    return vendorError;
  }
}
