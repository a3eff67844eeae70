// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/**
 * The settings of a source.
 *
 * @param uri address of the destination, {@code rdma:HOST:PORT}
 * @param device the RDMA device to use
 */
public record SourceSettings(String uri, DeviceChoice device, MigrationSettings migration) {

  /** A copy for a destination on another port of the same host. */
  public SourceSettings onPort(int port) {
    String host = MigrationUri.parse(uri).host();
    return new SourceSettings(new MigrationUri(host, port).toString(), device, migration);
  }
}
