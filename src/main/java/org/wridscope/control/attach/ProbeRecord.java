// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.wridscope.verbs.rdma.ffm.Struct;

/** The layout of what {@link ProbePrograms} write, in bytes; {@link ProbeRecords} read it. */
final class ProbeRecord {
  /** What a record tells. */
  enum Kind {
    /** A request to a send queue: {@code A} is its errno; the data, the request, its elements. */
    POST,
    /** The same of a receive. */
    RECEIVE,
    /** The same of a receive of a shared receive queue, which is the queue. */
    SHARED_RECEIVE,
    /**
     * Completions of a completion queue: {@code A} is how many were polled; the data, as many of
     * them as a record has.
     */
    COMPLETIONS,
    /**
     * A completion of an extended completion queue, which becomes the current one: the data, status
     * and wr_id.
     */
    CURRENT,
    /**
     * The program reads a field of the current completion: {@code A} is which, a bit of {@link
     * #OPCODE_READ} to {@link #QP_NUM_READ}, {@code B} what it reads.
     */
    READ,
    /** There is no current completion any more. */
    END,
    /** Requests that are not read: {@code A} is how many, {@code B} 1 if they were refused. */
    MORE,
    /**
     * A connection: {@code A} is the number of the queue pair; the data, the peer's address. The
     * structure is the context.
     */
    PEER,
    /**
     * A request of the extended interface: {@code A} is its opcode, {@code B} its remote address,
     * {@code C} its remote key; the data, its wr_id and its flags.
     */
    EXTENDED,
    /** Data of the request that was begun last: {@code A} is the length. */
    DATA,
    /** The same: {@code A} is the number of scatter/gather elements; the data, the elements. */
    ELEMENTS,
    /** The same with {@code struct ibv_data_buf}. */
    BUFFERS,
    /** What was begun on a queue pair is posted, or refused: {@code A} is the errno. */
    COMPLETE,
    /** What was begun on a queue pair is given up. */
    ABORT,
    /**
     * A queue pair was modified, or that was refused: {@code A} is the result, {@code B} the mask;
     * the data, the {@code struct ibv_qp_attr}.
     */
    MODIFY,
    /**
     * Memory was registered, or that was refused: {@code A} is the region, 0 if it was refused,
     * {@code B} the errno, 0 if it is not known; the data, address, length and local key. The time
     * is that of the return, since nobody else can have the key before. The structure is the
     * context.
     */
    REGISTER,
    /**
     * Memory was deregistered, or that was refused: {@code A} is the errno; the data, address,
     * length and local key. The time is that of the return, the structure is the context.
     */
    DEREGISTER,
    /**
     * A region was registered again: {@code A} is the result; the data, address, length and local
     * key before, and the same after. The time is that of the return.
     */
    REREGISTER,
    /** A device is closed: the structure is its context. */
    CLOSE
  }

  static final int KIND = 0;

  /** Not 0 if some of the program's memory could not be read. */
  static final int UNREAD = 4;

  /** The time of the call, or of the return of a poll; of the monotonic clock. */
  static final int TIME = 8;

  static final int THREAD = 16;
  static final int PROCESS = 20;

  /** The name of the thread. */
  static final int COMMAND = 24;

  static final int COMMAND_BYTES = 16;

  /** The address of the queue. */
  static final int QUEUE = 40;

  /** The beginning of the queue's structure: of a queue pair, all that follows is read from it. */
  static final int STRUCTURE = 48;

  static final int STRUCTURE_BYTES = Struct.QueuePair.QP_NUM + Integer.BYTES;

  static final int A = STRUCTURE + STRUCTURE_BYTES;
  static final int B = A + Long.BYTES;
  static final int C = B + Long.BYTES;
  static final int DATA = C + Long.BYTES;

  /** Status and wr_id of a completion. */
  static final int CURRENT_BYTES = Integer.BYTES + Long.BYTES;

  static final int OPCODE_READ = 1;
  static final int VENDOR_ERR_READ = 2;
  static final int BYTE_LEN_READ = 4;
  static final int QP_NUM_READ = 8;

  /** Address, length and local key of a region. */
  static final int REGION_BYTES = 3 * Long.BYTES;

  /** The reader is not woken, which would slow the program down: it looks from time to time. */
  static final int NO_WAKEUP = 1;

  private ProbeRecord() {}
}
