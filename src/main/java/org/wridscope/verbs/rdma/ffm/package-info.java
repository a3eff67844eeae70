// SPDX-License-Identifier: Apache-2.0
/**
 * libibverbs and librdmacm, called through java.lang.foreign: functions, structure offsets, and
 * reading and writing at addresses. Nothing here knows what a call is for; pointers are plain
 * longs, and whoever uses one answers for it.
 */
@NullMarked
package org.wridscope.verbs.rdma.ffm;

import org.jspecify.annotations.NullMarked;
