// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Notes for {@code ./check} what each test class takes: appends its name, its seconds, and the
 * seconds of processors that this process and its ended children have used meanwhile to the file
 * {@value #FILE}, if that property is set.
 */
public final class TestTimes implements BeforeAllCallback, AfterAllCallback {
  private static final String FILE = "wridscope.test.times";
  private static final Namespace NAMESPACE = Namespace.create(TestTimes.class);

  /** Ticks of {@code /proc/self/stat} in a second, on every Linux (USER_HZ). */
  private static final double TICKS = 100;

  /**
   * Index of {@code utime} among the fields after the command; three others follow it (proc(5)).
   */
  private static final int USER_TIME = 11;

  private record Begin(long nanos, double processors) {}

  private static boolean isOutermost(ExtensionContext context) {
    return System.getProperty(FILE) != null
        && context.getTestClass().filter(type -> type.getEnclosingClass() == null).isPresent();
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    if (isOutermost(context)) {
      context.getStore(NAMESPACE).put(FILE, new Begin(System.nanoTime(), processors()));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Begin begin = context.getStore(NAMESPACE).get(FILE, Begin.class);
    if (begin != null && isOutermost(context)) {
      Files.writeString(
          Path.of(System.getProperty(FILE)),
          "%s\t%.1f\t%.1f%n"
              .formatted(
                  context.getRequiredTestClass().getName(),
                  (System.nanoTime() - begin.nanos) / 1e9,
                  processors() - begin.processors),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  private static double processors() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    double ticks = 0;
    for (int i = USER_TIME; i < USER_TIME + 4; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return ticks / TICKS;
  }
}
