// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/**
 * How to receive a guest.
 *
 * @param uri where to listen, {@code rdma:HOST:PORT}; port 0 takes a free one
 * @param guest the guest whose RAM is filled
 * @param monitored whether events and history are kept
 */
public record DestinationSettings(String uri, GuestSettings guest, boolean monitored) {}
