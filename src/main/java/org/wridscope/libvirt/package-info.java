// SPDX-License-Identifier: Apache-2.0
/**
 * The libvirts of hosts, each reached through a connection of this machine's libvirt.so. Above
 * {@link org.wridscope.libvirt.VirtHost} nobody sees the library.
 */
@NullMarked
package org.wridscope.libvirt;

import org.jspecify.annotations.NullMarked;
