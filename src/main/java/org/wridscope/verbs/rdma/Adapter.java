// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.impl.NatIbvContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Descriptors;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Rdmacm;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * An RDMA adapter of this machine, with the context that librdmacm opened on it in this process.
 * All connection identifiers use that context, so everything used with them must, too. However
 * often the device is opened, a single thread reads the context's asynchronous events and delivers
 * them.
 */
final class Adapter {
  private static final Logger LOG = LoggerFactory.getLogger(Adapter.class);

  private static final Map<Long, Adapter> ADAPTERS = new HashMap<>();

  /** How long the reader waits at a time, and so how late it notices that it can end. */
  private static final int SLICE_MILLIS = 100;

  /** Much longer than creating a queue pair takes. */
  private static final Duration CREATION_LIMIT = Duration.ofSeconds(1);

  private final CreationGate gate = new CreationGate();
  private final String name;
  private final long context;
  private final IbvContext verbs;
  private final DeviceCapabilities capabilities;

  // Guarded by this object's lock.
  private final Set<NativeDevice> devices = new LinkedHashSet<>();
  private final Map<Long, NativeQueuePair> queuePairs = new HashMap<>();
  private final Map<Long, NativeCompletionQueue> completionQueues = new HashMap<>();
  private boolean reading;

  private Adapter(long context) throws NativeCallException, IOException {
    this.context = context;
    name = Query.name(Query.deviceOf(context));
    verbs = new NatIbvContext(context, null);
    capabilities = Query.capabilities(context);
    Descriptors.setNonBlocking(asyncDescriptor());
  }

  private int asyncDescriptor() {
    return Memory.getInt(context + Struct.Context.ASYNC_FD);
  }

  String name() {
    return name;
  }

  /** The address of the context, which stays open until the process ends. */
  long context() {
    return context;
  }

  /** The context as DiSNI's object. */
  IbvContext verbs() {
    return verbs;
  }

  DeviceCapabilities capabilities() {
    return capabilities;
  }

  /** The adapter of that name; its events are delivered to the device from now on. */
  static Adapter enter(String name, NativeDevice device) throws VerbsException {
    synchronized (ADAPTERS) {
      long context = context(name);
      Adapter adapter = ADAPTERS.get(context);
      if (adapter == null) {
        try {
          adapter = new Adapter(context);
        } catch (NativeCallException e) {
          throw Installation.failed("querying the RDMA device " + name, e);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
        ADAPTERS.put(context, adapter);
      }
      adapter.add(device);
      return adapter;
    }
  }

  /** The context that librdmacm opened on the device of that name. */
  private static long context(String name) throws VerbsException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      long contexts = Rdmacm.GET_DEVICES.call(count.address());
      try {
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
          long context = Memory.getLong(contexts + (long) i * Long.BYTES);
          if (Query.name(Query.deviceOf(context)).equals(name)) {
            return context;
          }
        }
      } finally {
        Rdmacm.FREE_DEVICES.call(contexts);
      }
      throw RdmaDevices.notFound(name);
    } catch (NativeCallException e) {
      throw RdmaDevices.notFound(name);
    }
  }

  private synchronized void add(NativeDevice device) {
    if (!reading) {
      reading = true;
      Thread.ofPlatform().daemon().name(name + " events").start(this::readEvents);
    }
    devices.add(device);
  }

  synchronized void leave(NativeDevice device) {
    devices.remove(device);
  }

  /**
   * Creates a queue pair and enters it. The lookup of an event waits for that, so that the first
   * events of a queue pair find it.
   */
  NativeQueuePair create(NativeDevice.Maker<NativeQueuePair> maker) throws IOException {
    return gate.pass(() -> {
      NativeQueuePair created = maker.make();
      created.listen();
      return created;
    });
  }

  synchronized void enter(long address, NativeQueuePair queuePair) {
    queuePairs.put(address, queuePair);
  }

  synchronized void enter(long address, NativeCompletionQueue queue) {
    completionQueues.put(address, queue);
  }

  /**
   * Events that name this object go to nobody from now on. To be called before the object is
   * destroyed: its address may be that of another one right after.
   */
  synchronized void forgetQueuePair(long address) {
    queuePairs.remove(address);
  }

  /** As {@link #forgetQueuePair}. */
  synchronized void forgetCompletionQueue(long address) {
    completionQueues.remove(address);
  }

  private void readEvents() {
    try (Arena arena = Arena.ofConfined()) {
      long event = arena.allocate(Struct.AsyncEvent.SIZE, Long.BYTES).address();
      while (isInUse()) {
        if (Descriptors.awaitReadable(asyncDescriptor(), SLICE_MILLIS)) {
          readEvent(event);
        }
      }
    } catch (NativeCallException | RuntimeException | Error e) {
      // Without this thread no failure would be reported, so this is one.
      LOG.error("the events of {} cannot be read any more", name, e);
      devices().forEach(NativeDevice::failed);
    }
  }

  /** False when the last device was closed; the reader then ends. */
  private synchronized boolean isInUse() {
    reading = !devices.isEmpty();
    return reading;
  }

  private synchronized List<NativeDevice> devices() {
    return List.copyOf(devices);
  }

  private void readEvent(long event) throws NativeCallException {
    try {
      Ibverbs.GET_ASYNC_EVENT.call(context, event);
    } catch (NativeCallException e) {
      if (e.errno() == Errno.EAGAIN.value()) {
        return;
      }
      throw e;
    }
    int value = Memory.getInt(event + Struct.AsyncEvent.EVENT_TYPE);
    AsyncEventType type = AsyncEventType.of(value);
    long element = Memory.getLong(event + Struct.AsyncEvent.ELEMENT);
    NativeQueuePair queuePair;
    NativeCompletionQueue queue;
    if (!gate.awaitNone(CREATION_LIMIT)) {
      LOG.warn("{}: an event came while a queue pair was being created, which takes long", name);
    }
    synchronized (this) {
      queuePair = queuePairs.get(element);
      queue = completionQueues.get(element);
    }
    // Before waiting for anybody without a limit, who may be waiting, in a destroy, for this.
    Ibverbs.ACK_ASYNC_EVENT.call(event);
    if (type == null) {
      LOG.warn("{} reports an asynchronous event of the unknown type {}", name, value);
    } else {
      dispatch(type, queuePair, queue);
    }
  }

  private void dispatch(
      AsyncEventType type,
      @Nullable NativeQueuePair queuePair,
      @Nullable NativeCompletionQueue queue) {
    switch (type.subject()) {
      case COMPLETION_QUEUE -> {
        if (queue != null) {
          queue.overflowed();
        }
      }
      case QUEUE_PAIR -> {
        if (queuePair != null) {
          queuePair.happened(type);
        }
      }
      case DEVICE -> {
        if (type.consequence() == AsyncEventType.Consequence.FATAL) {
          devices().forEach(NativeDevice::failed);
        } else {
          devices().forEach(device -> device.events().raise(type, null, 0));
        }
      }
      // Those of shared receive queues and work queues, of which we have none, would be somebody
      // else's in this process; they are recorded all the same.
      case PORT, SHARED_RECEIVE_QUEUE, WORK_QUEUE ->
          devices().forEach(device -> device.events().raise(type, null, 0));
    }
  }
}
