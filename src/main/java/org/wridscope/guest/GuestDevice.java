// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** A device of a guest, whose state outside RAM is a section of the migration stream. */
public final class GuestDevice {
  private final String name;
  private final Supplier<byte[]> save;
  private final Consumer<byte[]> load;

  /** A device with these operations. */
  public GuestDevice(String name, Supplier<byte[]> save, Consumer<byte[]> load) {
    this.name = name;
    this.save = save;
    this.load = load;
  }

  /** Name of the section. */
  public String name() {
    return name;
  }

  /** Number among the guest's devices of that name, from 0. */
  public int instance() {
    return 0;
  }

  /** Version of the layout of the state. */
  public int version() {
    return 1;
  }

  /** The state of the device. The guest must be paused. */
  public byte[] save() {
    return save.get();
  }

  /**
   * Loads the state of a device of another guest. This guest must not have run yet.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  public void load(byte[] state) {
    load.accept(state);
  }
}
