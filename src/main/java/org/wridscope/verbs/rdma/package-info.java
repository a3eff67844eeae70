// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA devices of this machine, through DiSNI and the distribution's rdma-core. DiSNI's own native
 * library is not needed: three classes of ours take the place of those that would load it. What
 * DiSNI's interface has no room for is done on the same native objects.
 *
 * <p>One object owns each native handle, and no handle is used once its object was closed; a
 * mistake there would end the process.
 */
@NullMarked
package org.wridscope.verbs.rdma;

import org.jspecify.annotations.NullMarked;
