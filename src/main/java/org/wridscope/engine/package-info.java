// SPDX-License-Identifier: Apache-2.0
/**
 * The migration itself: a source session and a destination session that speak QEMU's RDMA migration
 * protocol over verbs. One session has one thread, which owns all its verbs objects; there are no
 * locks. No JavaFX, and no file formats.
 */
@NullMarked
package org.wridscope.engine;

import org.jspecify.annotations.NullMarked;
