// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Target;

/** Distinguishes a full disk, which a user can free, from a broken one. */
public final class DiskFull {
  private static final int ENOSPC = 28;
  private static final int EDQUOT = 122;

  /** The JDK passes on the messages of the system, which may be localized. */
  private static final Set<String> TEXTS =
      Stream.of(
              "No space left on device", "Disk quota exceeded", strerror(ENOSPC), strerror(EDQUOT))
          .collect(Collectors.toUnmodifiableSet());

  private DiskFull() {}

  /**
   * The system's message about a full disk.
   *
   * @return null when the failure has another cause
   */
  public static @Nullable String reason(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException e && TEXTS.contains(Target.reason(e))) {
        return Target.reason(e);
      }
    }
    return null;
  }

  @SuppressWarnings("restricted")
  private static String strerror(int errno) {
    Linker linker = Linker.nativeLinker();
    MethodHandle function =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("strerror"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    try {
      var text = (MemorySegment) function.invokeExact(errno);
      return text.reinterpret(Long.MAX_VALUE).getString(0);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
