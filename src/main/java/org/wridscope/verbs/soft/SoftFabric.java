// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Scheduler;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * The network between software devices of this process. All addresses of this machine are
 * equivalent, so a port identifies a listener; the ports are unrelated to TCP's.
 */
public final class SoftFabric {
  private static final int FIRST_EPHEMERAL_PORT = 49_152;
  private static final int LAST_PORT = 65_535;

  /** Guards the state of all listeners, requests and connections on this fabric. */
  private final ReentrantLock lock = new ReentrantLock();

  private final BitSet ports = new BitSet();
  private final Map<Integer, LocalListener> listeners = new HashMap<>();
  private int nextPort = FIRST_EPHEMERAL_PORT;
  private volatile Function<byte[], byte @Nullable []> impostor = _ -> null;

  /**
   * Opens a device on this fabric.
   *
   * @param name of the device and its thread, for example {@code soft0}
   */
  public SoftDevice open(String name) {
    Scheduler scheduler = Scheduler.current();
    return new SoftDevice(
        name,
        scheduler == null ? new DeviceThread(name) : new SteppedProcessor(scheduler),
        device -> new FabricManager(this, device));
  }

  /**
   * Cuts the cable of a connection: both ends get a {@code DISCONNECTED} event, and what either of
   * them sends from now on completes with {@code RETRY_EXC_ERR}.
   *
   * @param connection an established connection of a device on this fabric
   */
  public void cut(Connection connection) {
    if (!(connection instanceof LocalConnection local) || local.fabric() != this) {
      throw new IllegalArgumentException("not a connection of this fabric: " + connection);
    }
    local.cut();
  }

  /**
   * Answers requests to connect in the place of the listeners.
   *
   * @param answers gives the private data of the reject with which a request is answered, from that
   *     of the request; null if the request is passed on
   */
  public void setImpostor(Function<byte[], byte @Nullable []> answers) {
    impostor = answers;
  }

  /** The answer of the impostor; null if the request is passed on. */
  byte @Nullable [] impostorsAnswer(byte[] request) {
    return impostor.apply(request);
  }

  ReentrantLock lock() {
    return lock;
  }

  /**
   * Takes a port. The lock is held.
   *
   * @param wanted 0 for any
   */
  int takePort(int wanted) throws VerbsException {
    if (wanted != 0) {
      if (ports.get(wanted)) {
        throw new VerbsException(
            Errno.EADDRINUSE, "Port %d is in use; choose another one.".formatted(wanted));
      }
      ports.set(wanted);
      return wanted;
    }
    int port = ports.nextClearBit(nextPort);
    if (port > LAST_PORT) {
      port = ports.nextClearBit(FIRST_EPHEMERAL_PORT);
    }
    if (port > LAST_PORT) {
      throw new VerbsException(Errno.EADDRINUSE, "no port is free");
    }
    ports.set(port);
    nextPort = port == LAST_PORT ? FIRST_EPHEMERAL_PORT : port + 1;
    return port;
  }

  void freePort(int port) {
    ports.clear(port);
  }

  void addListener(int port, LocalListener listener) {
    listeners.put(port, listener);
  }

  void removeListener(int port) {
    listeners.remove(port);
  }

  @Nullable LocalListener listener(int port) {
    return listeners.get(port);
  }

  /** How many ports are in use. */
  int portsInUse() {
    lock.lock();
    try {
      return ports.cardinality();
    } finally {
      lock.unlock();
    }
  }
}
