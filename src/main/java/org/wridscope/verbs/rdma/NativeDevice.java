// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.AsyncEvents;
import org.wridscope.verbs.common.Checks;
import org.wridscope.verbs.common.DeviceLife;
import org.wridscope.verbs.common.MemlockLimit;

/** An opened RDMA device; see {@link RdmaDevices#open}. */
final class NativeDevice implements RdmaDevice {
  private final Adapter adapter;
  private final AsyncEvents events = new AsyncEvents();
  private final DeviceLife life;

  NativeDevice(String name) throws VerbsException {
    life = new DeviceLife(name);
    adapter = Adapter.enter(name, this);
  }

  DeviceLife life() {
    return life;
  }

  Adapter adapter() {
    return adapter;
  }

  AsyncEvents events() {
    return events;
  }

  @Override
  public String name() {
    return adapter.name();
  }

  @Override
  public DeviceIdentity identity() {
    return Query.identity(Query.deviceOf(adapter.context()));
  }

  @Override
  public OptionalLong lockedMemoryLimit() {
    return MemlockLimit.read();
  }

  @Override
  public DeviceCapabilities capabilities() {
    return adapter.capabilities();
  }

  /** Creates a native object. */
  interface Maker<T> {
    T make() throws IOException;
  }

  /** Creates an object of this device and counts it. */
  <T> T make(String what, Maker<T> maker) throws VerbsException {
    life.add();
    boolean made = false;
    try {
      T object = maker.make();
      made = true;
      return object;
    } catch (IOException e) {
      throw Installation.wrap("creating " + what, e);
    } finally {
      if (!made) {
        forget();
      }
    }
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    IbvPd domain = make("a protection domain", () -> adapter.verbs().allocPd());
    return new NativeProtectionDomain(this, domain);
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    IbvCompChannel channel =
        make("a completion channel", () -> adapter.verbs().createCompChannel());
    return new NativeCompletionChannel(this, channel);
  }

  @Override
  public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel)
      throws VerbsException {
    Checks.requireEntries(entries, capabilities());
    if (!(channel instanceof NativeCompletionChannel own) || own.device() != this) {
      throw Checks.foreignChannel();
    }
    return make(
        "a completion queue",
        () -> {
          synchronized (own) {
            IbvCQ queue = adapter.verbs().createCQ(own.openChannel(), entries, 0);
            return new NativeCompletionQueue(this, own, queue);
          }
        });
  }

  @Override
  public ConnectionListener listen(
      InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    Checks.requireBacklog(backlog);
    Checks.requireResolved(address);
    return make("a listener", () -> NativeListener.listen(this, address, backlog, admitted));
  }

  @Override
  public Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException {
    Checks.requireResolved(destination);
    NativeConnection connection =
        make("a connection", () -> NativeConnection.unresolved(this, destination));
    boolean resolved = false;
    try {
      connection.resolve(timeout);
      resolved = true;
    } finally {
      if (!resolved) {
        connection.close();
      }
    }
    return connection;
  }

  /** The device failed for good. */
  void failed() {
    if (life.fail("")) {
      events.raise(AsyncEventType.DEVICE_FATAL, null, 0);
    }
  }

  void checkAlive() throws VerbsException {
    life.checkAlive();
  }

  /** An object of this device was destroyed. */
  void forget() {
    life.remove();
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    return events.next(timeout);
  }

  @Override
  public void close() throws VerbsException {
    if (life.close()) {
      adapter.leave(this);
      events.close();
    }
  }
}
