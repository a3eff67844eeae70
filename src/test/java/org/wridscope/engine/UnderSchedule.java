// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.wridscope.time.Scheduler;

/**
 * Runs each test of a class, or one method, under a {@link Scheduler}: no wait takes time of the
 * machine, and the name of the test decides the order of events, so that a failure can be repeated.
 * Has no effect on subclasses whose devices are {@link OverTcp}, which is real.
 *
 * <p>Such a test waits only by {@link org.wridscope.time.Time}; what waits otherwise holds up its
 * whole schedule.
 */
final class UnderSchedule implements InvocationInterceptor {
  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    proceed(context.getDisplayName(), invocation);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    proceed(method.getExecutable().getName() + context.getDisplayName(), invocation);
  }

  /** What the factory finds out before there are tests; {@link Concurrently} runs these. */
  @Override
  public <T extends @Nullable Object> T interceptTestFactoryMethod(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    return proceed(context.getDisplayName(), invocation);
  }

  private static <T extends @Nullable Object> T proceed(String test, Invocation<T> invocation)
      throws Exception {
    Callable<T> work =
        () -> {
          try {
            return invocation.proceed();
          } catch (Exception | Error e) {
            throw e;
          } catch (Throwable e) {
            throw new AssertionError(e);
          }
        };
    return OverTcp.isOn() ? work.call() : run(test, work);
  }

  /**
   * Does the work of a test under a schedule.
   *
   * @param test its name, from which the order follows
   */
  static <T extends @Nullable Object> T run(String test, Callable<T> work) throws Exception {
    long seed = test.hashCode();
    var order = new SplittableRandom(seed);
    try {
      return Scheduler.run(options -> order.nextInt(options.size()), seed, work);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      cause.addSuppressed(new AssertionError("under the schedule of \"" + test + '"'));
      switch (cause) {
        case Exception thrown -> throw thrown;
        case Error thrown -> throw thrown;
        default -> throw new AssertionError(cause);
      }
    }
  }
}
