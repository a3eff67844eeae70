// SPDX-License-Identifier: Apache-2.0
/** Tests of the RDMA devices. Those tagged {@code rdma} need a machine that has one. */
@NullMarked
package org.wridscope.verbs.rdma;

import org.jspecify.annotations.NullMarked;
