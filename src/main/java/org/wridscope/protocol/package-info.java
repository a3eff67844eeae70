// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes on the wire of QEMU's RDMA migration protocol, version 1: work request ids, control
 * header and messages, capabilities, block descriptors. Pure: bytes in, records out, and back.
 */
@NullMarked
package org.wridscope.protocol;

import org.jspecify.annotations.NullMarked;
