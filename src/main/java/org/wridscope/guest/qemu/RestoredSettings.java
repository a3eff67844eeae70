// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.GuestException;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.stream.MachineStreamReader;

/**
 * The migration settings of a QEMU that a migration through a socket needs, and how they were
 * before. Settings that change only how a stream travels are changed for the time; those that say
 * what is migrated are not.
 */
final class RestoredSettings {
  private static final Logger LOG = LoggerFactory.getLogger(RestoredSettings.class);

  static final String MAX_BANDWIDTH = "max-bandwidth";
  static final String DOWNTIME_LIMIT = "downtime-limit";
  static final String TLS_CREDS = "tls-creds";

  /** Capabilities that change the form of a stream, or what its sender does besides. */
  private static final Set<String> OFF =
      Set.of(
          "xbzrle",
          "compress",
          "multifd",
          "zero-copy-send",
          "mapped-ram",
          "postcopy-ram",
          "postcopy-preempt",
          "postcopy-blocktime",
          "return-path",
          "switchover-ack",
          "background-snapshot",
          "release-ram",
          "auto-converge",
          "dirty-limit",
          "pause-before-switchover");

  /** Capabilities with which more than RAM and device states is migrated. */
  private static final List<String> MORE = List.of("block", "dirty-bitmaps", "x-colo");

  private final QemuMonitor monitor;
  private final Map<String, Boolean> wanted = new LinkedHashMap<>();
  private final Map<String, Boolean> before = new LinkedHashMap<>();
  private final JsonObject parametersBefore = new JsonObject();
  private final JsonObject parametersWanted = new JsonObject();
  private boolean changed;

  private RestoredSettings(QemuMonitor monitor) {
    this.monitor = monitor;
  }

  /** For a QEMU whose guest leaves. */
  static RestoredSettings ofSource(QemuMonitor monitor) throws IOException {
    return new RestoredSettings(monitor)
        .read(
            Map.of(MachineStreamReader.IGNORE_SHARED, true, "events", true),
            List.of(MAX_BANDWIDTH, DOWNTIME_LIMIT));
  }

  /** For a QEMU that waits for a guest; its disks are not touched before the guest starts. */
  static RestoredSettings ofDestination(QemuMonitor monitor) throws IOException {
    return new RestoredSettings(monitor)
        .read(
            Map.of(
                MachineStreamReader.IGNORE_SHARED,
                false,
                "events",
                true,
                "late-block-activate",
                true),
            List.of());
  }

  /**
   * Says that a capability is on already that spoils what others save, and that stays on.
   *
   * @param process for the sentence
   */
  static void warn(QemuProcess process, QemuMonitor monitor) throws IOException {
    if (Ask.query(monitor::capabilities).getOrDefault(MachineStreamReader.IGNORE_SHARED, false)) {
      LOG.warn(
          "{} has the capability x-ignore-shared on already, and keeps it: what migrate saves to a"
              + " file lacks its shared RAM. Unless somebody wants that, switch it off"
              + " (docs/qemu.md, By hand).",
          process);
    }
  }

  private RestoredSettings read(Map<String, Boolean> needed, List<String> parameters)
      throws IOException {
    Map<String, Boolean> now = Ask.query(monitor::capabilities);
    for (String capability : MORE) {
      if (now.getOrDefault(capability, false)) {
        throw new GuestException(
            "QEMU's capability %s is on, but this migrates only RAM and the states of devices; switch it off with migrate-set-capabilities if that is enough."
                .formatted(capability));
      }
    }
    for (String capability : needed.keySet()) {
      if (!now.containsKey(capability)) {
        throw new GuestException(
            "This QEMU does not know the capability %s; version 4.0 or later is needed."
                .formatted(capability));
      }
    }
    now.forEach((capability, state) -> {
      boolean target = needed.getOrDefault(capability, state && !OFF.contains(capability));
      if (target != state) {
        before.put(capability, state);
        wanted.put(capability, target);
      }
    });
    JsonObject all = Ask.query(monitor::parameters);
    for (String parameter : parameters) {
      JsonElement value = all.get(parameter);
      if (value == null) {
        throw new GuestException("QEMU does not tell its parameter %s.".formatted(parameter));
      }
      parametersBefore.add(parameter, value);
    }
    if (all.get(TLS_CREDS) instanceof JsonPrimitive credentials
        && !credentials.getAsString().isEmpty()) {
      // A local socket; what leaves this machine travels over RDMA.
      parametersBefore.add(TLS_CREDS, credentials);
      parametersWanted.addProperty(TLS_CREDS, "");
    }
    return this;
  }

  /**
   * What a guard restores.
   *
   * @param starts see {@link GuardedSettings#starts}
   */
  GuardedSettings guarded(boolean starts) {
    return new GuardedSettings(before, parametersBefore, starts);
  }

  /** Sets the capabilities, and the parameters that do not change any more. */
  void apply() throws IOException {
    changed = true;
    if (!wanted.isEmpty()) {
      Ask.command(() -> monitor.setCapabilities(wanted));
    }
    set(parametersWanted);
  }

  /**
   * Sets the limits of a migration.
   *
   * @param bandwidth bytes per second
   * @param downtimeMillis the migration goes on until the rest takes no longer
   */
  void setLimits(long bandwidth, long downtimeMillis) throws IOException {
    changed = true;
    var limits = new JsonObject();
    limits.addProperty(MAX_BANDWIDTH, bandwidth);
    limits.addProperty(DOWNTIME_LIMIT, downtimeMillis);
    set(limits);
  }

  private void set(JsonObject parameters) throws IOException {
    if (!parameters.isEmpty()) {
      Ask.command(() -> monitor.setParameters(parameters));
    }
  }

  /**
   * Restores everything. Does nothing if nothing was changed since the last call.
   *
   * @param now the connection to QEMU, which may be another one by now
   */
  void putBack(QemuMonitor now) throws IOException {
    if (changed) {
      if (!parametersBefore.isEmpty()) {
        Ask.regardless(() -> now.setParameters(parametersBefore));
      }
      if (!before.isEmpty()) {
        Ask.regardless(() -> now.setCapabilities(before));
      }
      changed = false;
    }
  }
}
