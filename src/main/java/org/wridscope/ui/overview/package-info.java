// SPDX-License-Identifier: Apache-2.0
/**
 * The selected migration at a glance: how far, how fast, whether it converges, how long the guest
 * will stand still and what holds it back. The figures are plain Java; no view computes one by
 * itself.
 */
@NullMarked
package org.wridscope.ui.overview;

import org.jspecify.annotations.NullMarked;
