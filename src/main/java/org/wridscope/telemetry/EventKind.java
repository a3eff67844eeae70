// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** The kinds of {@link Event}. The meaning of its fields depends on the kind. */
public enum EventKind {
  /** A SEND was posted. Length: bytes of the message. Detail: type of its control message. */
  POST_SEND,
  /** An RDMA WRITE was posted. Detail: 1 when signaled. Length: bytes. Argument: remote address. */
  POST_WRITE,
  /** A receive was posted. Length: bytes offered. */
  POST_RECEIVE,
  /** A completion of the send queue was polled. Detail: its status. */
  COMPLETION_SEND_QUEUE,
  /** A completion of the receive queue was polled. Detail: its status. */
  COMPLETION_RECEIVE_QUEUE,
  /** A control message was posted to the send queue. Detail: its type. Length: payload bytes. */
  CONTROL_SENT,
  /** A control message arrived. Detail: its type. Length: payload bytes. Argument: repeat. */
  CONTROL_RECEIVED,
  /** Memory was registered. Wrid: block and first chunk. Length: chunks. Argument: key. */
  REGISTERED,
  /** Memory was deregistered. Wrid: block and first chunk. Length: chunks. Argument: key. */
  DEREGISTERED,
  /**
   * A range of zero RAM was announced. Detail: page within the first chunk where it starts. Wrid:
   * block and first chunk. Argument: bytes.
   */
  ZERO,
  /** A round begins. Detail: its number. Argument: dirty bytes. */
  ROUND_BEGIN,
  /** A round ended. Detail: its number. Argument: bytes processed. */
  ROUND_END,
  /** The status changed. Detail: ordinal of the {@link MigrationStatus}. */
  STATUS,
  /** The guest was paused for the switch-over. Detail: 1 if its operator had paused it before. */
  GUEST_PAUSED,
  /** The guest was resumed. */
  GUEST_RESUMED,
  /**
   * The operator did something to the guest or to the migration. Detail: ordinal of the {@link
   * OperatorAct}, which says what the argument is. What a migration itself does to its guest is
   * {@link #GUEST_PAUSED} and {@link #GUEST_RESUMED}.
   */
  OPERATED,
  /** A connection event. Detail: ordinal of its type. */
  CONNECTION,
  /**
   * An asynchronous event of the device. Detail: ordinal of its type. Argument: number of the queue
   * pair, 0 when it concerns none.
   */
  ASYNC,
  /**
   * The engine starts to wait. Detail: what it waits for, an index into {@link
   * SessionTelemetry#waits()}. Wrid: the request whose completion it waits for, or 0.
   */
  WAIT_BEGIN,
  /** The current wait ended. Detail: what it waited for. Argument: nanoseconds waited. */
  WAIT_END,
  /**
   * A wait dropped a completion that it did not wait for. Detail: what it waits for. Wrid: that of
   * the completion. Argument: the type of the wrid that it waits for, 0 when not recorded.
   */
  COMPLETION_DROPPED,
  /**
   * A registration is given back before the migration ends. Detail: ordinal of the {@link
   * UnregisterStep}, which says what the argument is. Wrid: block and first chunk. Length: chunks.
   */
  UNREGISTER,
  /** The connection was established. Detail: an {@link Agreement}. */
  ESTABLISHED,
  /** This end begins to disconnect and to release what belongs to the connection. */
  DISCONNECTING,
  /**
   * A key was requested for a run of chunks, by the source of the destination. Wrid: block and
   * first chunk. Length: chunks.
   */
  KEY_REQUESTED,
  /**
   * The destination's key for a run of chunks was given out, or received by the source. Wrid: block
   * and first chunk. Length: chunks. Argument: key.
   */
  KEY_GIVEN,
  /**
   * The device sent a request again, because no acknowledgement had come. Detail: 0 when it sent
   * the same data, 1 for other data, 2 for nothing, because its memory was not registered any more.
   * Length: bytes. Argument: how many requests were posted to the send queue before it.
   */
  SENT_AGAIN,
  /**
   * A wait took a completion that it did not wait for, and handled it. Detail: what it waits for.
   * Wrid: that of the completion. Argument: the type of the wrid that it waits for.
   */
  COMPLETION_MET,
  /**
   * The device and the route to the peer are known; see {@link SessionTelemetry#banner()}. QEMU
   * prints both at this point.
   */
  DEVICE_OPENED,
  /**
   * Captured packets show that a device sent a request again. Detail: 0 for the same data, or data
   * that is not compared, 1 for other data; and 256 if the wrid is of a program that is not ours.
   * Length: sequence number of the first packet that was sent again. Wrid: that of the request.
   * Argument: the {@link QueueId} of the queue pair that sent it, and 2^32 times one more than the
   * number of requests that were posted before it. See {@link WirePacket}.
   */
  WIRE_RETRANSMISSION,
  /**
   * A captured packet answers a request negatively. Detail: the syndrome (IBTA table 45), and 256
   * if the wrid is of a program that is not ours. Length: the sequence number that it names. Wrid
   * and argument: as in {@link #WIRE_RETRANSMISSION}, 0 and without a number if the request was not
   * captured.
   */
  WIRE_NAK,
  /**
   * A captured packet tells a queue pair that its packets meet congestion. Argument: the {@link
   * QueueId} of that queue pair. The other fields are 0, the detail as in {@link
   * #WIRE_RETRANSMISSION}.
   */
  WIRE_CNP,
  /**
   * A counter of a device was found changed. Detail: the counter, an index into {@link
   * SessionTelemetry#waits()}. Length: 1 if it was set back meanwhile, so that it has counted at
   * least what is told. Argument: what it has counted since the session began, unsigned, in its own
   * unit. It counts for all programs on the port.
   */
  DEVICE_COUNTED,
  /**
   * A program that is not ours posted a request to a send queue. Detail: {@code ibv_wr_opcode}, and
   * 256 times {@code ibv_send_flags}, or 128 for flags that are not known. Length: bytes of its
   * scatter/gather elements, unsigned. Argument: the {@link QueueId} of the queue pair. The wrid
   * has a meaning for the program only.
   */
  PROGRAM_POST,
  /**
   * Follows the {@link #PROGRAM_POST} of an RDMA WRITE, an RDMA READ or an atomic operation.
   * Length: remote key. Argument: remote address.
   */
  PROGRAM_TARGET,
  /**
   * Follows the {@link #PROGRAM_POST}, and the {@link #PROGRAM_TARGET} if there is one, of a
   * request with immediate data. Length: that data, as a number from the order of the network.
   */
  PROGRAM_IMMEDIATE,
  /**
   * A program that is not ours posted a receive. Length: bytes offered, unsigned. Argument: the
   * {@link QueueId} of the queue pair or of the shared receive queue.
   */
  PROGRAM_RECEIVE,
  /**
   * A program that is not ours polled a completion. Detail: its status, and 256 times: {@code
   * ibv_wc_opcode} after a success, or 127 or 255 if the program did not read it, or how much it
   * received; otherwise 1 for a send queue, 2 for a receive queue, 0 if that is not known. Length:
   * bytes, after an error the vendor error, or {@link #VENDOR_ERROR_NOT_READ}. Argument: the {@link
   * QueueId} of the queue pair, and 2^32 times the number of the completion queue, 0 if it is not
   * known.
   */
  PROGRAM_COMPLETION,
  /**
   * A post of a program that is not ours returned an error, and this request was not posted.
   * Detail: the errno. Length: bytes. Argument: the {@link QueueId}, and 2^32 if it is a receive.
   */
  PROGRAM_REFUSED,
  /**
   * Something of a program that is not ours was not seen. Detail: 0 for requests of a chain, 1 for
   * completions of a batch or by {@code ibv_start_poll}, 2 for events that were lost while tracing,
   * 4 for requests at the end of a chain that were refused and not posted, 5 for posts and
   * completions before all probes were in place: with it, even of 0, requests may have been posted
   * before the first one that is known, 6 if all is inferred from captured packets: flags of
   * requests, and whether one without an acknowledgement has completed. That one may be of a
   * migration. Length: how many.
   */
  PROGRAM_UNSEEN,
  /**
   * A program that is not ours sent or received a message, as its own log says. Detail: the text,
   * an index into {@link SessionTelemetry#waits()}. Length: bytes, unsigned. Wrid: that of its
   * request, or 0. Argument: the {@link QueueId}, and 2^32 if it was received.
   */
  PROGRAM_MESSAGE,
  /**
   * A program that is not ours registered memory. Length: local key. Wrid: address. Argument:
   * bytes.
   */
  PROGRAM_REGISTERED,
  /** It deregistered memory; the fields are those of {@link #PROGRAM_REGISTERED}. */
  PROGRAM_DEREGISTERED,
  /**
   * A queue pair of a program that is not ours is connected. Detail: the peer, an index into {@link
   * SessionTelemetry#waits()}: its address and port, or without librdmacm its queue pair and
   * address. Length: 1 if it was connected before it was looked at. Argument: the {@link QueueId}.
   */
  PROGRAM_PEER,
  /**
   * A program that is not ours called {@code ibv_modify_qp}. The fields are those of a {@link
   * QueuePairChange}.
   */
  PROGRAM_MODIFIED,
  /**
   * Follows the {@link #PROGRAM_MODIFIED} that set the address or the queue pair of the peer, or a
   * packet sequence number. The fields are those of a {@link QueuePairPath}.
   */
  PROGRAM_PATH,
  /**
   * From here on it is seen what a program that is not ours registers and deregisters. Detail: the
   * number of a {@link ProgramCounts.Registrations}. Length: how many regions were registered
   * before. Argument: their bytes.
   */
  PROGRAM_REGIONS,
  /**
   * A call of a program that is not ours did not register or deregister memory. Detail: the errno,
   * 0 if it is not known. Length: 1 if it was to deregister. Wrid: address. Argument: bytes.
   */
  PROGRAM_REGION_REFUSED,
  /**
   * Polls of a program that is not ours found no completion. Length: how many since the event of
   * this kind before, of the same completion queue. Argument: 2^32 times the number of that queue.
   */
  PROGRAM_POLLED_EMPTY;

  /** Instead of a vendor error that a program did not read; see {@link #PROGRAM_COMPLETION}. */
  public static final int VENDOR_ERROR_NOT_READ = -1;

  private static final EventKind[] VALUES = values();

  /** Whether it is about a packet on the wire, which a {@link WirePacket} describes. */
  public boolean ofWire() {
    return this == WIRE_RETRANSMISSION || this == WIRE_NAK || this == WIRE_CNP;
  }

  /**
   * Whether it is of a program that is not ours, whose wrids have a meaning for that program only.
   */
  public boolean ofProgram() {
    return ordinal() >= PROGRAM_POST.ordinal();
  }

  /** The kind with this ordinal; does not allocate. */
  public static EventKind of(int ordinal) {
    return VALUES[ordinal];
  }
}
