// SPDX-License-Identifier: Apache-2.0

/**
 * Scenarios: migrations with faults that a real device, link or peer may produce, described in
 * files with the guest, the settings, the faults and the expected result.
 */
@NullMarked
package org.wridscope.control.scenario;

import org.jspecify.annotations.NullMarked;
