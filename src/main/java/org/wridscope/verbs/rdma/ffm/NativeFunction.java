// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A C function whose arguments and result are integers and pointers. Not for the data path, since a
 * call allocates.
 */
@SuppressWarnings("restricted")
public final class NativeFunction {
  /** A pointer, as a number. */
  public static final ValueLayout.OfLong POINTER = ValueLayout.JAVA_LONG;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO_OFFSET = CALL_STATE.byteOffset(PathElement.groupElement("errno"));
  private static final ThreadLocal<MemorySegment> STATE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CALL_STATE));

  /** How a function reports failure. */
  public enum Failure {
    /** Not at all. */
    NEVER,
    /** A null pointer, and errno. */
    NULL,
    /** A positive result, which is the error number, or -1 and errno. */
    NOT_ZERO,
    /** A negative error number. */
    NEGATIVE
  }

  private final SymbolLookup library;
  private final Failure failure;
  private final @Nullable MemoryLayout result;
  private final String name;
  private final MemoryLayout[] parameters;
  private volatile @Nullable MethodHandle handle;

  /**
   * @param result null for void
   */
  NativeFunction(
      SymbolLookup library,
      Failure failure,
      @Nullable MemoryLayout result,
      String name,
      MemoryLayout... parameters) {
    this.library = library;
    this.failure = failure;
    this.result = result;
    this.name = name;
    this.parameters = parameters;
  }

  /** Links the function; done on the first call, since it is slow. */
  private MethodHandle link() {
    FunctionDescriptor descriptor =
        result == null
            ? FunctionDescriptor.ofVoid(parameters)
            : FunctionDescriptor.of(result, parameters);
    MethodHandle raw =
        Linker.nativeLinker()
            .downcallHandle(
                library.findOrThrow(name), descriptor, Linker.Option.captureCallState("errno"));
    if (result == null) {
      raw = MethodHandles.filterReturnValue(raw, MethodHandles.constant(long.class, 0L));
    }
    List<Class<?>> types = new ArrayList<>();
    types.add(MemorySegment.class);
    types.addAll(Collections.nCopies(parameters.length, long.class));
    return MethodHandles.explicitCastArguments(raw, MethodType.methodType(long.class, types))
        .asSpreader(long[].class, parameters.length);
  }

  /**
   * Where its code is in this process.
   *
   * @throws java.util.NoSuchElementException when the library has no such function
   */
  public long address() {
    return library.findOrThrow(name).address();
  }

  /** Whether the library, which is installed, has the function. */
  public boolean isThere() {
    return library.find(name).isPresent();
  }

  /**
   * Calls the function.
   *
   * @return its result; a pointer as its address
   * @throws NativeCallException when it reports failure
   * @throws java.util.NoSuchElementException when the library has no such function
   */
  public long call(long... arguments) throws NativeCallException {
    MemorySegment state = STATE.get();
    long result = invoke(state, arguments);
    int errno = state.get(JAVA_INT, ERRNO_OFFSET);
    switch (failure) {
      case NEVER -> {}
      case NULL -> {
        if (result == 0) {
          throw new NativeCallException(name, errno);
        }
      }
      case NOT_ZERO -> {
        if (result != 0) {
          throw new NativeCallException(name, result > 0 ? (int) result : errno);
        }
      }
      case NEGATIVE -> {
        if (result < 0) {
          throw new NativeCallException(name, (int) -result);
        }
      }
    }
    return result;
  }

  private long invoke(MemorySegment state, long[] arguments) {
    MethodHandle linked = handle;
    if (linked == null) {
      linked = link();
      handle = linked;
    }
    try {
      return (long) linked.invokeExact(state, arguments);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** C throws nothing: an exception is an error of the virtual machine or of this program. */
  static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
