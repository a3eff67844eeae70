// SPDX-License-Identifier: Apache-2.0
/**
 * libibverbs and librdmacm through java.lang.foreign: functions, structure offsets, and memory
 * access by address. Pointers are plain longs; callers are responsible for their validity.
 */
@NullMarked
package org.wridscope.verbs.rdma.ffm;

import org.jspecify.annotations.NullMarked;
