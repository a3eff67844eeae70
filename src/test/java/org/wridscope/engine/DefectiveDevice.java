// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.RdmaDevice;

/**
 * A device whose methods, and those of its objects, throw unexpected exceptions. A method that
 * destroys something does so before it throws, so that the underlying device can be closed.
 */
final class DefectiveDevice {
  private static final Set<Class<?>> VERBS =
      Set.of(
          RdmaDevice.class,
          ProtectionDomain.class,
          MemoryRegion.class,
          CompletionChannel.class,
          CompletionQueue.class,
          Connection.class,
          ConnectionListener.class,
          ConnectionRequest.class,
          QueuePair.class);

  private static final Set<String> ENDS =
      Set.of("close", "disconnect", "reject", "acknowledgeEvents");

  private final Defect defect;
  private final Consumer<String> returning;
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

  /** Decides which calls throw. */
  @FunctionalInterface
  interface Defect {
    /**
     * The exception of a call.
     *
     * @param method its interface and name, for example {@code QueuePair.postSend}
     * @param call number of calls of the method before, on any object
     * @return null if it does not throw
     */
    @Nullable Throwable at(String method, int call);
  }

  DefectiveDevice(Defect defect) {
    this(defect, _ -> {});
  }

  /**
   * @param returning is called with a method, as {@code QueuePair.postSend}, before it returns
   */
  DefectiveDevice(Defect defect, Consumer<String> returning) {
    this.defect = defect;
    this.returning = returning;
  }

  /** Number of calls of each method. */
  Map<String, AtomicInteger> calls() {
    return calls;
  }

  /** Wraps an object, so that its methods, and those of the objects they return, may throw. */
  <T> T of(T object) {
    @SuppressWarnings("unchecked")
    T wrapped = (T) wrap(object);
    return wrapped;
  }

  private Object wrap(Object object) {
    Class<?>[] interfaces =
        VERBS.stream().filter(verb -> verb.isInstance(object)).toArray(Class<?>[]::new);
    return interfaces.length == 0
        ? object
        : Proxy.newProxyInstance(
            DefectiveDevice.class.getClassLoader(), interfaces, new Handler(object));
  }

  private static @Nullable Object unwrap(@Nullable Object object) {
    return object != null
            && Proxy.isProxyClass(object.getClass())
            && Proxy.getInvocationHandler(object) instanceof Handler handler
        ? handler.target
        : object;
  }

  private final class Handler implements InvocationHandler {
    private final Object target;

    Handler(Object target) {
      this.target = target;
    }

    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      @Nullable Object[] own =
          arguments == null
              ? new Object[0]
              : Arrays.stream(arguments).map(DefectiveDevice::unwrap).toArray();
      if (method.getDeclaringClass() == Object.class) {
        return call(method, own);
      }
      String name = nameOf(method);
      int call = calls.computeIfAbsent(name, key -> new AtomicInteger()).getAndIncrement();
      Throwable defective = defect.at(name, call);
      if (defective != null) {
        if (ENDS.contains(method.getName())) {
          call(method, own);
        }
        throw defective;
      }
      Object result = call(method, own);
      returning.accept(name);
      return result == null ? null : wrap(result);
    }

    /** Name of the method with its verbs interface, wherever it is declared. */
    private String nameOf(Method method) {
      return VERBS.stream()
              .filter(verb -> verb.isInstance(target))
              .findFirst()
              .orElseThrow()
              .getSimpleName()
          + "."
          + method.getName();
    }

    private @Nullable Object call(Method method, @Nullable Object[] arguments) throws Throwable {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }
}
