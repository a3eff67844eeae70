// SPDX-License-Identifier: Apache-2.0
/**
 * What an operator trips over before a migration over RDMA works, found out without starting one,
 * and how to mend it. The checks look at a {@link org.wridscope.control.doctor.Machine}, which
 * tests replace.
 */
@NullMarked
package org.wridscope.control.doctor;

import org.jspecify.annotations.NullMarked;
