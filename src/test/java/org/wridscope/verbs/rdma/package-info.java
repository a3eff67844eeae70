// SPDX-License-Identifier: Apache-2.0
/** Tests of RDMA devices. Tests with the tag {@code rdma} need a machine with such a device. */
@NullMarked
package org.wridscope.verbs.rdma;

import org.jspecify.annotations.NullMarked;
