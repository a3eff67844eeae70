// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.lang.reflect.Method;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.wridscope.time.Scheduler;

/**
 * Runs each test of a class under a {@link Scheduler}: no wait takes time of the machine, and the
 * name of the test decides the order of events, so that a failure can be repeated. Has no effect on
 * subclasses whose devices are {@link OverTcp}, which is real.
 *
 * <p>Such a test waits only by {@link org.wridscope.time.Time}; what waits otherwise holds up its
 * whole schedule.
 */
final class UnderSchedule implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
  private static volatile boolean on;

  static boolean isOn() {
    return on && !OverTcp.isOn();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    on = true;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    on = false;
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    proceed(context.getDisplayName(), invocation);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    proceed(method.getExecutable().getName() + context.getDisplayName(), invocation);
  }

  /** What the factory finds out before there are tests; {@link Concurrently} runs these. */
  @Override
  public <T> T interceptTestFactoryMethod(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    return proceed(context.getDisplayName(), invocation);
  }

  private static <T> T proceed(String test, Invocation<T> invocation) throws Exception {
    return run(
        test,
        () -> {
          try {
            return invocation.proceed();
          } catch (Exception | Error e) {
            throw e;
          } catch (Throwable e) {
            throw new AssertionError(e);
          }
        });
  }

  /**
   * Does the work of a test, under a schedule if the class of the test says so.
   *
   * @param test its name, from which the order follows
   */
  static <T> T run(String test, Callable<T> work) throws Exception {
    if (!isOn()) {
      return work.call();
    }
    long seed = test.hashCode();
    var order = new SplittableRandom(seed);
    try {
      return Scheduler.run(options -> order.nextInt(options.size()), seed, work);
    } catch (ExecutionException e) {
      e.getCause().addSuppressed(new AssertionError("under the schedule of \"" + test + '"'));
      switch (e.getCause()) {
        case Exception cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new AssertionError(e.getCause());
      }
    }
  }
}
