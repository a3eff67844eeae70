// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.wridscope.verbs.soft.FaultPlan;

/**
 * What happens in a lab migration that has two software devices of its own.
 *
 * @param devices a name for the devices; labs of the same name have them one after another
 * @param destinationGuest the guest that the destination has room for
 * @param source what the source's device does
 * @param destination what the destination's device does
 */
public record LabFaults(
    String devices, GuestSettings destinationGuest, FaultPlan source, FaultPlan destination) {}
