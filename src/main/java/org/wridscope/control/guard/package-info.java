// SPDX-License-Identifier: Apache-2.0
/**
 * A second process of this program that puts a QEMU right if the first one ends before it could;
 * see {@link org.wridscope.guest.qemu.Guards}. {@code GuardProcess} is the end in the first
 * process, {@code GuardMain} begins the second one. It depends on no other part of {@code control}.
 */
@NullMarked
package org.wridscope.control.guard;

import org.jspecify.annotations.NullMarked;
