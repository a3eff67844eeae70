// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.net.InetSocketAddress;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/** What every device checks about the arguments of {@link RdmaDevice} and of connections. */
public final class Checks {
  private Checks() {}

  /** The size of a completion queue is within the device's limits. */
  public static void requireEntries(int entries, DeviceCapabilities limits) throws VerbsException {
    int most = limits.maxCompletionQueueEntries();
    if (entries < 1 || entries > most) {
      throw invalid(
          "a completion queue of %d entries, 1 to %d are possible".formatted(entries, most));
    }
  }

  /** The depths of a queue pair's queues are within the device's limits. */
  public static void requireDepths(QueuePairCapacity capacity, DeviceCapabilities limits)
      throws VerbsException {
    requireDepth("send", capacity.maxSendRequests(), limits.maxQueuePairWorkRequests());
    requireDepth("receive", capacity.maxReceiveRequests(), limits.maxQueuePairWorkRequests());
  }

  private static void requireDepth(String queue, int depth, int most) throws VerbsException {
    if (depth < 1 || depth > most) {
      throw invalid(
          "a %s queue of %d requests, 1 to %d are possible".formatted(queue, depth, most));
    }
  }

  public static void requireBacklog(int backlog) throws VerbsException {
    if (backlog < 1) {
      throw invalid("a backlog of " + backlog + " is less than 1");
    }
  }

  /** The name of a host could be resolved. */
  public static void requireResolved(InetSocketAddress address) throws VerbsException {
    if (address.isUnresolved()) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL, "%s is not the name of a host".formatted(address.getHostString()));
    }
  }

  /** The channel of a completion queue is of another device, or of another kind. */
  public static VerbsException foreignChannel() {
    return invalid("the channel of a completion queue must be one of its device");
  }

  /** What a queue pair was to use is of another device, or of another kind. */
  public static VerbsException foreignObjects() {
    return invalid(
        "the protection domain and completion queues of a queue pair must be those of its device");
  }

  /** A completion queue was to be destroyed while queue pairs use it. */
  public static void requireUnused(CompletionQueue queue, boolean used, AsyncEvents events)
      throws VerbsException {
    if (used) {
      throw busy("the completion queue still serves a queue pair; close that first");
    }
    if (events.isUnacknowledged(queue)) {
      throw busy("the completion queue has an unacknowledged asynchronous event");
    }
  }

  /** Completion events of a queue that is to be destroyed are acknowledged. */
  public static void requireAcknowledged(int unacknowledged) throws VerbsException {
    if (unacknowledged > 0) {
      throw busy("the completion queue has %d unacknowledged events".formatted(unacknowledged));
    }
  }

  /** No more completion events are acknowledged than were taken. */
  public static void requireTaken(int acknowledged, int unacknowledged) {
    if (acknowledged < 0 || acknowledged > unacknowledged) {
      throw new IllegalArgumentException(
          "%d events acknowledged, but %d were taken".formatted(acknowledged, unacknowledged));
    }
  }

  /** No queue uses a completion channel that is to be destroyed. */
  public static void requireNoQueues(int queues) throws VerbsException {
    if (queues > 0) {
      throw busy(
          "the completion channel still serves %d queues; close them first".formatted(queues));
    }
  }

  private static VerbsException invalid(String message) {
    return new VerbsException(Errno.EINVAL, message);
  }

  private static VerbsException busy(String message) {
    return new VerbsException(Errno.EBUSY, message);
  }
}
