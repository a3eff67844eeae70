// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.util.LinkedHashSet;
import java.util.Set;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;
import org.wridscope.verbs.rdma.ffm.ExtendedVerbs;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * Finds the functions behind {@code ibv_wr_*}. A provider writes them into a queue pair when it
 * creates it, and which ones may depend on its type and on the operations that it was created for.
 * So queue pairs of each type are created, with all operations or, where the provider refuses that,
 * with one at a time; none is ever connected.
 */
final class ExtendedFunctions {
  /** {@code IBV_QPT_RC}, {@code IBV_QPT_UC} and {@code IBV_QPT_UD}. */
  private static final int[] TYPES = {2, 3, 4};

  /** {@code IBV_QP_INIT_ATTR_PD} and {@code IBV_QP_INIT_ATTR_SEND_OPS_FLAGS}. */
  private static final int MASK = 1 | 1 << 6;

  /** {@code enum ibv_qp_create_send_ops_flags}, to {@code IBV_QP_EX_WITH_TSO}. */
  private static final int OPERATIONS = 11;

  private static final long ALL_BUT_TSO = (1L << (OPERATIONS - 1)) - 1;

  private final long context;
  private final long attributes;
  private final Set<VerbsFunction> found = new LinkedHashSet<>();

  private ExtendedFunctions(long context, long attributes) {
    this.context = context;
    this.attributes = attributes;
  }

  /** The functions of an open device; empty if it has none. */
  static Set<VerbsFunction> of(long context) throws NativeCallException {
    long domain = Ibverbs.ALLOC_PD.call(context);
    try (Arena arena = Arena.ofConfined()) {
      long queue = Ibverbs.CREATE_CQ.call(context, 1, 0, 0, 0);
      try {
        long attributes =
            arena.allocate(Struct.ExtendedQueuePairInitAttr.SIZE, Long.BYTES).address();
        Memory.putLong(attributes + Struct.QueuePairInitAttr.SEND_CQ, queue);
        Memory.putLong(attributes + Struct.QueuePairInitAttr.RECV_CQ, queue);
        Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_SEND_WR, 1);
        Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_RECV_WR, 1);
        Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_SEND_SGE, 1);
        Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_RECV_SGE, 1);
        Memory.putInt(attributes + Struct.ExtendedQueuePairInitAttr.COMP_MASK, MASK);
        Memory.putLong(attributes + Struct.ExtendedQueuePairInitAttr.PD, domain);
        var functions = new ExtendedFunctions(context, attributes);
        functions.find();
        return functions.found;
      } finally {
        Ibverbs.DESTROY_CQ.call(queue);
      }
    } finally {
      Ibverbs.DEALLOC_PD.call(domain);
    }
  }

  private void find() throws NativeCallException {
    for (int type : TYPES) {
      if (!find(type, ALL_BUT_TSO)) {
        for (int operation = 0; operation < OPERATIONS; operation++) {
          find(type, 1L << operation);
        }
      }
    }
  }

  /** Returns whether the provider has created such a queue pair. */
  private boolean find(int type, long operations) throws NativeCallException {
    Memory.putInt(attributes + Struct.QueuePairInitAttr.QP_TYPE, type);
    Memory.putLong(attributes + Struct.ExtendedQueuePairInitAttr.SEND_OPS_FLAGS, operations);
    long queuePair = ExtendedVerbs.createQueuePair(context, attributes);
    if (queuePair == 0) {
      return false;
    }
    try {
      long extended = Ibverbs.QP_TO_QP_EX.call(queuePair);
      for (Verb verb : Verb.values()) {
        long address = verb.isInQueuePairs() ? verb.in(extended) : 0;
        if (address != 0) {
          found.add(new VerbsFunction(verb, address));
        }
      }
      return true;
    } finally {
      Ibverbs.DESTROY_QP.call(queuePair);
    }
  }
}
