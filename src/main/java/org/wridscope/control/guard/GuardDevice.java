// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.rdma.RdmaDevices;
import org.wridscope.verbs.soft.SoftNetwork;

/** An RDMA device that is opened in the background, so that it is there when it is needed. */
record GuardDevice(String name, FutureTask<RdmaDevice> opening) {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /**
   * Begins to open a device, unless that has begun before.
   *
   * @param earlier a device that may be the same one
   */
  static GuardDevice opening(String name, @Nullable GuardDevice earlier) {
    if (earlier != null && earlier.name.equals(name)) {
      return earlier;
    }
    var task =
        new FutureTask<RdmaDevice>(
            () -> name.equals(SoftNetwork.NAME) ? SoftNetwork.open(name) : RdmaDevices.open(name));
    Thread.ofPlatform().daemon().name("device").start(task);
    return new GuardDevice(name, task);
  }

  RdmaDevice get() throws IOException, InterruptedException {
    try {
      return opening.get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("the RDMA device cannot be opened: " + e.getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException("the RDMA device was not opened in time", e);
    }
  }
}
