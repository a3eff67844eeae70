// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import org.wridscope.guest.GuestException;
import org.wridscope.qmp.QmpException;

/**
 * Whether Wridscope's engine can work with a QEMU. A session checks it once more when it starts.
 *
 * @param reason why not, one sentence that also says what would make it possible; empty if it can
 */
public record Fitness(String reason) {

  /** Something that is only possible with some QEMUs. */
  @FunctionalInterface
  interface Check {
    void run() throws IOException;
  }

  /**
   * The result of a check.
   *
   * @throws IOException if the QEMU does not answer
   */
  static Fitness of(Check check) throws IOException {
    try {
      check.run();
      return new Fitness("");
    } catch (GuestException e) {
      return new Fitness(String.valueOf(e.getMessage()));
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw e;
      }
      return new Fitness(String.valueOf(e.getMessage()));
    }
  }

  /** Whether it can. */
  public boolean possible() {
    return reason.isEmpty();
  }
}
