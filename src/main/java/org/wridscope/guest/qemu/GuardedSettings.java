// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonObject;
import java.util.Map;

/**
 * What a guard restores in a QEMU.
 *
 * @param capabilities those that will be changed, as they are before, for {@code
 *     migrate-set-capabilities}
 * @param parameters those that will be changed, as they are before, for {@code
 *     migrate-set-parameters}
 * @param starts at a destination, whether the guest starts by itself when it has been loaded, that
 *     is, whether the QEMU was started without {@code -S}; false at a source
 */
public record GuardedSettings(
    Map<String, Boolean> capabilities, JsonObject parameters, boolean starts) {
  /** Nothing to restore. */
  public static final GuardedSettings NONE = new GuardedSettings(Map.of(), new JsonObject(), false);

  public GuardedSettings {
    capabilities = Map.copyOf(capabilities);
    parameters = parameters.deepCopy();
  }

  @Override
  public JsonObject parameters() {
    return parameters.deepCopy();
  }
}
