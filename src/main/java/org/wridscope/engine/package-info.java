// SPDX-License-Identifier: Apache-2.0
/**
 * The migration itself: a source session and a destination session that use QEMU's RDMA migration
 * protocol over verbs. Each session has one thread, which owns all its verbs objects, so there are
 * no locks. Independent of JavaFX and of file formats.
 */
@NullMarked
package org.wridscope.engine;

import org.jspecify.annotations.NullMarked;
