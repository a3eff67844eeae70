// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Folder;
import org.wridscope.host.Processor;
import org.wridscope.text.Legible;

/**
 * A thread and what it waits in, see proc_pid_stat(5), proc_pid_wchan(5) and proc_pid_syscall(5);
 * what this user may not read is null.
 *
 * @param state such as {@code R} for one that runs, {@code S} for one that waits
 * @param call the system call that it is in; null if it is in none, or that is not known
 * @param file what the descriptor of that call is
 * @param place the function of the kernel that it waits in; null if it is in none
 * @param stack the functions of the kernel, the innermost first
 */
public record ThreadReading(
    long id,
    String name,
    String state,
    @Nullable String call,
    @Nullable String file,
    @Nullable String place,
    List<String> stack) {
  /** Threads that are read, and functions of each. */
  private static final int MOST = 256;

  private static final int MOST_FUNCTIONS = 32;

  private static final int MAX_TEXT = 128;

  /** System calls in which programs wait: name, number on x86-64, number on aarch64. */
  private record Call(String name, int x86, int arm, boolean hasFile) {}

  private static final List<Call> CALLS =
      List.of(
          new Call("read", 0, 63, true),
          new Call("write", 1, 64, true),
          new Call("poll", 7, -1, false),
          new Call("ppoll", 271, 73, false),
          new Call("select", 23, -1, false),
          new Call("pselect6", 270, 72, false),
          new Call("epoll_wait", 232, -1, false),
          new Call("epoll_pwait", 281, 22, false),
          new Call("epoll_pwait2", 441, 441, false),
          new Call("ioctl", 16, 29, true),
          new Call("futex", 202, 98, false),
          new Call("nanosleep", 35, 101, false),
          new Call("clock_nanosleep", 230, 115, false),
          new Call("accept", 43, 202, true),
          new Call("accept4", 288, 242, true),
          new Call("connect", 42, 203, true),
          new Call("recvfrom", 45, 207, true),
          new Call("recvmsg", 47, 212, true),
          new Call("sendto", 44, 206, true),
          new Call("sendmsg", 46, 211, true),
          new Call("wait4", 61, 260, false),
          new Call("waitid", 247, 95, false),
          new Call("rt_sigtimedwait", 128, 137, false),
          new Call("rt_sigsuspend", 130, 133, false),
          new Call("pause", 34, -1, false),
          new Call("sched_yield", 24, 124, false));

  public ThreadReading {
    stack = List.copyOf(stack);
  }

  /**
   * The threads of a process, the first 256, by number.
   *
   * @throws IOException if the process has ended or its threads may not be listed; one sentence
   */
  static List<ThreadReading> of(long pid) throws IOException {
    Path process = Path.of("/proc/" + pid);
    List<Path> threads;
    try {
      threads = Folder.entries(process.resolve("task"));
    } catch (IOException e) {
      throw new IOException(
          ProcessHandle.of(pid).isEmpty()
              ? "Process %d has ended meanwhile.".formatted(pid)
              : "The threads of process %d may not be read; use sudo.".formatted(pid),
          e);
    }
    return threads.stream()
        .sorted(Comparator.comparingLong(ThreadReading::number))
        .limit(MOST)
        .map(thread -> read(process, thread))
        .filter(Objects::nonNull)
        .toList();
  }

  private static long number(Path thread) {
    return Long.parseLong(thread.getFileName().toString());
  }

  /** Null if it has ended. */
  private static @Nullable ThreadReading read(Path process, Path thread) {
    String stat = content(thread, "stat");
    return stat == null
        ? null
        : parse(
            number(thread),
            stat,
            content(thread, "syscall"),
            content(thread, "wchan"),
            content(thread, "stack"),
            file -> target(process.resolve("fd").resolve(Long.toString(file))));
  }

  /** What a descriptor is. */
  interface Descriptors {
    /** Null if that is not known. */
    @Nullable String of(long descriptor);
  }

  /** Reads the contents of the files of a thread; null for one that may not be read. */
  static ThreadReading parse(
      long id,
      String stat,
      @Nullable String syscall,
      @Nullable String wchan,
      @Nullable String stack,
      Descriptors files) {
    // The name is in parentheses and may have any characters.
    int open = stat.indexOf('(');
    int close = stat.lastIndexOf(')');
    boolean named = open >= 0 && close > open;
    String rest = named ? stat.substring(close + 1).strip() : "";
    String call = null;
    String file = null;
    if (syscall != null) {
      String[] words = syscall.strip().split(" ");
      if (words[0].matches("\\d{1,9}")) {
        int number = Integer.parseInt(words[0]);
        Call known = call(number);
        call = known == null ? "system call " + number : known.name;
        if (known != null
            && known.hasFile
            && words.length > 1
            && words[1].matches("0x[0-9a-f]{1,8}")) {
          file = files.of(Long.parseLong(words[1].substring(2), 16));
        }
      }
    }
    return new ThreadReading(
        id,
        named ? Legible.of(stat.substring(open + 1, close), MAX_TEXT) : "?",
        rest.isEmpty() ? "?" : Legible.of(rest.substring(0, 1)),
        call,
        file,
        wchan == null || wchan.isBlank() || wchan.strip().equals("0")
            ? null
            : Legible.of(wchan.strip(), MAX_TEXT),
        stack == null ? List.of() : functions(stack));
  }

  private static @Nullable Call call(int number) {
    return CALLS.stream()
        .filter(each ->
            number
                == switch (Processor.HERE) {
                  case X86_64 -> each.x86;
                  case AARCH64 -> each.arm;
                  case OTHER -> -1;
                })
        .findFirst()
        .orElse(null);
  }

  /** Lines such as {@code [<0>] do_select+0x65c/0x940}. */
  private static List<String> functions(String stack) {
    return stack
        .lines()
        .map(line -> line.replaceFirst("^\\[<[0-9a-f]+>] ", "").replaceFirst("\\+0x.*", "").strip())
        .filter(line -> !line.isEmpty())
        .limit(MOST_FUNCTIONS)
        .map(line -> Legible.of(line, MAX_TEXT))
        .toList();
  }

  private static @Nullable String content(Path thread, String file) {
    try {
      return new String(Files.readAllBytes(thread.resolve(file)), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return null;
    }
  }

  private static @Nullable String target(Path link) {
    try {
      return Legible.of(Files.readSymbolicLink(link).toString(), MAX_TEXT);
    } catch (IOException e) {
      return null;
    }
  }

  /** What it does, a phrase. */
  public String text() {
    if (state.equals("R")) {
      return "runs, and does not wait";
    }
    String what = call == null ? "waits" : "waits in " + call;
    String of = file == null ? "" : " of " + file;
    return what + of + (place == null ? "" : " (%s)".formatted(place));
  }
}
