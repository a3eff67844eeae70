// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.wridscope.host.Processor;
import org.wridscope.process.ProcessMaps.Mapping;
import org.wridscope.text.Legible;

/**
 * Has one thread of another process make one system call, and lets it go on as if nothing had
 * happened; the other threads are not stopped. On x86-64 and aarch64.
 *
 * <p>The thread is stopped by {@code PTRACE_INTERRUPT}, which no program sees. It is sent to an
 * instruction for system calls that its process has anyway, or repeats the call that it was waiting
 * in; where it enters the kernel that call is exchanged for the other. Its registers are restored
 * when it is stopped once more, before it returns to its program, and the call that it was waiting
 * in starts again. Meanwhile its signals are blocked, and arrive later.
 *
 * <p>If this process is killed within that fraction of a millisecond, the other one crashes: this
 * is for a process that nobody kills.
 *
 * <p>Everything here runs in the thread that calls {@link #call}, since the kernel knows a tracer
 * by its thread. It must be a platform thread that ends soon after: if all else fails, the kernel
 * releases what a thread traces when it ends.
 */
final class RemoteSyscall {
  private static final long PTRACE_PEEKTEXT = 1;
  private static final long PTRACE_CONT = 7;
  private static final long PTRACE_DETACH = 17;
  private static final long PTRACE_SYSCALL = 24;
  private static final long PTRACE_SETOPTIONS = 0x4200;
  private static final long PTRACE_GETREGSET = 0x4204;
  private static final long PTRACE_SETREGSET = 0x4205;
  private static final long PTRACE_SEIZE = 0x4206;
  private static final long PTRACE_INTERRUPT = 0x4207;
  private static final long PTRACE_GETSIGMASK = 0x420a;
  private static final long PTRACE_SETSIGMASK = 0x420b;

  private static final long O_TRACESYSGOOD = 1;
  private static final long O_SUSPEND_SECCOMP = 1 << 21;

  private static final int EVENT_STOP = 128;
  private static final int SIGTRAP = 5;
  private static final int SIGSYS = 31;

  /** How a stop at a system call shows with {@link #O_TRACESYSGOOD}. */
  private static final int SYSCALL_STOP = SIGTRAP | 0x80;

  private static final long WNOHANG = 1;
  private static final long WALL = 0x40000000L;
  private static final long WNOTHREAD = 0x20000000L;

  /**
   * Every signal but SIGSYS, which the kernel forces on a thread whose seccomp filter says so: if
   * it were blocked, the kernel would remove the program's handler.
   */
  private static final long BLOCKED = ~(1L << (SIGSYS - 1));

  /** Sets of registers: the general ones, and on aarch64 the number of a call that begins. */
  private static final long NT_PRSTATUS = 1;

  private static final long NT_ARM_SYSTEM_CALL = 0x404;

  private static final Registers REGISTERS = Registers.HERE;

  /** Errors are returned as -1 to -4095. */
  private static final long MAX_ERRNO = 4095;

  /** Until the thread stops: it cannot while it waits for a disk. */
  private static final long STOP_NANOS = 2_000_000_000L;

  /** While its registers are changed; it waits for nothing but memory then. */
  private static final long CALL_NANOS = 60_000_000_000L;

  private static final long POLL_NANOS = 50_000;

  /** Bytes of a mapping that are searched for the instruction. */
  private static final int SEARCHED = 4 << 20;

  private final long pid;
  private final long thread;
  private final Arena arena;
  private final MemorySegment status;
  private boolean stopped;
  private boolean calling;

  /** The thread could not be stopped in time; another one of the process may be. */
  static final class NotStoppedException extends IOException {
    private static final long serialVersionUID = 1L;

    NotStoppedException(String message) {
      super(message);
    }
  }

  private RemoteSyscall(long pid, long thread, Arena arena) {
    this.pid = pid;
    this.thread = thread;
    this.arena = arena;
    status = arena.allocate(JAVA_INT);
  }

  /**
   * Has a thread make a call that does not wait.
   *
   * @param thread of the process
   * @param arguments up to six numbers
   * @return its result, not negative
   * @throws SystemCallException if the call was made and failed
   * @throws IOException if it could not be made; one sentence
   */
  static long call(long pid, long thread, SystemCall call, long... arguments) throws IOException {
    if (Processor.HERE == Processor.OTHER) {
      throw new IOException(
          "process %d cannot be asked for a userfaultfd: that needs an x86-64 or aarch64 processor."
              .formatted(pid));
    }
    if (ProcessStatus.number(pid, "PPid").equals(Optional.of(ProcessHandle.current().pid()))) {
      throw new IOException(
          "process %d is a child of this process, which takes a stop of it for its end; use another"
                  .formatted(pid)
              + " process.");
    }
    long instruction = findInstruction(pid);
    try (Arena arena = Arena.ofConfined()) {
      return new RemoteSyscall(pid, thread, arena).call(instruction, call, arguments);
    }
  }

  private long call(long instruction, SystemCall call, long[] arguments) throws IOException {
    long result;
    try {
      trace(PTRACE_SEIZE, O_TRACESYSGOOD);
    } catch (SystemCallException e) {
      throw new IOException(Permission.explain(pid, e), e);
    }
    try {
      trace(PTRACE_INTERRUPT, 0);
      advanceTo(PTRACE_CONT, EVENT_STOP);
      suspendSeccomp();
      result = callInStopped(instruction, call, arguments);
    } catch (SystemCallException e) {
      throw new IOException(
          "process %d could not be asked for %s (%s); it may have ended."
              .formatted(pid, call.text(), e.getMessage()),
          e);
    } finally {
      detach();
    }
    if (result < 0 && result >= -MAX_ERRNO) {
      throw new SystemCallException(call.text(), (int) -result);
    }
    return result;
  }

  /**
   * A seccomp filter may end a program for a call that it does not expect. Only root may suspend
   * it; without that, the filter decides.
   */
  private void suspendSeccomp() {
    try {
      trace(PTRACE_SETOPTIONS, O_TRACESYSGOOD | O_SUSPEND_SECCOMP);
    } catch (SystemCallException e) {
      // The options stay as they are.
    }
  }

  /** The thread is stopped before and after this, with the same registers and signals. */
  private long callInStopped(long instruction, SystemCall call, long[] arguments)
      throws IOException {
    MemorySegment before = read();
    MemorySegment signals = arena.allocate(JAVA_LONG);
    MemorySegment blocked = arena.allocateFrom(JAVA_LONG, BLOCKED);
    boolean repeats = REGISTERS.isSetBack() && isCall(REGISTERS.counter(before));
    MemorySegment sent = arena.allocate(REGISTERS.size(), Long.BYTES).copyFrom(before);
    if (!repeats) {
      // The process may have started another program since the instruction was found.
      if (!isCall(instruction)) {
        throw new IOException(
            "process %d has just started another program; try again.".formatted(pid));
      }
      REGISTERS.setCounter(sent, instruction);
    }
    trace(PTRACE_GETSIGMASK, Long.BYTES, signals.address());
    MemorySegment after;
    calling = true;
    boolean restored = false;
    try {
      trace(PTRACE_SETSIGMASK, Long.BYTES, blocked.address());
      write(NT_PRSTATUS, sent);
      advance(PTRACE_SYSCALL, SYSCALL_STOP);
      MemorySegment entered = read();
      if (repeats) {
        // It is that of restart_syscall(2) if the call must not begin anew.
        REGISTERS.setNumber(before, REGISTERS.number(entered));
      }
      exchange(entered, call, arguments);
      advance(PTRACE_SYSCALL, SYSCALL_STOP);
      after = read();
      // A stop of the kind in which the kernel starts an interrupted call again afterwards.
      trace(PTRACE_INTERRUPT, 0);
      advance(PTRACE_CONT, EVENT_STOP);
      if (isFiltered()) {
        // Here the signal can be taken back, which stops in the same place. The kernel has put back
        // the number of the call where its result would be.
        advance(PTRACE_CONT, SIGSYS);
        REGISTERS.setResult(after, -SystemCallException.ENOSYS);
      }
      restored = true;
      restore(before, signals, repeats);
    } finally {
      if (!restored) {
        stopAndRestore(before, signals);
      }
      calling = false;
    }
    return REGISTERS.result(after);
  }

  /** Makes another call of the one at whose begin the thread is stopped. */
  private void exchange(MemorySegment registers, SystemCall call, long[] arguments)
      throws SystemCallException {
    REGISTERS.setArguments(registers, arguments);
    if (REGISTERS == Registers.X86_64) {
      REGISTERS.setNumber(registers, call.number());
      write(NT_PRSTATUS, registers);
    } else {
      write(NT_PRSTATUS, registers);
      write(NT_ARM_SYSTEM_CALL, arena.allocateFrom(JAVA_INT, call.number()));
    }
  }

  private boolean isCall(long address) throws SystemCallException {
    MemorySegment code = arena.allocate(JAVA_LONG);
    trace(PTRACE_PEEKTEXT, address, code.address());
    return REGISTERS.isCall(code.get(JAVA_LONG, 0));
  }

  private MemorySegment read() throws IOException {
    MemorySegment registers = arena.allocate(REGISTERS.size(), Long.BYTES);
    MemorySegment vector = vector(registers);
    trace(PTRACE_GETREGSET, NT_PRSTATUS, vector.address());
    if (vector.getAtIndex(JAVA_LONG, 1) != REGISTERS.size()) {
      throw new IOException(
          "process %d is a 32-bit program, which cannot be asked for a userfaultfd."
              .formatted(pid));
    }
    return registers;
  }

  private void write(long set, MemorySegment registers) throws SystemCallException {
    trace(PTRACE_SETREGSET, set, vector(registers).address());
  }

  /** {@code struct iovec}. */
  private MemorySegment vector(MemorySegment content) {
    return arena.allocateFrom(JAVA_LONG, content.address(), content.byteSize());
  }

  /** Whether a seccomp filter answered the call with a signal, which the program did not cause. */
  private boolean isFiltered() {
    return ProcessStatus.value(Path.of("/proc/%d/task/%d/status".formatted(pid, thread)), "SigPnd")
        .filter(pending -> pending.matches("[0-9a-f]{1,16}"))
        .filter(pending -> (Long.parseUnsignedLong(pending, 16) & ~BLOCKED) != 0)
        .isPresent();
  }

  /**
   * @param repeats whether the thread is let into the call that was interrupted before its signals
   *     are; a signal that has arrived meanwhile has the effect on the call that it should have
   */
  private void restore(MemorySegment registers, MemorySegment signals, boolean repeats)
      throws IOException {
    try {
      write(NT_PRSTATUS, registers);
      if (repeats) {
        advance(PTRACE_SYSCALL, SYSCALL_STOP);
      }
    } finally {
      trace(PTRACE_SETSIGMASK, Long.BYTES, signals.address());
    }
  }

  /** Something failed, so it is not known where the thread is. */
  private void stopAndRestore(MemorySegment registers, MemorySegment signals) throws IOException {
    trace(PTRACE_INTERRUPT, 0);
    if (stopped) {
      advance(PTRACE_CONT, EVENT_STOP);
    } else {
      advanceTo(PTRACE_CONT, EVENT_STOP);
    }
    restore(registers, signals, false);
  }

  private void detach() {
    if (stopped) {
      try {
        trace(PTRACE_DETACH, 0);
      } catch (SystemCallException e) {
        // It has ended. If not, it is released when this thread ends.
      }
    }
  }

  /** Lets the thread run until it is stopped in this way. */
  private void advance(long request, int stop) throws IOException {
    trace(request, 0);
    stopped = false;
    advanceTo(request, stop);
  }

  /**
   * Waits for a stop, and passes over others.
   *
   * @param request with which to go on after others
   * @param stop {@link #EVENT_STOP}, {@link #SYSCALL_STOP} or a signal
   */
  private void advanceTo(long request, int stop) throws IOException {
    while (true) {
      int state = awaitStop();
      int signal = state >> 8 & 0xff;
      int event = state >> 16;
      if (stop == EVENT_STOP ? event == EVENT_STOP : event == 0 && signal == stop) {
        return;
      }
      // A signal is passed on, for example SIGSTOP, which cannot be blocked. A stop of the whole
      // process is not a signal any more; it lasts when the tracer has gone.
      boolean passed = event == 0 && signal != SYSCALL_STOP && !(calling && signal == SIGSYS);
      trace(request, 0, passed ? signal : 0);
      stopped = false;
    }
  }

  /** Waits until the thread is stopped; returns the status of wait4(2). */
  private int awaitStop() throws IOException {
    long start = System.nanoTime();
    while (true) {
      long changed = SystemCall.WAIT4.call(thread, status.address(), WALL | WNOTHREAD | WNOHANG, 0);
      if (changed == thread) {
        int state = status.get(JAVA_INT, 0);
        if ((state & 0xff) != 0x7f) {
          throw new IOException("process %d has ended.".formatted(pid));
        }
        stopped = true;
        return state;
      }
      if (System.nanoTime() - start > (calling ? CALL_NANOS : STOP_NANOS)) {
        throw new NotStoppedException(
            "thread %d of process %d did not stop in time; it may wait for a disk or a file server."
                .formatted(thread, pid));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private void trace(long request, long data) throws SystemCallException {
    trace(request, 0, data);
  }

  private void trace(long request, long address, long data) throws SystemCallException {
    var _ = SystemCall.PTRACE.call(request, thread, address, data);
  }

  /** Where a process can make a system call, which every process can in the kernel's vDSO. */
  private static long findInstruction(long pid) throws IOException {
    ProcessMaps maps = ProcessMaps.read(pid);
    try (var memory = new RandomAccessFile("/proc/" + pid + "/mem", "r")) {
      for (boolean vdso : new boolean[] {true, false}) {
        for (Mapping mapping : maps.mappings()) {
          if (mapping.isExecutable()
              && mapping.isReadable()
              && mapping.start() > 0
              && mapping.name().equals("[vdso]") == vdso) {
            int found = findInstruction(memory, mapping);
            if (found >= 0) {
              return mapping.start() + found;
            }
          }
        }
      }
    } catch (IOException e) {
      throw new IOException(
          "the memory of process %d cannot be read (%s); run Wridscope as the same user or as root."
              .formatted(pid, Legible.of(String.valueOf(e.getMessage()), 200)),
          e);
    }
    throw new IOException("process %d has no instruction for system calls.".formatted(pid));
  }

  private static int findInstruction(RandomAccessFile memory, Mapping mapping) throws IOException {
    byte[] code = new byte[(int) Math.min(SEARCHED, mapping.end() - mapping.start())];
    memory.seek(mapping.start());
    return REGISTERS.findCall(code, memory.read(code));
  }
}
