// SPDX-License-Identifier: Apache-2.0
/** Tests of the software RDMA device. */
@NullMarked
package org.wridscope.verbs.soft;

import org.jspecify.annotations.NullMarked;
