// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An opened RDMA device (a channel adapter) together with its connection manager.
 *
 * <p>Thread-safe. Closing a device that still has objects fails with {@link Errno#EBUSY}, since
 * {@code ibv_close_device} requires that everything created from the context is destroyed first.
 * After {@link AsyncEventType#DEVICE_FATAL} objects can be closed but not created ({@link
 * Errno#EIO}).
 */
public interface RdmaDevice extends AutoCloseable {

  /** The device's name, for example {@code rxe0} or {@code soft0}. */
  String name();

  /** How the kernel knows the device; by its name alone when it does not. */
  default DeviceIdentity identity() {
    return DeviceIdentity.ofProgram(name());
  }

  /** Limits of the device; see {@code ibv_query_device(3)}. */
  DeviceCapabilities capabilities();

  /** How many bytes this process may lock for the device (RLIMIT_MEMLOCK); empty for no limit. */
  default OptionalLong lockedMemoryLimit() {
    return OptionalLong.empty();
  }

  /** Allocates a protection domain; see {@code ibv_alloc_pd(3)}. */
  ProtectionDomain allocateProtectionDomain() throws VerbsException;

  /** Creates a channel that delivers completion events; see {@code ibv_create_comp_channel(3)}. */
  CompletionChannel createCompletionChannel() throws VerbsException;

  /**
   * Creates a completion queue; see {@code ibv_create_cq(3)}.
   *
   * @param entries how many completions must fit, 1 to {@link
   *     DeviceCapabilities#maxCompletionQueueEntries()}; the device may grant more
   * @throws VerbsException with {@link Errno#EINVAL} when out of range
   */
  CompletionQueue createCompletionQueue(int entries, CompletionChannel channel)
      throws VerbsException;

  /**
   * Binds to an address and listens; see {@code rdma_bind_addr(3)} and {@code rdma_listen(3)}.
   *
   * @param address the local address; port 0 chooses a free port
   * @param backlog how many requests may wait to be taken, at least 1
   * @throws VerbsException with {@link Errno#EADDRINUSE} when the port is taken, {@link
   *     Errno#EADDRNOTAVAIL} when the address is not one of this device
   */
  default ConnectionListener listen(InetSocketAddress address, int backlog) throws VerbsException {
    return listen(address, backlog, _ -> true);
  }

  /**
   * Listens like {@link #listen(InetSocketAddress, int)}, but only for some peers: others are
   * refused before anything that they sent is read.
   *
   * @param admitted decides by the peer's address; must not block
   */
  ConnectionListener listen(InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException;

  /**
   * Resolves the address of a peer and the route to it; see {@code rdma_resolve_addr(3)} and {@code
   * rdma_resolve_route(3)}. The returned connection is not connected yet: create its queue pair,
   * post the first receives, then call {@link Connection#connect}.
   *
   * @param timeout for both steps together
   * @throws VerbsException when there is no route or no answer in time
   */
  Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException;

  /**
   * The next asynchronous event of the device; see {@code ibv_get_async_event(3)}. Each event that
   * was taken must be {@linkplain AsyncEvent#acknowledge() acknowledged}, since destroying the
   * object that it names waits for that. May be called by a separate thread.
   *
   * @param timeout how long to wait, zero to return at once
   * @return the event, or null when none arrived in time
   */
  @Nullable AsyncEvent nextAsyncEvent(Duration timeout) throws VerbsException, InterruptedException;

  @Override
  void close() throws VerbsException;
}
