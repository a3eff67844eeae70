// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonPrimitive;
import java.util.Map;
import java.util.Set;

/**
 * The migration capabilities and parameters of QEMU 4.0 to 11.1, and what is done with each while a
 * guest is taken from a QEMU, or brought to one, by a migration to a socket of this process. Those
 * of a newer QEMU are entered here; until then they are unknown: one that is off, and a parameter,
 * is left as it is, and a capability that is on is refused, since it may change the stream.
 */
public final class KnownSettings {
  /** Newest QEMU whose settings are listed here. */
  static final String NEWEST = "11.1";

  /**
   * {@code MigMode}; what is not {@link #NORMAL} may replace QEMU by another program at the end.
   */
  public static final String MODE = "mode";

  public static final String NORMAL = "normal";

  /**
   * RDMA only: bytes of a chunk, the same at both ends; absent before QEMU 11.1, where it is {@link
   * #DEFAULT_CHUNK_SIZE}.
   */
  public static final String CHUNK_SIZE = "x-rdma-chunk-size";

  public static final long DEFAULT_CHUNK_SIZE = 1 << 20;

  /** Keeps a migration from its end until {@code migrate-continue}. */
  static final String PAUSE = "pause-before-switchover";

  static final String MAX_BANDWIDTH = "max-bandwidth";
  static final String DOWNTIME_LIMIT = "downtime-limit";

  /** What is done with a capability unless the migration needs it in a certain state. */
  enum Capability {
    /** Changes the form of the stream, or what its sender does besides: off for the time. */
    OFF,
    /** More than RAM and device states is migrated: a QEMU that has it on is refused. */
    REFUSED,
    /** Changes neither, so it stays as it is. */
    KEPT
  }

  static final Map<String, Capability> CAPABILITIES =
      Map.ofEntries(
          Map.entry("auto-converge", Capability.OFF),
          Map.entry("background-snapshot", Capability.OFF),
          Map.entry("block", Capability.REFUSED), // up to 8.2
          Map.entry("compress", Capability.OFF), // up to 9.0
          Map.entry("dirty-bitmaps", Capability.REFUSED),
          Map.entry("dirty-limit", Capability.OFF), // from 8.1
          Map.entry("events", Capability.KEPT),
          Map.entry("late-block-activate", Capability.KEPT),
          Map.entry("mapped-ram", Capability.OFF), // from 9.0
          Map.entry("multifd", Capability.OFF),
          Map.entry(PAUSE, Capability.OFF), // on where a migration must not come to its end
          Map.entry("postcopy-blocktime", Capability.OFF),
          Map.entry("postcopy-preempt", Capability.OFF),
          Map.entry("postcopy-ram", Capability.OFF),
          Map.entry("rdma-pin-all", Capability.KEPT), // not for sockets
          Map.entry("release-ram", Capability.OFF),
          Map.entry("return-path", Capability.OFF),
          Map.entry("switchover-ack", Capability.OFF), // from 8.1
          Map.entry("validate-uuid", Capability.KEPT), // the stream's beginning is passed on
          Map.entry("x-colo", Capability.REFUSED),
          Map.entry("x-ignore-shared", Capability.KEPT),
          Map.entry("xbzrle", Capability.OFF),
          Map.entry("zero-blocks", Capability.KEPT), // up to 11.0, with block only
          Map.entry("zero-copy-send", Capability.OFF));

  /** Parameters that would change where or how the migration goes, and their neutral values. */
  static final Map<String, JsonPrimitive> NEUTRAL =
      Map.of(
          // A local socket; what leaves this machine travels over RDMA.
          "tls-creds",
          new JsonPrimitive(""),
          // From 8.2. With cpr-exec, QEMU would execute a command at the end of the migration.
          MODE,
          new JsonPrimitive(NORMAL),
          // From 8.2. What QEMU takes for the bandwidth when it decides whether to switch over.
          "avail-switchover-bandwidth",
          new JsonPrimitive(0));

  /** Parameters that the migration sets to what it needs. */
  static final Set<String> SET = Set.of(MAX_BANDWIDTH, DOWNTIME_LIMIT);

  /** Parameters that concern neither the stream nor a migration to a socket without TLS. */
  static final Set<String> KEPT =
      Set.of(
          "announce-initial",
          "announce-max",
          "announce-rounds",
          "announce-step",
          // with dirty-bitmaps
          "block-bitmap-mapping",
          // with block, up to 8.2
          "block-incremental",
          // with compress, up to 9.0
          "compress-level",
          "compress-threads",
          "compress-wait-thread",
          "decompress-threads",
          // with mode cpr-exec, from 10.2
          "cpr-exec-command",
          // with auto-converge
          "cpu-throttle-increment",
          "cpu-throttle-initial",
          "cpu-throttle-tailslow",
          "max-cpu-throttle",
          "throttle-trigger-threshold",
          // with mapped-ram, from 9.1
          "direct-io",
          // with postcopy-ram
          "max-postcopy-bandwidth",
          // with multifd
          "multifd-channels",
          "multifd-compression",
          "multifd-qatzip-level",
          "multifd-zlib-level",
          "multifd-zstd-level",
          // with tls-creds
          "tls-authz",
          "tls-hostname",
          // with dirty-limit, from 8.1
          "vcpu-dirty-limit",
          "x-vcpu-dirty-limit-period",
          // with x-colo
          "x-checkpoint-delay",
          // with RDMA, from 11.1
          CHUNK_SIZE,
          // with xbzrle
          "xbzrle-cache-size",
          // which zero pages are sent as such, from 9.0: both kinds are read
          "zero-page-detection");

  private KnownSettings() {}

  static boolean isKnownParameter(String name) {
    return NEUTRAL.containsKey(name) || SET.contains(name) || KEPT.contains(name);
  }
}
