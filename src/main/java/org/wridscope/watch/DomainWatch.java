// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.files.UserFolder;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.recording.qemu.LiveImport;

/**
 * Watches the next migration of a domain of this machine's libvirt: its trace events are switched
 * on through libvirt, and the log is followed that libvirt keeps of its QEMU.
 */
public final class DomainWatch {
  private static final Logger LOG = LoggerFactory.getLogger(DomainWatch.class);

  private static final Path OF_SYSTEM = Path.of("/var/log/libvirt/qemu");

  private DomainWatch() {}

  /**
   * The log of a domain.
   *
   * @throws IOException if there is none here that can be read, with a sentence for the user
   */
  public static Path log(VirtUri host, VirtDomain domain) throws IOException {
    if (!host.host().isEmpty()) {
      throw new IOException(
          "The log of %s is on its host; run Wridscope there to watch it."
              .formatted(domain.name()));
    }
    Path folder =
        host.session()
            ? UserFolder.CACHE.ofAllPrograms().resolve(Path.of("libvirt", "qemu", "log"))
            : OF_SYSTEM;
    Path log = folder.resolve(domain.name() + ".log").normalize();
    if (!folder.equals(log.getParent()) || Files.notExists(log)) {
      throw new IOException(
          "%s has no log %s; its QEMU has not run here, or libvirt writes it elsewhere."
              .formatted(domain.name(), log));
    }
    if (!Files.isReadable(log)) {
      throw new IOException(
          "%s, the log of the domain, cannot be read; run Wridscope as root.".formatted(log));
    }
    return log;
  }

  /**
   * Begins a watch. Waits for libvirt.
   *
   * @param log of the domain
   * @throws IOException if that is not possible, with a sentence for the user; everything is as
   *     before then
   */
  public static Watch begin(VirtConnector libvirt, VirtUri uri, VirtDomain domain, Path log)
      throws IOException {
    VirtHost host = libvirt.open(uri);
    List<String> events = new ArrayList<>();
    try {
      events.addAll(eventsThatAreOff(host, domain.id()));
      for (String event : events) {
        set(host, domain.id(), event, true);
      }
      Watch watch = Watch.ofSourceFromNow(log);
      Thread.ofPlatform()
          .daemon()
          .name("end of the watch of " + domain.name())
          .start(() -> putBackAfter(watch, host, domain.id(), events));
      return watch;
    } catch (IOException | RuntimeException e) {
      putBack(host, domain.id(), events);
      host.close();
      throw e;
    }
  }

  private static void putBackAfter(Watch watch, VirtHost host, UUID domain, List<String> events) {
    try (host) {
      for (Session session : watch.sessions().sessions()) {
        while (!session.await(Session.END_PATIENCE)) {
          LOG.trace("still watching");
        }
      }
      putBack(host, domain, events);
    } catch (InterruptedException e) {
      LOG.debug("nobody interrupts this thread", e);
    }
  }

  /** The domain has often gone by now. */
  private static void putBack(VirtHost host, UUID domain, List<String> events) {
    try {
      if (host.domain(domain).filter(VirtDomain::active).isPresent()) {
        for (String event : events) {
          set(host, domain, event, false);
        }
      }
    } catch (IOException e) {
      LOG.warn("trace events were not switched off again: {}", e.getMessage());
    }
  }

  private static List<String> eventsThatAreOff(VirtHost host, UUID domain) throws IOException {
    var events = new ArrayList<String>();
    for (String pattern : LiveImport.tracePatterns()) {
      var arguments = new JsonObject();
      arguments.addProperty("name", pattern);
      JsonElement listed = execute(host, domain, "trace-event-get-state", arguments);
      try {
        for (JsonElement one : listed.getAsJsonArray()) {
          String name = one.getAsJsonObject().get("name").getAsString();
          String state = one.getAsJsonObject().get("state").getAsString();
          if (state.equals("disabled") && LiveImport.reads(name)) {
            events.add(name);
          }
        }
      } catch (IllegalStateException | NullPointerException | UnsupportedOperationException e) {
        throw new VirtException("QEMU's list of trace events is not valid: " + e.getMessage());
      }
    }
    return events;
  }

  private static void set(VirtHost host, UUID domain, String event, boolean on) throws IOException {
    var arguments = new JsonObject();
    arguments.addProperty("name", event);
    arguments.addProperty("enable", on);
    JsonElement _ = execute(host, domain, "trace-event-set-state", arguments);
  }

  private static JsonElement execute(
      VirtHost host, UUID domain, String command, JsonObject arguments) throws IOException {
    var request = new JsonObject();
    request.addProperty("execute", command);
    request.add("arguments", arguments);
    String answer = host.monitor(domain, request.toString());
    try {
      JsonElement parsed = JsonParser.parseString(answer);
      if (parsed.isJsonObject() && parsed.getAsJsonObject().has("return")) {
        return parsed.getAsJsonObject().get("return");
      }
    } catch (JsonParseException e) {
      LOG.debug("{}", answer, e);
    }
    throw new VirtException("QEMU refused %s: %s".formatted(command, answer));
  }
}
