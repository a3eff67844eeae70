// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.qemu.KnownSettings;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.RunState;
import org.wridscope.settings.MigrationSetting;

/**
 * The QEMU at one end of a migration by its own engine, reached through QMP. Remembers what is set
 * in it, so that all can be put back. For one thread.
 */
final class QemuEnd implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QemuEnd.class);

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final String MAX_BANDWIDTH = MigrationSetting.BANDWIDTH.qmp();
  private static final String DOWNTIME_LIMIT = MigrationSetting.DOWNTIME_LIMIT.qmp();

  /** QEMU's limit for none: more than any device transfers, and without overflow in QEMU. */
  private static final long UNLIMITED = 1L << 40;

  private final QmpAddress address;
  private final Runnable onEvent;
  private final Map<String, Boolean> formerCapabilities = new HashMap<>();
  private final JsonObject formerParameters = new JsonObject();
  private Qmp qmp;
  private QemuMonitor monitor;
  private final String version;
  private final boolean ranBefore;

  /**
   * Connects.
   *
   * @param onEvent called at each event of this QEMU, on another thread; must not wait
   */
  QemuEnd(QmpAddress address, Runnable onEvent) throws IOException, InterruptedException {
    this.address = address;
    this.onEvent = onEvent;
    qmp = open();
    try {
      monitor = new QemuMonitor(qmp);
      version = monitor.version().toString();
      ranBefore = monitor.status().running();
    } catch (IOException | InterruptedException | RuntimeException e) {
      qmp.close();
      throw e;
    }
  }

  private Qmp open() throws IOException, InterruptedException {
    Qmp opened = Qmp.connect(address, CONNECT_LIMIT);
    // Never removed: the connection ends with this object.
    var _ = opened.onEvent(_ -> onEvent.run());
    return opened;
  }

  /** Connects again after the connection has ended. */
  void reconnect() throws IOException, InterruptedException {
    qmp.close();
    qmp = open();
    monitor = new QemuMonitor(qmp);
  }

  /** A phrase that names this QEMU. */
  String name() {
    return "QEMU %s at %s".formatted(version, address);
  }

  /** For reports. */
  MigrationReport.Machine machine() {
    return new MigrationReport.Machine("QEMU " + version, address.toString(), null);
  }

  /** Whether its guest ran when it was connected. */
  boolean ranBefore() {
    return ranBefore;
  }

  RunState status() throws IOException, InterruptedException {
    return monitor.status();
  }

  MigrationInfo migration() throws IOException, InterruptedException {
    return monitor.migration();
  }

  /**
   * Sets capabilities.
   *
   * @throws IOException with a sentence for the user, if this QEMU does not have one that is to be
   *     on, or refuses
   */
  void setCapabilities(Map<String, Boolean> wanted) throws IOException, InterruptedException {
    Map<String, Boolean> present = monitor.capabilities();
    var changes = new HashMap<String, Boolean>();
    for (Map.Entry<String, Boolean> one : wanted.entrySet()) {
      Boolean now = present.get(one.getKey());
      if (now == null && one.getValue()) {
        throw new IOException(
            "%s has no migration capability %s; choose others.".formatted(name(), one.getKey()));
      }
      if (now != null && !now.equals(one.getValue())) {
        changes.put(one.getKey(), one.getValue());
        formerCapabilities.putIfAbsent(one.getKey(), now);
      }
    }
    if (!changes.isEmpty()) {
      monitor.setCapabilities(changes);
    }
  }

  boolean hasCapability(String name) throws IOException, InterruptedException {
    return monitor.capabilities().containsKey(name);
  }

  /**
   * Limits the bandwidth.
   *
   * @param bytesPerSecond 0 for no limit
   */
  void setBandwidthLimit(long bytesPerSecond) throws IOException, InterruptedException {
    set(MAX_BANDWIDTH, new JsonPrimitive(bytesPerSecond == 0 ? UNLIMITED : bytesPerSecond));
  }

  void setDowntimeLimit(Duration limit) throws IOException, InterruptedException {
    set(DOWNTIME_LIMIT, new JsonPrimitive(limit.toMillis()));
  }

  /**
   * Has this QEMU migrate to another host, and not to a program that takes its place, for which its
   * parameter {@code mode} may have been set.
   */
  void setNormalMode() throws IOException, InterruptedException {
    var normal = new JsonPrimitive(KnownSettings.NORMAL);
    if (monitor.parameters().get(KnownSettings.MODE) instanceof JsonPrimitive mode
        && !mode.equals(normal)) {
      set(KnownSettings.MODE, normal);
    }
  }

  /** Bytes of a chunk of RAM in a migration over RDMA. */
  long chunkSize() throws IOException, InterruptedException {
    return monitor.parameters().get(KnownSettings.CHUNK_SIZE) instanceof JsonPrimitive size
            && size.isNumber()
        ? size.getAsLong()
        : KnownSettings.DEFAULT_CHUNK_SIZE;
  }

  private void set(String parameter, JsonPrimitive value) throws IOException, InterruptedException {
    if (!formerParameters.has(parameter)) {
      formerParameters.add(parameter, monitor.parameters().get(parameter));
    }
    var parameters = new JsonObject();
    parameters.add(parameter, value);
    monitor.setParameters(parameters);
  }

  /** Begins to wait for a guest. */
  void listen(QemuUri uri) throws IOException, InterruptedException {
    monitor.migrateIncoming(uri.text());
  }

  void migrate(QemuUri uri) throws IOException, InterruptedException {
    monitor.migrate(uri.text());
  }

  void cancel() throws IOException, InterruptedException {
    monitor.migrateCancel();
  }

  /** Permits the switch-over of a migration that waits for it. */
  void permitSwitchover() throws IOException, InterruptedException {
    monitor.migrateContinue("pre-switchover");
  }

  /** Starts the guest. */
  void startGuest() throws IOException, InterruptedException {
    monitor.cont();
  }

  /** Puts back what was set; notes in the log what could not be put back. */
  void putBack() throws InterruptedException {
    try {
      if (!formerCapabilities.isEmpty()) {
        monitor.setCapabilities(formerCapabilities);
      }
      if (!formerParameters.isEmpty()) {
        monitor.setParameters(formerParameters);
      }
    } catch (IOException e) {
      if (qmp.isOpen()) {
        LOG.warn("the settings of {} were not put back: {}", name(), e.getMessage());
      } else {
        LOG.debug("{} has ended, or its connection: {}", name(), e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    qmp.close();
  }
}
