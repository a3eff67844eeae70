// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/**
 * The settings of a source.
 *
 * @param uri address of the destination, {@code rdma:HOST:PORT}
 * @param device the RDMA device to use
 */
public record SourceSettings(String uri, DeviceChoice device, MigrationSettings migration) {}
