// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteOrder;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;

/**
 * A device that calls a watcher before and after each control message is posted, and whose
 * connections can be disconnected or silenced. Everything else is delegated to another device.
 */
final class WatchedDevice {
  /** Offset of the type in a control header. */
  private static final int TYPE_OFFSET = 4;

  private static final ValueLayout.OfInt BIG_ENDIAN_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final RdmaDevice device;
  private final Watcher watcher;

  /** Each connection with the proxy that is returned for it; guarded by itself. */
  private final IdentityHashMap<Connection, Connection> connections = new IdentityHashMap<>();

  /** Connections with numbers up to this one are silenced. */
  private volatile int silenced;

  /** Called by the thread that posts a control message. */
  interface Watcher {
    void before(ControlType type);

    void after(ControlType type);
  }

  WatchedDevice(RdmaDevice device, Watcher watcher) {
    this.watcher = watcher;
    this.device = watched(RdmaDevice.class, device, 0);
  }

  /** The device to be used in place of the one that is watched. */
  RdmaDevice device() {
    return device;
  }

  /** Disconnects all connections. */
  void tear() throws VerbsException {
    synchronized (connections) {
      for (Connection connection : connections.keySet()) {
        connection.disconnect();
      }
    }
  }

  /** From now on, requests posted on the existing connections are not sent. */
  void fallSilent() {
    synchronized (connections) {
      silenced = connections.size();
    }
  }

  /**
   * A proxy that delegates to an object of the verbs.
   *
   * @param connection number of the connection that it belongs to, from 1; 0 for none
   */
  private <T> T watched(Class<T> type, T target, int connection) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                watched(call(target, method, arguments, connection), connection)));
  }

  private @Nullable Object watched(@Nullable Object result, int connection) {
    return switch (result) {
      case ConnectionListener listener -> watched(ConnectionListener.class, listener, connection);
      case ConnectionRequest request -> watched(ConnectionRequest.class, request, connection);
      case QueuePair queuePair -> watched(QueuePair.class, queuePair, connection);
      case Connection made -> {
        synchronized (connections) {
          int number = connections.size() + 1;
          yield connections.computeIfAbsent(made, _ -> watched(Connection.class, made, number));
        }
      }
      case null, default -> result;
    };
  }

  private @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments, int connection)
      throws Throwable {
    boolean silent = connection > 0 && connection <= silenced;
    return switch (method.getName()) {
      case "disconnect" -> silent ? null : invoke(target, method, arguments);
      case "postSend" -> {
        ControlType type = arguments == null ? null : typeOf((SendRequest) arguments[0]);
        if (type != null) {
          watcher.before(type);
        }
        if (connection > silenced) {
          invoke(target, method, arguments);
        }
        if (type != null) {
          watcher.after(type);
        }
        yield null;
      }
      default -> invoke(target, method, arguments);
    };
  }

  private static @Nullable Object invoke(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @SuppressWarnings("restricted")
  private static @Nullable ControlType typeOf(@Nullable SendRequest request) {
    if (request == null || request.opcode() != SendRequest.Opcode.SEND) {
      return null;
    }
    MemorySegment message =
        MemorySegment.ofAddress(request.address()).reinterpret(request.length());
    return ControlType.of(message.get(BIG_ENDIAN_INT, TYPE_OFFSET));
  }
}
