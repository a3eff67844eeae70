// SPDX-License-Identifier: Apache-2.0
/** Tests of the binding of rdma-core's libraries. */
@NullMarked
package org.wridscope.verbs.rdma.ffm;

import org.jspecify.annotations.NullMarked;
