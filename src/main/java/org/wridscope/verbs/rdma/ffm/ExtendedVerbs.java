// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.wridscope.host.Processor;

/** Calls through {@code struct verbs_context}, which C programs make by inline functions. */
@SuppressWarnings("restricted")
public final class ExtendedVerbs {
  private static final MethodHandle CREATE =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));

  private ExtendedVerbs() {}

  /**
   * {@code ibv_create_qp_ex}.
   *
   * @param attributes a {@code struct ibv_qp_init_attr_ex}
   * @return the queue pair, 0 if the provider cannot create it
   */
  public static long createQueuePair(long context, long attributes) {
    return create(Struct.Context.CREATE_QP_EX, context, attributes);
  }

  /**
   * {@code ibv_create_cq_ex}.
   *
   * @param attributes a {@code struct ibv_cq_init_attr_ex}
   * @return the completion queue, 0 if the provider cannot create it
   */
  public static long createCompletionQueue(long context, long attributes) {
    return create(Struct.Context.CREATE_CQ_EX, context, attributes);
  }

  private static long create(int member, long context, long attributes) {
    if (Memory.getLong(context + Struct.Context.abiCompat(Processor.HERE)) != -1
        || Memory.getLong(context + Struct.Context.EXTENDED_SIZE)
            < Struct.Context.sizeWith(member, Processor.HERE)) {
      return 0;
    }
    long function = Memory.getLong(context + member);
    if (function == 0) {
      return 0;
    }
    try {
      return (long) CREATE.invokeExact(MemorySegment.ofAddress(function), context, attributes);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }
}
