// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.jspecify.annotations.Nullable;

/** What to attach to. */
public sealed interface AttachTarget {
  /** The calls that are traced. */
  TraceFilter filter();

  /** The device whose functions are probed; null for those of all devices. */
  @Nullable String device();

  /**
   * One process, whatever devices it uses.
   *
   * @param name of the program, for example of one that is still to be started; null for the name
   *     that the process has
   */
  record OfProcess(long pid, @Nullable String name) implements AttachTarget {
    @Override
    public TraceFilter filter() {
      return new TraceFilter.OfProcess(pid);
    }

    @Override
    public @Nullable String device() {
      return null;
    }
  }

  /** Every process that uses a device. */
  record OfDevice(String name) implements AttachTarget {
    @Override
    public TraceFilter filter() {
      return new TraceFilter.OfDevice(name);
    }

    @Override
    public String device() {
      return name;
    }
  }
}
