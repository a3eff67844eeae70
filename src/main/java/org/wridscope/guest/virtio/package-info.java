// SPDX-License-Identifier: Apache-2.0
/**
 * A virtio block and a virtio network device with split virtqueues, after the specification of
 * virtio 1.2, and drivers for them that number their requests. Knows RAM as a segment, and nothing
 * of guests or migration.
 */
@NullMarked
package org.wridscope.guest.virtio;

import org.jspecify.annotations.NullMarked;
