// SPDX-License-Identifier: Apache-2.0
/** The guest's virtio devices: their queues at both ends, and the fate of each request. */
@NullMarked
package org.wridscope.ui.virtio;

import org.jspecify.annotations.NullMarked;
