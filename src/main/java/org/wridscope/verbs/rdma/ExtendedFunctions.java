// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;
import org.wridscope.verbs.rdma.ffm.ExtendedVerbs;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * Finds the functions behind {@code ibv_wr_*}, {@code ibv_start_poll} and what follows it. A
 * provider writes them into a queue pair or a completion queue when it creates it, and which ones
 * may depend on the type of a queue pair and on what it was created for. So queue pairs of each
 * type are created, with all operations or, where the provider refuses that, with one at a time,
 * and completion queues with more and fewer fields, for one thread or several; none is ever used.
 */
final class ExtendedFunctions {
  /** {@code IBV_QPT_RC}, {@code IBV_QPT_UC} and {@code IBV_QPT_UD}. */
  private static final int[] TYPES = {2, 3, 4};

  /** {@code IBV_QP_INIT_ATTR_PD} and {@code IBV_QP_INIT_ATTR_SEND_OPS_FLAGS}. */
  private static final int MASK = 1 | 1 << 6;

  /** {@code enum ibv_qp_create_send_ops_flags}, to {@code IBV_QP_EX_WITH_TSO}. */
  private static final int OPERATIONS = 11;

  private static final long ALL_BUT_TSO = (1L << (OPERATIONS - 1)) - 1;

  /**
   * {@code enum ibv_create_cq_wc_flags}: none, all but timestamps, those too, and with timestamps
   * of the wall clock instead.
   */
  private static final long[] FIELDS = {0, 0x7f, 0xff, 0x87f};

  /** {@code IBV_CQ_INIT_ATTR_MASK_FLAGS}. */
  private static final int MASK_FLAGS = 1;

  /** No flag, or {@code IBV_CREATE_CQ_ATTR_SINGLE_THREADED}. */
  private static final int[] THREADS = {0, 1};

  private final long context;
  private final Set<VerbsFunction> found = new LinkedHashSet<>();

  private ExtendedFunctions(long context) {
    this.context = context;
  }

  /** The functions of an open device; empty if it has none. */
  static Set<VerbsFunction> of(long context) throws NativeCallException {
    var functions = new ExtendedFunctions(context);
    functions.findInQueuePairs();
    functions.findInCompletionQueues();
    return functions.found;
  }

  private void findInQueuePairs() throws NativeCallException {
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
        findInQueuePairs(attributes);
      } finally {
        Ibverbs.DESTROY_CQ.call(queue);
      }
    } finally {
      Ibverbs.DEALLOC_PD.call(domain);
    }
  }

  private void findInQueuePairs(long attributes) throws NativeCallException {
    for (int type : TYPES) {
      if (!find(attributes, type, ALL_BUT_TSO)) {
        for (int operation = 0; operation < OPERATIONS; operation++) {
          find(attributes, type, 1L << operation);
        }
      }
    }
  }

  private void findInCompletionQueues() throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(Struct.CompletionQueueInitAttr.SIZE, Long.BYTES).address();
      Memory.putInt(attributes + Struct.CompletionQueueInitAttr.CQE, 1);
      for (long fields : FIELDS) {
        for (int threads : THREADS) {
          Memory.putLong(attributes + Struct.CompletionQueueInitAttr.WC_FLAGS, fields);
          Memory.putInt(attributes + Struct.CompletionQueueInitAttr.FLAGS, threads);
          Memory.putInt(
              attributes + Struct.CompletionQueueInitAttr.COMP_MASK, threads == 0 ? 0 : MASK_FLAGS);
          long queue = ExtendedVerbs.createCompletionQueue(context, attributes);
          if (queue != 0) {
            add(Verb::isInCompletionQueues, queue);
            Ibverbs.DESTROY_CQ.call(queue);
          }
        }
      }
    }
  }

  /** Adds the functions in a structure. */
  private void add(Predicate<Verb> has, long structure) {
    for (Verb verb : Verb.values()) {
      long address = has.test(verb) ? verb.in(structure) : 0;
      if (address != 0) {
        found.add(new VerbsFunction(verb, address));
      }
    }
  }

  /** Returns whether the provider has created such a queue pair. */
  private boolean find(long attributes, int type, long operations) throws NativeCallException {
    Memory.putInt(attributes + Struct.QueuePairInitAttr.QP_TYPE, type);
    Memory.putLong(attributes + Struct.ExtendedQueuePairInitAttr.SEND_OPS_FLAGS, operations);
    long queuePair = ExtendedVerbs.createQueuePair(context, attributes);
    if (queuePair == 0) {
      return false;
    }
    try {
      add(Verb::isInQueuePairs, Ibverbs.QP_TO_QP_EX.call(queuePair));
      return true;
    } finally {
      Ibverbs.DESTROY_QP.call(queuePair);
    }
  }
}
