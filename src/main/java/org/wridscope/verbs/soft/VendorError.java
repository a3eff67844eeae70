// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

/** Why the device refused a request: the vendor error of its completions. */
enum VendorError {
  NONE(0),
  /** No region has that key. */
  UNKNOWN_KEY(1),
  /** The region belongs to another protection domain than the queue pair. */
  FOREIGN_DOMAIN(2),
  /** The region does not grant that access. */
  MISSING_RIGHT(3),
  /** The address range is not inside the region. */
  OUT_OF_BOUNDS(4),
  /** The memory of the region was freed. */
  MEMORY_FAULT(5),
  /** The message is longer than the receive. */
  RECEIVE_TOO_SHORT(6),
  /** The peer's queue pair does not answer. */
  NO_ANSWER(7),
  /** The peer had no receive posted in all retries. */
  RECEIVER_NOT_READY(8),
  /** The peer refused the request; the peer's completion has the reason. */
  REFUSED_BY_PEER(9),
  /** The fault plan asks for a fault that the device cannot make. */
  FAULT_NOT_SUPPORTED(10);

  private final int code;

  VendorError(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
