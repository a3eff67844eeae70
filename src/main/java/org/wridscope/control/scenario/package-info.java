// SPDX-License-Identifier: Apache-2.0

/**
 * Migrations in which something happens that a real device, link or peer may do, described in
 * files: the guest, the settings, the faults, and what is to come of it.
 */
@NullMarked
package org.wridscope.control.scenario;

import org.jspecify.annotations.NullMarked;
