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
 * A device, and all that is made with it, whose methods throw what no caller expects. What ends
 * something does so before it throws, so that nothing stays behind at the device below.
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
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

  /** What goes wrong. */
  @FunctionalInterface
  interface Defect {
    /**
     * What a call throws.
     *
     * @param method its interface and name, for example {@code QueuePair.postSend}
     * @param call how often the method was called before, on whatever object
     * @return null for nothing
     */
    @Nullable Throwable at(String method, int call);
  }

  DefectiveDevice(Defect defect) {
    this.defect = defect;
  }

  /** How often each method was called. */
  Map<String, AtomicInteger> calls() {
    return calls;
  }

  /** Something of a device, so that its methods, and those of what they return, may throw. */
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
      return result == null ? null : wrap(result);
    }

    /** By the interface of the verbs, wherever the method was declared. */
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
