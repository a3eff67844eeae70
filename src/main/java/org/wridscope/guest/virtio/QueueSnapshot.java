// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.List;

/**
 * A queue at a moment, as both sides see it. Indices count modulo 65536.
 *
 * @param name of device and queue, as in the specification
 * @param size entries of each ring
 * @param availIndex in guest memory: the driver writes it
 * @param usedIndex in guest memory: the device writes it
 * @param lastAvail the device's own: of the next entry that it takes
 * @param deviceUsed the device's own: of the next entry that it writes
 * @param lastUsed the driver's own: of the next entry that it reaps
 * @param inFlight requests that the device has taken and not completed, oldest first
 * @param nextRequest the number that the driver gives its next request, from 1
 * @param completed all requests that the driver has reaped
 */
public record QueueSnapshot(
    String name,
    int size,
    int availIndex,
    int usedIndex,
    int lastAvail,
    int deviceUsed,
    int lastUsed,
    List<InFlight> inFlight,
    long nextRequest,
    long completed) {

  /**
   * A request that the device has taken and not completed.
   *
   * @param head of its descriptor chain
   * @param request its number
   */
  public record InFlight(int head, long request) {}

  public QueueSnapshot {
    inFlight = List.copyOf(inFlight);
  }

  /** Requests that the device has completed and the driver has not reaped. */
  public int returned() {
    return Vring.distance(lastUsed, usedIndex);
  }

  /** Requests that the driver has made available and the device has not taken. */
  public int waiting() {
    return Vring.distance(lastAvail, availIndex);
  }

  /** Requests that the device has taken and not completed, computed from the indices. */
  public int taken() {
    return Vring.distance(usedIndex, lastAvail);
  }

  static QueueSnapshot of(DriverQueue driver, QueueState device) throws RingException {
    Vring vring = driver.vring();
    List<InFlight> inFlight = new ArrayList<>();
    for (int head : device.inFlight()) {
      inFlight.add(new InFlight(head, driver.request(head)));
    }
    return new QueueSnapshot(
        driver.name(),
        vring.size(),
        vring.availIndex(driver.memory()),
        vring.usedIndex(driver.memory()),
        device.lastAvail(),
        device.used(),
        driver.lastUsed(),
        inFlight,
        driver.next(),
        driver.completed());
  }
}
