// SPDX-License-Identifier: Apache-2.0
/** Scenarios under a scheduler: repeated, explored, and reduced to the few choices that matter. */
@NullMarked
package org.wridscope.control.schedule;

import org.jspecify.annotations.NullMarked;
