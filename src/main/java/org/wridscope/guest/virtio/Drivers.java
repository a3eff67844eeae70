// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The drivers of a guest's virtio devices and their ledger, which records the first failure of a
 * request that a check predicted, and the first that a driver met. A prediction does not stop the
 * drivers; after they have met a failure they do nothing more. All their memory is mapped, so that
 * a {@link RingException} here is a defect of this program.
 */
final class Drivers {
  private static final List<String> QUEUES =
      Stream.of(VirtioKind.values()).flatMap(kind -> kind.queues().stream()).toList();

  private final BlockDriver block;
  private final NetDriver net;
  private final Ledger ledger;

  Drivers(GuestMemory memory, VirtioLayout layout) {
    block = new BlockDriver(memory, layout);
    net = new NetDriver(memory, layout);
    ledger = new Ledger(memory, layout.ledger(), QUEUES);
  }

  private interface Action {
    void run() throws RingException, RequestFailureException;
  }

  private interface Query<T> {
    T get() throws RingException;
  }

  /** Runs an action of the drivers, unless they have met a failure. */
  private void drive(Action action) {
    if (haveMetFailure()) {
      return;
    }
    try {
      action.run();
    } catch (RequestFailureException e) {
      observe(e.failure());
    } catch (RingException e) {
      throw unmapped(e);
    }
  }

  private static <T> T read(Query<T> query) {
    try {
      return query.get();
    } catch (RingException e) {
      throw unmapped(e);
    }
  }

  private static IllegalStateException unmapped(RingException e) {
    return new IllegalStateException("all memory of the drivers is mapped", e);
  }

  /** Sets up the drivers and their devices in a guest that boots. */
  void begin(VirtioLoad load, VirtioDevice blockDevice, VirtioDevice netDevice) {
    drive(() -> {
      ledger.begin(load);
      block.begin(blockDevice);
      net.begin(netDevice);
    });
  }

  /**
   * The load that the ledger records, in memory that may come from any peer.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  VirtioLoad load() {
    return read(ledger::load);
  }

  void submitRequest(SplittableRandom random) {
    drive(() -> {
      var _ = block.submit(random);
    });
  }

  void sendPacket() {
    drive(() -> {
      var _ = net.send();
    });
  }

  void reap() {
    drive(() -> {
      block.reap();
      net.reap();
    });
  }

  void reset(VirtioKind kind, VirtioDevice device) {
    drive(() -> {
      ledger.countReset();
      switch (kind) {
        case BLOCK -> block.reset(device);
        case NET -> net.reset(device);
      }
    });
  }

  void countMapChange() {
    drive(ledger::countMapChange);
  }

  boolean haveMetFailure() {
    return observed().isPresent();
  }

  private Optional<RequestFailure> predicted() {
    return read(() -> Optional.ofNullable(ledger.predicted()));
  }

  private Optional<RequestFailure> observed() {
    return read(() -> Optional.ofNullable(ledger.observed()));
  }

  /** Records a failure that was predicted, unless there is an earlier one. */
  void predict(RequestFailure failure) {
    read(() -> {
      ledger.predict(failure);
      return failure;
    });
  }

  private void observe(RequestFailure failure) {
    read(() -> {
      ledger.observe(failure);
      return failure;
    });
  }

  /** A device has told its driver that it needs a reset: it completes nothing more. */
  void observeBroken(VirtioKind kind) {
    DriverQueue queue = kind == VirtioKind.BLOCK ? block.queue() : net.transmit();
    observe(new RequestFailure(RequestFailure.Kind.BROKEN, queue.name(), read(queue::oldest)));
  }

  /**
   * Compares the submitted requests with the rings and the device state.
   *
   * @param known the state of each queue of a device, empty before the device was set up
   * @return failed requests, including those that will fail; the recorded ones first
   */
  List<RequestFailure> check(Function<VirtioKind, List<QueueState>> known) {
    Set<RequestFailure> failures = new LinkedHashSet<>();
    observed().ifPresent(failures::add);
    predicted().ifPresent(failures::add);
    for (Sides sides : sides(known)) {
      failures.addAll(read(() -> VirtioCheck.check(sides.driver, sides.device)));
    }
    return List.copyOf(failures);
  }

  /** As {@link #check}: both sides of each queue that was set up and is ready. */
  List<QueueSnapshot> queues(Function<VirtioKind, List<QueueState>> known) {
    return sides(known).stream()
        .map(sides -> read(() -> QueueSnapshot.of(sides.driver, sides.device)))
        .toList();
  }

  VirtioSnapshot snapshot(boolean running, List<QueueSnapshot> queues, List<QueueSnapshot> begun) {
    return read(() ->
        new VirtioSnapshot(
            running, queues, begun, ledger.mapChanges(), ledger.resets(), predicted(), observed()));
  }

  private record Sides(DriverQueue driver, QueueState device) {}

  private List<Sides> sides(Function<VirtioKind, List<QueueState>> known) {
    List<DriverQueue> drivers = List.of(block.queue(), net.receive(), net.transmit());
    List<Sides> sides = new ArrayList<>();
    int first = 0;
    for (VirtioKind kind : VirtioKind.values()) {
      List<QueueState> states = known.apply(kind);
      for (int i = 0; i < states.size(); i++) {
        if (states.get(i).ready()) {
          sides.add(new Sides(drivers.get(first + i), states.get(i)));
        }
      }
      first += kind.queues().size();
    }
    return sides;
  }
}
