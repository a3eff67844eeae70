// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A connection to one libvirt. Every method except {@link #close} waits for its answer, however
 * long that takes: libvirt has no time limits of its own, except that a remote host that does not
 * answer keep-alive messages is given up after {@value #KEEP_ALIVE_SECONDS} s × {@value
 * #KEEP_ALIVE_COUNT}. So never call them on a thread that has to stay responsive. Thread-safe: a
 * call does not wait for another one.
 */
public interface VirtHost extends AutoCloseable {
  /** Seconds between keep-alive messages to a remote libvirt. */
  int KEEP_ALIVE_SECONDS = 5;

  /** How many keep-alive messages may stay without an answer. */
  int KEEP_ALIVE_COUNT = 3;

  /**
   * What a host is.
   *
   * @param name its own host name, legible
   * @param hypervisor for example {@code QEMU 7.2.22}
   * @param hypervisorVersion a million for the first part, a thousand for the second: 7,002,022
   * @param libvirt version of its libvirt, for example {@code 9.0.0}
   * @param processor for example {@code x86_64}
   * @param memoryBytes RAM of the host
   * @param processors logical ones
   */
  record Identity(
      String name,
      String hypervisor,
      long hypervisorVersion,
      String libvirt,
      String processor,
      long memoryBytes,
      int processors) {}

  /** Asks what the host is. */
  Identity identity() throws VirtException;

  /** All domains, active or not, in the order of libvirt. */
  List<VirtDomain> domains() throws VirtException;

  /**
   * Has a callback called after each change of a domain's state, on libvirt's thread of events, so
   * it must not wait. Ends with the connection.
   */
  void onEvent(Runnable callback) throws VirtException;

  /** A domain; empty if the host does not have it, or not any more. */
  Optional<VirtDomain> domain(UUID domain) throws VirtException;

  /** A domain's description, in libvirt's XML, of a stranger. */
  String domainXml(UUID domain) throws VirtException;

  /** What the host can do, in libvirt's XML, of a stranger. */
  String capabilitiesXml() throws VirtException;

  /** The present job of a domain. */
  VirtJob job(UUID domain) throws VirtException;

  /** The last job of a domain that completed, such as the migration by which it arrived here. */
  VirtJob completedJob(UUID domain) throws VirtException;

  /**
   * Has the QEMU of a domain execute a QMP command; returns its whole answer, in JSON, of a
   * stranger.
   */
  String monitor(UUID domain, String command) throws VirtException;

  /** Migrates a domain live, and returns when it runs at the destination, which is another host. */
  void migrate(UUID domain, VirtHost destination, VirtMigration migration) throws VirtException;

  /** Cancels the present job of a domain. */
  void abortJob(UUID domain) throws VirtException;

  /**
   * Limits the downtime of the present migration of a domain, or its next one.
   *
   * @param limit at least 1 ms
   */
  void setDowntimeLimit(UUID domain, Duration limit) throws VirtException;

  /**
   * Limits the bandwidth of the present migration of a domain, or its next one.
   *
   * @param bytesPerSecond rounded up to MiB; 0 for no limit
   */
  void setBandwidthLimit(UUID domain, long bytesPerSecond) throws VirtException;

  /** Ends the connection; calls that wait for an answer go on waiting. Does not wait. */
  @Override
  void close();
}
