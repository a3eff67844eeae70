// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Locale;
import org.wridscope.host.Processor;

/** System calls of Linux, with their numbers on x86-64 and aarch64. */
@SuppressWarnings("restricted")
public enum SystemCall {
  CLOSE(3, 57),
  LSEEK(8, 62),
  MMAP(9, 222),
  MUNMAP(11, 215),
  IOCTL(16, 29),
  SOCKET(41, 198),
  SENDMSG(46, 211),
  RECVMSG(47, 212),
  BIND(49, 200),
  GETSOCKNAME(51, 204),
  GETSOCKOPT(55, 209),
  WAIT4(61, 260),
  FCNTL(72, 25),
  PTRACE(101, 117),
  FSTATFS(138, 44),
  OPENAT(257, 56),
  MKNODAT(259, 33),
  DUP3(292, 24),
  PERF_EVENT_OPEN(298, 241),
  MEMFD_CREATE(319, 279),
  BPF(321, 280),
  USERFAULTFD(323, 282),
  PIDFD_OPEN(434, 434),
  PIDFD_GETFD(438, 438);

  static final boolean X86_64 = Processor.HERE == Processor.X86_64;

  private static final int ARGUMENTS = 6;
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO_OFFSET = CALL_STATE.byteOffset(PathElement.groupElement("errno"));
  private static final MethodHandle SYSCALL = syscall();

  private final int x86;
  private final int aarch64;

  SystemCall(int x86, int aarch64) {
    this.x86 = x86;
    this.aarch64 = aarch64;
  }

  /** syscall(2), which has a variable number of arguments. */
  private static MethodHandle syscall() {
    Linker linker = Linker.nativeLinker();
    var parameters = new MemoryLayout[1 + ARGUMENTS];
    Arrays.fill(parameters, JAVA_LONG);
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("syscall"),
        FunctionDescriptor.of(JAVA_LONG, parameters),
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(1));
  }

  /** Its number in a process of this machine. */
  int number() {
    return X86_64 ? x86 : aarch64;
  }

  /**
   * Makes the call.
   *
   * @param arguments up to six numbers and addresses
   * @return its result, not negative
   * @throws SystemCallException when it fails
   */
  public long call(long... arguments) throws SystemCallException {
    long[] all = Arrays.copyOf(arguments, ARGUMENTS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      long result =
          (long)
              SYSCALL.invokeExact(
                  state, (long) number(), all[0], all[1], all[2], all[3], all[4], all[5]);
      if (result == -1) {
        throw new SystemCallException(text(), state.get(JAVA_INT, ERRNO_OFFSET));
      }
      return result;
    } catch (SystemCallException e) {
      throw e;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Its name in C. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** C throws nothing: an exception is an error of the virtual machine or of this program. */
  private static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
