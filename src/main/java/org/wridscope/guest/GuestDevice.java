// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.function.Consumer;

/** A device of a guest, whose state outside RAM is a section of the migration stream. */
public final class GuestDevice {
  private final String name;
  private final Save save;
  private final Consumer<byte[]> load;

  /** Reads the state of a device. */
  @FunctionalInterface
  public interface Save {
    /**
     * The state.
     *
     * @throws GuestException when it cannot be read
     */
    byte[] get() throws GuestException;
  }

  /** A device with these operations. */
  public GuestDevice(String name, Save save, Consumer<byte[]> load) {
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

  /**
   * The state of the device. The guest must be paused.
   *
   * @throws GuestException when it cannot be read; the message says why
   */
  public byte[] save() throws GuestException {
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
