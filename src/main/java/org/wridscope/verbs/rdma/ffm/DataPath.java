// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.wridscope.verbs.rdma.ffm.NativeFunction.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * The calls of the data path. In C they are inline functions that call through a table in the
 * context, so there is no symbol to look up. They allocate nothing.
 */
@SuppressWarnings("restricted")
public final class DataPath {
  private static final MethodHandle POST =
      handle(FunctionDescriptor.of(JAVA_INT, POINTER, POINTER, POINTER));
  private static final MethodHandle POLL =
      handle(FunctionDescriptor.of(JAVA_INT, POINTER, JAVA_INT, POINTER));
  private static final MethodHandle NOTIFY =
      handle(FunctionDescriptor.of(JAVA_INT, POINTER, JAVA_INT));

  /** Output of a failed post: the failing request. Not read, since there is only one. */
  private static final long BAD_REQUEST = Arena.global().allocate(POINTER).address();

  /** Functions that were called, a few for each driver; the array is replaced, not changed. */
  private static volatile MemorySegment[] functions = {};

  private DataPath() {}

  private static MethodHandle handle(FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(descriptor);
  }

  /** {@code ibv_post_send}: 0 or an error number. */
  public static int postSend(long queuePair, long request) {
    return post(
        operation(queuePair + Struct.QueuePair.CONTEXT, Struct.Context.POST_SEND),
        queuePair,
        request);
  }

  /** {@code ibv_post_recv}: 0 or an error number. */
  public static int postReceive(long queuePair, long request) {
    return post(
        operation(queuePair + Struct.QueuePair.CONTEXT, Struct.Context.POST_RECV),
        queuePair,
        request);
  }

  private static int post(MemorySegment function, long queuePair, long request) {
    try {
      return (int) POST.invokeExact(function, queuePair, request, BAD_REQUEST);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }

  /** {@code ibv_poll_cq}: how many completions were written to {@code into}, or negative. */
  public static int poll(long completionQueue, int count, long into) {
    MemorySegment function =
        operation(completionQueue + Struct.CompletionQueue.CONTEXT, Struct.Context.POLL_CQ);
    try {
      return (int) POLL.invokeExact(function, completionQueue, count, into);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }

  /** {@code ibv_req_notify_cq} for all completions: 0 or an error number. */
  public static int requestNotification(long completionQueue) {
    MemorySegment function =
        operation(completionQueue + Struct.CompletionQueue.CONTEXT, Struct.Context.REQ_NOTIFY_CQ);
    try {
      return (int) NOTIFY.invokeExact(function, completionQueue, 0);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }

  /** The function at an offset in the context; the context is found at the address. */
  private static MemorySegment operation(long contextAddress, int offset) {
    long address = Memory.getLong(Memory.getLong(contextAddress) + offset);
    for (MemorySegment function : functions) {
      if (function.address() == address) {
        return function;
      }
    }
    return remember(address);
  }

  private static synchronized MemorySegment remember(long address) {
    MemorySegment[] known = functions;
    MemorySegment[] more = Arrays.copyOf(known, known.length + 1);
    more[known.length] = MemorySegment.ofAddress(address);
    functions = more;
    return more[known.length];
  }
}
