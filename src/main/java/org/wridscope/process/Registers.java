// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.wridscope.host.Processor;

/**
 * How a thread makes a system call on a processor: in which of its general registers, as ptrace(2)
 * has them ({@code NT_PRSTATUS}), and with which instruction.
 */
enum Registers {
  /**
   * {@code struct user_regs_struct}. The calls: ioctl (KVM_RUN), semop, rt_sigtimedwait,
   * io_getevents, semtimedop, epoll_wait, epoll_pwait, io_pgetevents, io_uring_enter, epoll_pwait2.
   */
  X86_64(
      27,
      new int[] {14, 13, 12, 7, 9, 8},
      10,
      15,
      16,
      0x050f,
      2,
      Set.of("16", "65", "128", "208", "220", "232", "281", "333", "426", "441")),
  /** {@code struct user_pt_regs}. The calls: the same without epoll_wait. */
  AARCH64(
      34,
      new int[] {0, 1, 2, 3, 4, 5},
      0,
      8,
      32,
      0xd4000001,
      4,
      Set.of("29", "193", "137", "4", "192", "22", "292", "426", "441"));

  /** Those of this machine's processor. */
  static final Registers HERE = Processor.HERE == Processor.AARCH64 ? AARCH64 : X86_64;

  private final int count;
  private final int[] arguments;
  private final int result;
  private final int number;
  private final int counter;
  private final int instruction;
  private final int step;
  private final Set<String> interrupted;

  /**
   * Registers are counted as they lie in the structure, eight bytes each.
   *
   * @param arguments in which a call has its arguments
   * @param result in which it returns its result
   * @param number in which its number is when it begins
   * @param counter the program counter
   * @param instruction that makes a call
   * @param step bytes of the instruction, of which its address is a multiple where each has so many
   * @param interrupted numbers of calls that fail with EINTR after a stop instead of starting again
   *     (signal(7))
   */
  Registers(
      int count,
      int[] arguments,
      int result,
      int number,
      int counter,
      int instruction,
      int step,
      Set<String> interrupted) {
    this.count = count;
    this.arguments = arguments;
    this.result = result;
    this.number = number;
    this.counter = counter;
    this.instruction = instruction;
    this.step = step;
    this.interrupted = interrupted;
  }

  /** Bytes of the structure; of a 32-bit program's it is smaller. */
  long size() {
    return (long) count * Long.BYTES;
  }

  /** Whether a call fails with EINTR after a stop instead of starting again. */
  boolean isInterrupted(String call) {
    return interrupted.contains(call);
  }

  /** Whether the bytes of a program, of which the first is the lowest, begin with a call. */
  boolean isCall(long code) {
    long mask = (1L << (step * Byte.SIZE)) - 1;
    return (code & mask) == Integer.toUnsignedLong(instruction);
  }

  /** Where the first of {@code length} bytes of code makes a call; -1 if none does. */
  int findCall(byte[] code, int length) {
    // On x86-64 an instruction may begin at any byte.
    int stride = this == AARCH64 ? step : 1;
    for (int at = 0; at + step <= length; at += stride) {
      long bytes = 0;
      for (int i = step - 1; i >= 0; i--) {
        bytes = (bytes << Byte.SIZE) | Byte.toUnsignedLong(code[at + i]);
      }
      if (isCall(bytes)) {
        return at;
      }
    }
    return -1;
  }

  long counter(MemorySegment registers) {
    return get(registers, counter);
  }

  long result(MemorySegment registers) {
    return get(registers, result);
  }

  long number(MemorySegment registers) {
    return get(registers, number);
  }

  void setNumber(MemorySegment registers, long value) {
    set(registers, number, value);
  }

  void setResult(MemorySegment registers, long value) {
    set(registers, result, value);
  }

  void setArguments(MemorySegment registers, long[] values) {
    for (int i = 0; i < arguments.length; i++) {
      set(registers, arguments[i], i < values.length ? values[i] : 0);
    }
  }

  /** Has a stopped thread go on at an instruction, without the call that its stop interrupted. */
  void setCounter(MemorySegment registers, long address) {
    set(registers, counter, address);
    if (this == X86_64) {
      set(registers, number, -1);
    }
  }

  /**
   * Whether the kernel lets a stopped thread repeat the call that was interrupted by setting its
   * counter back before it stops. On x86-64 it does so when the thread goes on, by number and
   * result.
   */
  boolean isSetBack() {
    return this == AARCH64;
  }

  private static long get(MemorySegment registers, int register) {
    return registers.getAtIndex(JAVA_LONG, register);
  }

  private static void set(MemorySegment registers, int register, long value) {
    registers.setAtIndex(JAVA_LONG, register, value);
  }
}
