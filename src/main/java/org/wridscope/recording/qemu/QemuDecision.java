// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/**
 * What an import makes of a trace event of QEMU.
 *
 * @param event its name in QEMU 7.2
 * @param text the pattern of its arguments, in QEMU 7.2 and other versions
 * @param end the only end that writes it, null when both do
 * @param reading parses the arguments, and returns null for values that QEMU never writes; null
 *     when the event is ignored
 * @param what what it becomes, or why it is ignored, for the documentation
 */
record QemuDecision(
    String event,
    Pattern text,
    @Nullable Role end,
    @Nullable Function<Matcher, @Nullable QemuEvent> reading,
    String what) {

  boolean isRead() {
    return reading != null;
  }
}
