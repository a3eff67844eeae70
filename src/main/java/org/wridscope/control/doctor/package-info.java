// SPDX-License-Identifier: Apache-2.0
/**
 * Checks the requirements for migrations over RDMA without starting one, and says how to meet them.
 * The checks read a {@link org.wridscope.control.doctor.Machine}, which tests replace.
 */
@NullMarked
package org.wridscope.control.doctor;

import org.jspecify.annotations.NullMarked;
