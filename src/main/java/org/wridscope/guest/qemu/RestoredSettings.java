// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.GuestException;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.stream.MachineStreamReader;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/**
 * The migration settings of a QEMU that a migration through a socket needs, and how they were
 * before. Settings that change only how a stream travels are changed for the time; those that say
 * what is migrated are not.
 */
final class RestoredSettings {
  private static final Logger LOG = LoggerFactory.getLogger(RestoredSettings.class);

  private final QemuMonitor monitor;
  private final Map<String, Boolean> wanted = new LinkedHashMap<>();
  private final Map<String, Boolean> before = new LinkedHashMap<>();
  private final JsonObject parametersBefore = new JsonObject();
  private final JsonObject parametersWanted = new JsonObject();
  private boolean changed;

  private RestoredSettings(QemuMonitor monitor) {
    this.monitor = monitor;
  }

  /**
   * For a QEMU whose guest leaves. Its migrations wait before their switch-over until {@link
   * #allowSwitchOver}.
   */
  static RestoredSettings ofSource(QemuMonitor monitor) throws IOException {
    RestoredSettings settings =
        new RestoredSettings(monitor)
            .read(
                Map.of(
                    MachineStreamReader.IGNORE_SHARED,
                    true,
                    "events",
                    true,
                    KnownSettings.PAUSE,
                    true),
                List.of(KnownSettings.MAX_BANDWIDTH, KnownSettings.DOWNTIME_LIMIT));
    // One that is on is switched off later.
    settings.before.putIfAbsent(KnownSettings.PAUSE, true);
    return settings;
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
   * Warns of x-ignore-shared if it is on already, and stays on: what QEMU saves then lacks its
   * shared RAM.
   *
   * @param process for the sentence
   */
  static void warn(QemuProcess process, QemuMonitor monitor) throws IOException {
    if (Ask.query(monitor::capabilities).getOrDefault(MachineStreamReader.IGNORE_SHARED, false)) {
      LOG.warn(
          "{} has the capability x-ignore-shared on already, and keeps it: what migrate saves to a"
              + " file lacks its shared RAM. Unless that is wanted, switch it off"
              + " (docs/qemu.md, By hand).",
          process);
    }
  }

  private RestoredSettings read(Map<String, Boolean> needed, List<String> parameters)
      throws IOException {
    Map<String, Boolean> now = Ask.query(monitor::capabilities);
    JsonObject all = Ask.query(monitor::parameters);
    noteUnknown(now, all);
    for (String capability : needed.keySet()) {
      if (!now.containsKey(capability)) {
        throw new GuestException(
            "This QEMU does not know the capability %s; version 4.0 or later is needed."
                .formatted(capability));
      }
    }
    for (Map.Entry<String, Boolean> each : now.entrySet()) {
      String capability = each.getKey();
      boolean state = each.getValue();
      boolean target = needed.getOrDefault(capability, state && stays(capability));
      if (target != state) {
        before.put(capability, state);
        wanted.put(capability, target);
      }
    }
    for (String parameter : parameters) {
      JsonElement value = all.get(parameter);
      if (value == null) {
        throw new GuestException("QEMU does not tell its parameter %s.".formatted(parameter));
      }
      parametersBefore.add(parameter, value);
    }
    KnownSettings.NEUTRAL.forEach((parameter, neutral) -> {
      if (all.get(parameter) instanceof JsonPrimitive value && !value.equals(neutral)) {
        parametersBefore.add(parameter, value);
        parametersWanted.add(parameter, neutral);
      }
    });
    return this;
  }

  /**
   * Whether a capability that is on may stay on.
   *
   * @throws GuestException if the guest cannot be migrated with it
   */
  private boolean stays(String capability) throws IOException {
    KnownSettings.Capability known = KnownSettings.CAPABILITIES.get(capability);
    if (known == null) {
      throw new GuestException(
          "The capability %s of QEMU %s is on, which no QEMU up to %s has, so it is not known what it does to the stream; switch it off with migrate-set-capabilities, or use a newer Wridscope."
              .formatted(capability, Ask.query(monitor::version), KnownSettings.NEWEST));
    }
    return switch (known) {
      case OFF -> false;
      case KEPT -> true;
      case REFUSED ->
          throw new GuestException(
              "QEMU's capability %s is on, but this migrates only RAM and the states of devices; switch it off with migrate-set-capabilities if that is enough."
                  .formatted(capability));
    };
  }

  /** Names in the log what a newer QEMU has, which stays as it is. */
  private void noteUnknown(Map<String, Boolean> capabilities, JsonObject parameters)
      throws IOException {
    List<String> unknown =
        Stream.concat(
                capabilities.keySet().stream()
                    .filter(name -> !KnownSettings.CAPABILITIES.containsKey(name)),
                parameters.keySet().stream()
                    .filter(name -> !KnownSettings.isKnownParameter(name))
                    .map(Legible::of))
            .toList();
    if (!unknown.isEmpty()) {
      LOG.info(
          "QEMU {} has {} that no QEMU up to {} has, and that stay as they are: {}",
          Ask.query(monitor::version),
          Format.counted(unknown.size(), "migration setting"),
          KnownSettings.NEWEST,
          String.join(", ", unknown));
    }
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

  /** Lets migrations come to their end. */
  void allowSwitchOver() throws IOException {
    changed = true;
    Ask.command(() -> monitor.setCapabilities(Map.of(KnownSettings.PAUSE, false)));
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
    limits.addProperty(KnownSettings.MAX_BANDWIDTH, bandwidth);
    limits.addProperty(KnownSettings.DOWNTIME_LIMIT, downtimeMillis);
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
