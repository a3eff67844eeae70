// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.wridscope.verbs.rdma.ffm.NativeFunction.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/** poll(2) and fcntl(2) on the file descriptors that events arrive on. */
@SuppressWarnings("restricted")
public final class Descriptors {
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final short POLLIN = 1;
  private static final int EINTR = 4;

  /** {@code struct pollfd}. */
  private static final int POLLFD_SIZE = 8;

  private static final int POLLFD_EVENTS = 4;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO_OFFSET = CALL_STATE.byteOffset(PathElement.groupElement("errno"));
  private static final MethodHandle POLL =
      function("poll", FunctionDescriptor.of(JAVA_INT, POINTER, POINTER, JAVA_INT));
  private static final MethodHandle FCNTL =
      function(
          "fcntl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));

  private Descriptors() {}

  private static MethodHandle function(
      String name, FunctionDescriptor descriptor, Linker.Option... more) {
    Linker.Option[] options = Arrays.copyOf(more, more.length + 1);
    options[more.length] = Linker.Option.captureCallState("errno");
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
  }

  /** Makes reads of the descriptor non-blocking. */
  public static void setNonBlocking(int descriptor) throws NativeCallException {
    int flags = control(descriptor, F_GETFL, 0);
    control(descriptor, F_SETFL, flags | O_NONBLOCK);
  }

  private static int control(int descriptor, int command, int argument) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result;
      try {
        result = (int) FCNTL.invokeExact(state, descriptor, command, argument);
      } catch (Throwable e) {
        throw NativeFunction.unexpected(e);
      }
      if (result < 0) {
        throw new NativeCallException("fcntl", state.get(JAVA_INT, ERRNO_OFFSET));
      }
      return result;
    }
  }

  /**
   * Waits until the descriptor is readable.
   *
   * @param milliseconds how long, 0 to return at once
   * @return false when it is not readable; possibly before the time is over
   */
  public static boolean awaitReadable(int descriptor, int milliseconds) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment request = arena.allocate(POLLFD_SIZE, Integer.BYTES);
      request.set(JAVA_INT, 0, descriptor);
      request.set(JAVA_SHORT, POLLFD_EVENTS, POLLIN);
      int result;
      try {
        result = (int) POLL.invokeExact(state, request.address(), 1L, milliseconds);
      } catch (Throwable e) {
        throw NativeFunction.unexpected(e);
      }
      int errno = state.get(JAVA_INT, ERRNO_OFFSET);
      if (result < 0 && errno != EINTR) {
        throw new NativeCallException("poll", errno);
      }
      return result > 0;
    }
  }
}
