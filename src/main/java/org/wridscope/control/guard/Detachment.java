// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.util.List;

/**
 * Detaches this process from the terminal and the signals of the process that started it: Ctrl-C
 * and the end of a terminal reach a session's processes, see setsid(2).
 */
final class Detachment {
  private static final Linker LINKER = Linker.nativeLinker();

  /** SIGHUP, SIGINT, SIGQUIT and SIGTERM: a service manager sends the last to each process. */
  private static final List<Integer> SIGNALS = List.of(1, 2, 3, 15);

  /** {@code SIG_IGN} of signal(2). */
  private static final long IGNORE = 1;

  private Detachment() {}

  /**
   * Begins a session of its own, and ignores the signals that ask to end. The virtual machine must
   * have been started with {@code -Xrs}, so that it does not handle them itself.
   */
  @SuppressWarnings("restricted")
  static void detach() throws IOException {
    try {
      var setsid =
          LINKER.downcallHandle(
              LINKER.defaultLookup().findOrThrow("setsid"), FunctionDescriptor.of(JAVA_INT));
      // It fails only for the leader of a process group, whom a terminal's signals do not reach.
      int _ = (int) setsid.invokeExact();
      var signal =
          LINKER.downcallHandle(
              LINKER.defaultLookup().findOrThrow("signal"),
              FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG));
      for (int number : SIGNALS) {
        long before = (long) signal.invokeExact(number, IGNORE);
        if (before == -1) {
          throw new IOException("signal %d cannot be ignored".formatted(number));
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
