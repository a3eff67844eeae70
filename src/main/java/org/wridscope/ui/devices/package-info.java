// SPDX-License-Identifier: Apache-2.0
/** The devices of this machine, and what prevents it from migrating over RDMA. */
@NullMarked
package org.wridscope.ui.devices;

import org.jspecify.annotations.NullMarked;
