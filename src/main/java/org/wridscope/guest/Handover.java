// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;

/**
 * Where a source asks whether its guest was started, if it loses the connection at the switch-over.
 *
 * @param device name of the RDMA device of this end
 * @param destination at a source, the address of the destination; at a destination, the address on
 *     which it listens
 * @param migration null if the destination is not a Wridscope and cannot be asked
 * @param secret with which the destination proves its answers; null if it cannot
 */
public record Handover(
    String device,
    InetSocketAddress destination,
    @Nullable MigrationId migration,
    @Nullable MigrationSecret secret) {}
