// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A device of the hypervisor: an object made for one memory map, and destroyed with it. Drivers use
 * its status, features and queues; the hypervisor uses the operations of vDPA.
 *
 * <ul>
 *   <li>Queues are set up, and their first index is set, after FEATURES_OK and before DRIVER_OK. A
 *       queue has addresses first, and is ready once the driver has enabled it.
 *   <li>It accesses memory only after DRIVER_OK and when its queues are ready, and not while it is
 *       suspended, needs a reset, or is destroyed.
 *   <li>The state of its queues can be read before DRIVER_OK and while it is suspended, and is lost
 *       by a reset.
 * </ul>
 */
abstract class VirtioDevice {
  private final String name;
  private final List<String> queueNames;
  private final long offered;
  private final GuestMemory memory;
  final VirtioFault fault;
  private final @Nullable DeviceQueue[] queues;

  /** Indices that a faulty device did not clear at the last reset. */
  private List<QueueState> stale = List.of();

  private int status;
  private long features;
  private boolean suspended;
  private boolean destroyed;
  private @Nullable String trouble;

  VirtioDevice(
      String name, List<String> queueNames, long offered, GuestMemory memory, VirtioFault fault) {
    this.name = name;
    this.queueNames = queueNames;
    this.offered = offered;
    this.memory = memory;
    this.fault = fault;
    queues = new DeviceQueue[queueNames.size()];
  }

  int status() {
    return status;
  }

  /** Why the device needs a reset, or null. */
  @Nullable String trouble() {
    return trouble;
  }

  long offeredFeatures() {
    return offered;
  }

  /**
   * Sets bits of the status, or resets with 0 (virtio 1.2, 2.1 and 2.4).
   *
   * @throws IllegalStateException when that is not allowed now
   */
  void writeStatus(int value) {
    requireAlive();
    if (value == 0) {
      reset();
      return;
    }
    require((value & status) == (status & ~Status.NEEDS_RESET), "a bit of the status was cleared");
    int set = value & ~status;
    if ((set & Status.FEATURES_OK) != 0) {
      require((features & Feature.VERSION_1) != 0, "VERSION_1 must be negotiated");
    }
    if ((set & Status.DRIVER_OK) != 0) {
      require((status & Status.FEATURES_OK) != 0, "DRIVER_OK comes after FEATURES_OK");
    }
    status |= value;
  }

  private void reset() {
    stale = fault == VirtioFault.INDEX_KEPT_AT_RESET ? known() : List.of();
    status = 0;
    features = 0;
    suspended = false;
    trouble = null;
    for (int i = 0; i < queues.length; i++) {
      queues[i] = null;
    }
  }

  /** Accepts features, before FEATURES_OK. */
  void writeFeatures(long accepted) {
    requireAlive();
    require((status & Status.FEATURES_OK) == 0, "the features are settled");
    require((accepted & ~offered) == 0, "a feature was accepted that is not offered");
    features = accepted;
  }

  /** Sets size and addresses of a queue, which is not ready yet. */
  void addressQueue(int index, Vring vring) {
    setQueueState(index, first(index, vring, false));
  }

  /** Sets up a queue that begins at index 0, and enables it. */
  void enableQueue(int index, Vring vring) {
    setQueueState(index, first(index, vring, true));
  }

  private QueueState first(int index, Vring vring, boolean ready) {
    if (stale.isEmpty()) {
      return new QueueState(vring, ready, 0, 0, List.of());
    }
    QueueState last = stale.get(index);
    return new QueueState(vring, ready, last.lastAvail(), last.used(), List.of());
  }

  /** Sets up a queue that continues from a state, as SET_VRING_BASE does for one index. */
  void restoreQueue(int index, QueueState state) {
    QueueState taken =
        switch (fault) {
          case USED_INDEX_NOT_RESTORED ->
              new QueueState(state.vring(), state.ready(), state.lastAvail(), 0, state.inFlight());
          case IN_FLIGHT_FORGOTTEN ->
              new QueueState(
                  state.vring(), state.ready(), state.lastAvail(), state.used(), List.of());
          case NONE, INDEX_CLEARED_BEFORE_READ, INDEX_KEPT_AT_RESET, SUSPEND_FAILS, QUERY_FAILS ->
              state;
        };
    setQueueState(index, taken);
  }

  private void setQueueState(int index, QueueState state) {
    requireAlive();
    require((status & Status.FEATURES_OK) != 0, "queues are set up after FEATURES_OK");
    require((status & Status.DRIVER_OK) == 0, "queues are set up before DRIVER_OK");
    queues[index] = new DeviceQueue(queueNames.get(index), state);
  }

  /**
   * Continues from the state of another device; runs the initialization sequence as far as the
   * driver had come.
   */
  void restore(DeviceState state) {
    int set = state.status();
    status = set & (Status.ACKNOWLEDGE | Status.DRIVER);
    writeFeatures(state.features());
    if ((set & Status.FEATURES_OK) != 0) {
      writeStatus(status | Status.FEATURES_OK);
      for (int i = 0; i < state.queues().size(); i++) {
        if (!state.queues().get(i).equals(QueueState.UNTOUCHED)) {
          restoreQueue(i, state.queues().get(i));
        }
      }
    }
    if ((set & Status.DRIVER_OK) != 0) {
      writeStatus(status | Status.DRIVER_OK);
    }
    if ((state.status() & Status.NEEDS_RESET) != 0) {
      breakDown("it needed a reset already before it was migrated");
    }
  }

  /**
   * Once this returns, the device accesses no memory, and its state does not change.
   *
   * @throws DeviceStateException when the firmware refuses; the device continues
   */
  void suspend() throws DeviceStateException {
    requireAlive();
    require((status & Status.DRIVER_OK) != 0, "only a device that was set up can be suspended");
    if (fault == VirtioFault.SUSPEND_FAILS) {
      throw new DeviceStateException(
          "%s: the firmware does not suspend the queue".formatted(queueNames.getFirst()));
    }
    suspended = true;
  }

  boolean isSuspended() {
    return suspended;
  }

  /** Continues after {@link #suspend}. */
  void resume() {
    requireAlive();
    require(suspended, "the device was not suspended");
    suspended = false;
  }

  /**
   * The state outside guest memory; a device that was set up must be suspended.
   *
   * @throws DeviceStateException when the firmware refuses; the device stays suspended
   */
  DeviceState state() throws DeviceStateException {
    requireAlive();
    boolean inUse = (status & Status.DRIVER_OK) != 0;
    require(suspended || !inUse, "the device must be suspended for this");
    if (inUse && fault == VirtioFault.QUERY_FAILS) {
      throw new DeviceStateException(
          "%s: the firmware does not tell the state of the suspended queue"
              .formatted(queueNames.getFirst()));
    }
    return new DeviceState(status, features, all());
  }

  private List<QueueState> all() {
    List<QueueState> states = new ArrayList<>();
    for (DeviceQueue queue : queues) {
      states.add(queue == null ? QueueState.UNTOUCHED : queue.state());
    }
    return states;
  }

  private List<QueueState> known() {
    return Arrays.stream(queues).allMatch(Objects::isNull) ? List.of() : all();
  }

  /**
   * Stops the device for good: suspends it, reads its state, resets and destroys it, in this order.
   *
   * @throws DeviceStateException when the firmware refuses to suspend it or to tell its state; it
   *     was not destroyed then, and may be suspended
   */
  DeviceState stop() throws DeviceStateException {
    if ((status & Status.DRIVER_OK) != 0) {
      suspend();
    }
    if (fault == VirtioFault.INDEX_CLEARED_BEFORE_READ) {
      for (DeviceQueue queue : queues) {
        if (queue != null) {
          queue.clear();
        }
      }
    }
    DeviceState state = state();
    writeStatus(0);
    destroyed = true;
    return state;
  }

  /** The current state of the queues, for checks only; empty before they are set up. */
  List<QueueState> queueStates() {
    return known();
  }

  /** Does some of the pending work, unless the device may not access memory now. */
  void process(SplittableRandom random) {
    requireAlive();
    boolean works = (status & Status.DRIVER_OK) != 0 && (status & Status.NEEDS_RESET) == 0;
    if (!works || suspended || !isEachQueueReady()) {
      return;
    }
    try {
      work(memory, random);
    } catch (RingException e) {
      breakDown(e.getMessage());
    }
  }

  private boolean isEachQueueReady() {
    for (DeviceQueue queue : queues) {
      if (queue == null || !queue.isReady()) {
        return false;
      }
    }
    return true;
  }

  private void breakDown(@Nullable String reason) {
    status |= Status.NEEDS_RESET;
    trouble = reason;
  }

  /** Takes and completes some requests. */
  abstract void work(GuestMemory memory, SplittableRandom random) throws RingException;

  DeviceQueue queue(int index) {
    DeviceQueue queue = queues[index];
    if (queue == null) {
      throw new IllegalStateException(queueNames.get(index) + " was not set up");
    }
    return queue;
  }

  private void requireAlive() {
    require(!destroyed, "it was destroyed");
  }

  private void require(boolean fine, String message) {
    if (!fine) {
      throw new IllegalStateException("%s: %s".formatted(name, message));
    }
  }
}
