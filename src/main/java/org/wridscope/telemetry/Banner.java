// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceIdentity;

/**
 * What identifies the device and the connection of a session, as QEMU prints it ({@code
 * qemu_rdma_dump_id}, {@code qemu_rdma_dump_gid}).
 *
 * @param nanos {@link System#nanoTime()} when both became known
 */
public record Banner(long nanos, DeviceIdentity device, ConnectionRoute route) {}
