// SPDX-License-Identifier: Apache-2.0
/**
 * A virtio block and a virtio network device with split virtqueues (virtio 1.2), and drivers for
 * them that number their requests. Independent of guests and migration: RAM is a memory segment.
 */
@NullMarked
package org.wridscope.guest.virtio;

import org.jspecify.annotations.NullMarked;
