// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import org.wridscope.control.doctor.CheckResult;

/**
 * A check of one host for migrations over RDMA.
 *
 * @param host its name
 */
public record FleetCheck(String host, CheckResult result) {}
