// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;

/**
 * A migration with both ends in this process, on the embedded software device.
 *
 * @param guest the guest; for an {@linkplain GuestSettings.Image image} both file and out are given
 * @param pinAll whether all RAM is registered at the beginning
 * @param bandwidthLimit bytes of RAM a second, 0 for no limit
 * @param downtimeLimit how long the guest may stand still at the switch-over
 * @param timeout after which the migration is given up, zero for never
 * @param monitored whether events and history are kept
 */
public record LabSettings(
    GuestSettings guest,
    boolean pinAll,
    long bandwidthLimit,
    Duration downtimeLimit,
    Duration timeout,
    boolean monitored) {}
