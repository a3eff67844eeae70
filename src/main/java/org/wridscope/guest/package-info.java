// SPDX-License-Identifier: Apache-2.0
/**
 * What is migrated: guests with their RAM blocks, dirty log, pause and resume, and device state.
 * Independent of RDMA.
 */
@NullMarked
package org.wridscope.guest;

import org.jspecify.annotations.NullMarked;
