// SPDX-License-Identifier: Apache-2.0
/**
 * Other processes of this machine: the files that they have mapped, and which pages of them they
 * write. Linux only, without native code of our own.
 */
@NullMarked
package org.wridscope.process;

import org.jspecify.annotations.NullMarked;
