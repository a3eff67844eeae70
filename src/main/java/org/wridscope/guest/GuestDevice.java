// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** A device of a guest, whose state outside RAM travels in a section of the migration stream. */
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

  /** All that the device needs to go on elsewhere. The guest must stand still. */
  public byte[] save() {
    return save.get();
  }

  /**
   * Takes over what a device of another guest saved. This guest must not have run yet.
   *
   * @throws IllegalArgumentException when the bytes are no such state; says which field is wrong
   */
  public void load(byte[] state) {
    load.accept(state);
  }
}
