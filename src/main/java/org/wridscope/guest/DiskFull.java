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

/** Tells a disk without room, which somebody can make, from one that is broken. */
public final class DiskFull {
  private static final int ENOSPC = 28;
  private static final int EDQUOT = 122;

  /** The JDK passes on the system's texts, which are in the user's language. */
  private static final Set<String> TEXTS =
      Stream.of(
              "No space left on device", "Disk quota exceeded", strerror(ENOSPC), strerror(EDQUOT))
          .collect(Collectors.toUnmodifiableSet());

  private DiskFull() {}

  /**
   * What the system says about a disk that has no room.
   *
   * @return null when something else went wrong
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
