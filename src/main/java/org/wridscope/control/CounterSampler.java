// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.telemetry.DeviceCounting;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.common.Uninterrupted;
import org.wridscope.verbs.rdma.CounterFiles;

/**
 * Samples what the devices of sessions count: at the beginning, once a second, and at the end. One
 * thread for all sessions, because a device may answer late; nobody else waits for one, except the
 * end of a session, for two seconds at most.
 */
public final class CounterSampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CounterSampler.class);

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Function<String, Map<DeviceCounter, Long>> reader;
  private final Map<SessionTelemetry, Watched> watched = new ConcurrentHashMap<>();

  /** Null until there is a session. */
  private @Nullable Thread thread;

  private volatile boolean closed;
  private final CountDownLatch over = new CountDownLatch(1);

  /** A sampler of the kernel's devices. */
  public CounterSampler() {
    this(new CounterFiles()::read);
  }

  /**
   * @param reader returns the present values of the counters of a device
   */
  CounterSampler(Function<String, Map<DeviceCounter, Long>> reader) {
    this.reader = reader;
  }

  /** A session. All but what says that it ends is for the sampler's thread. */
  private static final class Watched {
    private final SessionTelemetry telemetry;
    private final Supplier<? extends Collection<String>> devices;

    /** Also those that it does not use any more, as a process that has ended. */
    private final Set<String> used = new TreeSet<>();

    private final DeviceCounting counting = new DeviceCounting();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean ending;
    private boolean begun;
    private boolean defective;

    Watched(SessionTelemetry telemetry, Supplier<? extends Collection<String>> devices) {
      this.telemetry = telemetry;
      this.devices = devices;
    }

    /** What others count while a destination waits for a source is not of its migration. */
    void take(Map<DeviceCounter, Long> values, boolean first) {
      if (first) {
        counting.begin(values);
      } else {
        counting.advance(values).forEach(telemetry::counted);
      }
    }
  }

  /**
   * Samples the devices of a session from now on.
   *
   * @param devices the names of the devices that it uses at present, by which the kernel knows them
   */
  public synchronized void begin(
      SessionTelemetry telemetry, Supplier<? extends Collection<String>> devices) {
    if (closed) {
      return;
    }
    watched.put(telemetry, new Watched(telemetry, devices));
    if (thread == null) {
      thread = Time.startObserver("device counters", this::run);
    } else {
      Time.unpark(thread);
    }
  }

  /**
   * Takes the last sample of a session, and forgets it; does nothing if it does not know it. Waits
   * for the sample, but not for a device that does not answer.
   */
  public void end(SessionTelemetry telemetry) {
    Watched of = watched.get(telemetry);
    if (of == null) {
      return;
    }
    of.ending = true;
    Time.unpark(started());
    if (!Uninterrupted.await(of.ended, PATIENCE)) {
      LOG.warn("the counters of the device could not be read in time at the end of a session");
    }
    watched.remove(telemetry);
  }

  private synchronized @Nullable Thread started() {
    return thread;
  }

  private void run() {
    try {
      boolean last;
      do {
        last = closed;
        look();
        if (!last) {
          Time.park(this, DeviceCounting.INTERVAL_NANOS);
        }
      } while (!last);
    } finally {
      over.countDown();
    }
  }

  private void look() {
    List<Watched> all = List.copyOf(watched.values());
    // Of those that end from now on, the values may be from before the end.
    List<Watched> last = all.stream().filter(each -> each.ending).toList();
    var present = new HashMap<String, Map<DeviceCounter, Long>>();
    all.forEach(each -> lookSafely(each, present));
    last.forEach(each -> each.ended.countDown());
  }

  /** A defect must not affect other sessions. */
  private void lookSafely(Watched each, Map<String, Map<DeviceCounter, Long>> present) {
    try {
      look(each, present);
    } catch (RuntimeException | Error e) {
      if (!each.defective) {
        each.defective = true;
        LOG.error("the counters of a device cannot be sampled", e);
      }
    }
  }

  private void look(Watched each, Map<String, Map<DeviceCounter, Long>> present) {
    // A session that leaves this status while its devices are read counts from here on.
    boolean first = !each.begun || each.telemetry.status() == MigrationStatus.NONE;
    var values = new HashMap<DeviceCounter, Long>();
    each.used.addAll(each.devices.get());
    for (String device : each.used) {
      values.putAll(present.computeIfAbsent(device, reader));
    }
    each.take(values, first);
    each.begun = true;
  }

  /** Takes the last sample of all sessions. */
  @Override
  public void close() {
    Thread started;
    synchronized (this) {
      closed = true;
      started = thread;
    }
    if (started != null) {
      Time.unpark(started);
      if (!Uninterrupted.await(over, PATIENCE)) {
        LOG.warn("the counters of the devices could not be read in time at the end");
      }
    }
  }
}
