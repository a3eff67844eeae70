// SPDX-License-Identifier: Apache-2.0
/**
 * What the values of verbs, connection manager, operating system and QEMU mean: the texts of the
 * command {@code explain} and of the window.
 */
@NullMarked
package org.wridscope.analysis.meaning;

import org.jspecify.annotations.NullMarked;
