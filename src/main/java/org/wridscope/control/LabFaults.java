// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.wridscope.settings.ReleaseTime;
import org.wridscope.verbs.soft.FaultPlan;

/**
 * The faults of a lab migration that has its own two software devices, and a mistake of its
 * engines.
 *
 * @param devices name of the devices; labs with the same name use the same devices in turn
 * @param destinationGuest the guest that the destination expects
 * @param release when the engines of both ends release what a request needs
 * @param source faults of the source's device
 * @param destination faults of the destination's device
 */
public record LabFaults(
    String devices,
    GuestSettings destinationGuest,
    ReleaseTime release,
    FaultPlan source,
    FaultPlan destination) {}
