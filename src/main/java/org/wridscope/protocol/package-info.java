// SPDX-License-Identifier: Apache-2.0
/**
 * The wire format of QEMU's RDMA migration protocol, version 1: work request ids, control header
 * and messages, capabilities, block descriptors. Converts between bytes and records, without I/O or
 * state.
 */
@NullMarked
package org.wridscope.protocol;

import org.jspecify.annotations.NullMarked;
