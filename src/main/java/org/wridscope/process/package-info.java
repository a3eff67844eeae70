// SPDX-License-Identifier: Apache-2.0
/**
 * Other processes of this machine: the files that they have mapped, which pages of them they write,
 * pipes from them, and sockets that they share. Linux only, without native code of our own.
 */
@NullMarked
package org.wridscope.process;

import org.jspecify.annotations.NullMarked;
