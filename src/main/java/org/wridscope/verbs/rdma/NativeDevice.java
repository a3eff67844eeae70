// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.AsyncEvents;

/** A device of this machine; see {@link RdmaDevices#open}. */
final class NativeDevice implements RdmaDevice {
  private final Adapter adapter;
  private final AsyncEvents events = new AsyncEvents();
  private int objects;
  private boolean failed;
  private boolean closed;

  NativeDevice(String name) throws VerbsException {
    adapter = Adapter.enter(name, this);
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
  public DeviceCapabilities capabilities() {
    return adapter.capabilities();
  }

  /** Makes a native object. */
  interface Maker<T> {
    T make() throws IOException;
  }

  /** Makes an object that belongs to this device. */
  <T> T make(String what, Maker<T> maker) throws VerbsException {
    adopt();
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
    int most = capabilities().maxCompletionQueueEntries();
    if (entries < 1 || entries > most) {
      throw new VerbsException(
          Errno.EINVAL,
          "a completion queue of %d entries, 1 to %d are possible".formatted(entries, most));
    }
    if (!(channel instanceof NativeCompletionChannel own) || own.device() != this) {
      throw new VerbsException(
          Errno.EINVAL, "the channel of a completion queue must be one of its device");
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
    if (backlog < 1) {
      throw new VerbsException(Errno.EINVAL, "a backlog of " + backlog + " is less than 1");
    }
    requireResolved(address);
    return make("a listener", () -> NativeListener.listen(this, address, backlog, admitted));
  }

  @Override
  public Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException {
    requireResolved(destination);
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

  private static void requireResolved(InetSocketAddress address) throws VerbsException {
    if (address.isUnresolved()) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL, "%s is not the name of a host".formatted(address.getHostString()));
    }
  }

  /** The device failed for good. */
  void failed() {
    synchronized (this) {
      if (failed || closed) {
        return;
      }
      failed = true;
    }
    events.raise(AsyncEventType.DEVICE_FATAL, null, 0);
  }

  synchronized void checkAlive() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the device %s was closed".formatted(name()));
    }
    if (failed) {
      throw new VerbsException(
          Errno.EIO, "the device %s failed; open it again, or another one".formatted(name()));
    }
  }

  /** Counts an object made from this device. */
  private synchronized void adopt() throws VerbsException {
    checkAlive();
    objects++;
  }

  /** An object made from this device is gone. */
  synchronized void forget() {
    objects--;
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    return events.next(timeout);
  }

  @Override
  public void close() throws VerbsException {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (objects > 0) {
        throw new VerbsException(
            Errno.EBUSY,
            "the device %s still has %d objects; close them first".formatted(name(), objects));
      }
      closed = true;
    }
    adapter.leave(this);
    events.close();
  }
}
