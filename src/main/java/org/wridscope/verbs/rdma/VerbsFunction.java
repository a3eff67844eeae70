// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.host.Processor;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.NativeFunction;
import org.wridscope.verbs.rdma.ffm.Rdmacm;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A function through which programs use devices. Every program that posts to a device or polls from
 * it calls one of the device's provider, the library that libibverbs loads for it, through the
 * table in its context or, for {@code ibv_wr_*}, in its queue pair, for {@code ibv_start_poll} and
 * what follows in its completion queue. Programs connect queue pairs by functions of libibverbs or
 * librdmacm, which they call by name.
 *
 * @param verb what it does
 * @param address in this process
 */
public record VerbsFunction(Verb verb, long address) {
  /** Functions that are called by their names, of which older libraries lack some. */
  private static final Map<Verb, NativeFunction> NAMED =
      Map.ofEntries(
          Map.entry(Verb.CONNECT, Rdmacm.CONNECT),
          Map.entry(Verb.ACCEPT, Rdmacm.ACCEPT),
          Map.entry(Verb.MODIFY_QP, Ibverbs.MODIFY_QP),
          Map.entry(Verb.REG_MR, Ibverbs.REG_MR),
          Map.entry(Verb.REG_MR_IOVA, Ibverbs.REG_MR_IOVA),
          Map.entry(Verb.REG_MR_IOVA2, Ibverbs.REG_MR_IOVA2),
          Map.entry(Verb.REG_DMABUF_MR, Ibverbs.REG_DMABUF_MR),
          Map.entry(Verb.REREG_MR, Ibverbs.REREG_MR),
          Map.entry(Verb.DEREG_MR, Ibverbs.DEREG_MR),
          Map.entry(Verb.CLOSE_DEVICE, Ibverbs.CLOSE_DEVICE),
          Map.entry(Verb.CMD_REG_MR, Ibverbs.CMD_REG_MR),
          Map.entry(Verb.CMD_REG_DMABUF_MR, Ibverbs.CMD_REG_DMABUF_MR));

  /** What programs call. */
  public enum Verb {
    POLL_CQ(Table.CONTEXT, Struct.Context.POLL_CQ),
    POST_SEND(Table.CONTEXT, Struct.Context.POST_SEND),
    POST_RECV(Table.CONTEXT, Struct.Context.POST_RECV),
    POST_SRQ_RECV(Table.CONTEXT, Struct.Context.POST_SRQ_RECV),
    WR_RDMA_WRITE(Struct.ExtendedQueuePair.WR_RDMA_WRITE, 0),
    WR_RDMA_WRITE_IMM(Struct.ExtendedQueuePair.WR_RDMA_WRITE_IMM, 1),
    WR_SEND(Struct.ExtendedQueuePair.WR_SEND, 2),
    WR_SEND_IMM(Struct.ExtendedQueuePair.WR_SEND_IMM, 3),
    WR_RDMA_READ(Struct.ExtendedQueuePair.WR_RDMA_READ, 4),
    WR_ATOMIC_CMP_SWP(Struct.ExtendedQueuePair.WR_ATOMIC_CMP_SWP, 5),
    WR_ATOMIC_FETCH_ADD(Struct.ExtendedQueuePair.WR_ATOMIC_FETCH_ADD, 6),
    WR_LOCAL_INV(Struct.ExtendedQueuePair.WR_LOCAL_INV, 7),
    WR_BIND_MW(Struct.ExtendedQueuePair.WR_BIND_MW, 8),
    WR_SEND_INV(Struct.ExtendedQueuePair.WR_SEND_INV, 9),
    WR_SEND_TSO(Struct.ExtendedQueuePair.WR_SEND_TSO, 10),
    WR_SET_INLINE_DATA(Struct.ExtendedQueuePair.WR_SET_INLINE_DATA),
    WR_SET_INLINE_DATA_LIST(Struct.ExtendedQueuePair.WR_SET_INLINE_DATA_LIST),
    WR_SET_SGE(Struct.ExtendedQueuePair.WR_SET_SGE),
    WR_SET_SGE_LIST(Struct.ExtendedQueuePair.WR_SET_SGE_LIST),
    WR_COMPLETE(Struct.ExtendedQueuePair.WR_COMPLETE),
    WR_ABORT(Struct.ExtendedQueuePair.WR_ABORT),
    /** {@code ibv_start_poll}, as the next ones of an extended completion queue. */
    START_POLL(Struct.ExtendedCompletionQueue.START_POLL),
    NEXT_POLL(Struct.ExtendedCompletionQueue.NEXT_POLL),
    END_POLL(Struct.ExtendedCompletionQueue.END_POLL),
    READ_OPCODE(Struct.ExtendedCompletionQueue.READ_OPCODE),
    READ_VENDOR_ERR(Struct.ExtendedCompletionQueue.READ_VENDOR_ERR),
    READ_BYTE_LEN(Struct.ExtendedCompletionQueue.READ_BYTE_LEN),
    READ_QP_NUM(Struct.ExtendedCompletionQueue.READ_QP_NUM),
    /** {@code rdma_connect}. */
    CONNECT(Table.NONE, 0),
    /** {@code rdma_accept}. */
    ACCEPT(Table.NONE, 0),
    /** {@code ibv_modify_qp}. */
    MODIFY_QP(Table.NONE, 0),
    /** {@code ibv_reg_mr}, which may call one of the next two. */
    REG_MR(Table.NONE, 0),
    /** {@code ibv_reg_mr_iova}. */
    REG_MR_IOVA(Table.NONE, 0),
    /** {@code ibv_reg_mr_iova2}. */
    REG_MR_IOVA2(Table.NONE, 0),
    /** {@code ibv_reg_dmabuf_mr}. */
    REG_DMABUF_MR(Table.NONE, 0),
    /** {@code ibv_rereg_mr}. */
    REREG_MR(Table.NONE, 0),
    /** {@code ibv_dereg_mr}. */
    DEREG_MR(Table.NONE, 0),
    /** {@code ibv_close_device}. */
    CLOSE_DEVICE(Table.NONE, 0),
    /** {@code ibv_cmd_reg_mr}, which providers call, and whose result is an errno. */
    CMD_REG_MR(Table.NONE, 0),
    /** {@code ibv_cmd_reg_dmabuf_mr}. */
    CMD_REG_DMABUF_MR(Table.NONE, 0);

    private static final int NO_OPCODE = -1;

    private enum Table {
      CONTEXT,
      QUEUE_PAIR,
      COMPLETION_QUEUE,
      /** It is called by its name. */
      NONE
    }

    private final Table table;
    private final int offset;
    private final int opcode;

    Verb(Table table, int offset) {
      this.table = table;
      this.offset = offset;
      opcode = NO_OPCODE;
    }

    Verb(Struct.ExtendedQueuePair member) {
      this(member, NO_OPCODE);
    }

    Verb(Struct.ExtendedCompletionQueue member) {
      this(Table.COMPLETION_QUEUE, member.offset(Processor.HERE));
    }

    Verb(Struct.ExtendedQueuePair member, int opcode) {
      table = Table.QUEUE_PAIR;
      offset = member.offset(Processor.HERE);
      this.opcode = opcode;
    }

    /** The {@code ibv_wr_opcode} of a function that begins a request; -1 of others. */
    public int opcode() {
      return opcode;
    }

    /** Whether contexts have it. */
    boolean isInContexts() {
      return table == Table.CONTEXT;
    }

    /** Whether extended queue pairs have it. */
    boolean isInQueuePairs() {
      return table == Table.QUEUE_PAIR;
    }

    /** Whether extended completion queues have it. */
    boolean isInCompletionQueues() {
      return table == Table.COMPLETION_QUEUE;
    }

    /** The address of the function in its table; 0 if there is none. */
    long in(long structure) {
      return Memory.getLong(structure + offset);
    }
  }

  /**
   * The functions of this machine's devices, and those of libibverbs and librdmacm. Their libraries
   * stay loaded.
   *
   * @param only the device to look at; null for all
   * @throws VerbsException if the device is not there, or one may not be opened; one sentence
   */
  public static Set<VerbsFunction> find(@Nullable String only) throws VerbsException {
    Installation.require();
    Set<VerbsFunction> found = new LinkedHashSet<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      long devices = RdmaDevices.deviceList(count);
      try {
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
          long device = Memory.getLong(devices + (long) i * Long.BYTES);
          if (only == null || only.equals(Query.name(device))) {
            found.addAll(ofDevice(device));
          }
        }
      } finally {
        Ibverbs.FREE_DEVICE_LIST.call(devices);
      }
    } catch (NativeCallException e) {
      throw Installation.failed("finding the functions of the RDMA devices", e);
    }
    if (found.isEmpty()) {
      throw RdmaDevices.notFound(only == null ? "to attach to" : only);
    }
    NAMED.forEach((verb, function) -> {
      if (function.isThere()) {
        found.add(new VerbsFunction(verb, function.address()));
      }
    });
    return found;
  }

  private static Set<VerbsFunction> ofDevice(long device)
      throws VerbsException, NativeCallException {
    long context = RdmaDevices.context(device);
    try {
      Set<VerbsFunction> found = new LinkedHashSet<>();
      for (Verb verb : Verb.values()) {
        if (verb.isInContexts()) {
          found.add(new VerbsFunction(verb, verb.in(context)));
        }
      }
      found.addAll(ExtendedFunctions.of(context));
      return found;
    } finally {
      Ibverbs.CLOSE_DEVICE.call(context);
    }
  }

  /** Its first bytes in this process as a number; a probe replaces some of them. */
  public int firstBytes() {
    return Memory.getInt(address);
  }
}
