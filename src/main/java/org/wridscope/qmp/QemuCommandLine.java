// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * What a QEMU's command line says of its guest's name, and of the sockets on which it accepts QMP:
 * {@code -qmp}, {@code -qmp-pretty}, and {@code -mon} with {@code -chardev}. Sockets that this
 * program cannot use are left out: of clients, with TLS, telnet or websockets, and abstract ones.
 */
final class QemuCommandLine {
  private static final Set<String> YES = Set.of("on", "yes", "true", "y");

  private final List<String> arguments;
  private final Path directory;
  private final Function<String, Optional<QmpAddress>> ofDescriptor;

  /**
   * @param arguments the program's name first
   * @param directory in which relative paths begin
   * @param ofDescriptor tells the address of the socket behind a file descriptor's number
   */
  QemuCommandLine(
      List<String> arguments, Path directory, Function<String, Optional<QmpAddress>> ofDescriptor) {
    this.arguments = List.copyOf(arguments);
    this.directory = directory;
    this.ofDescriptor = ofDescriptor;
  }

  /** Whether the program is a QEMU that emulates a machine. */
  boolean isQemu() {
    return !arguments.isEmpty()
        && QemuProgram.isNamed(
            arguments.getFirst().substring(arguments.getFirst().lastIndexOf('/') + 1));
  }

  /** The guest's name; legible; empty if it has none. */
  String name() {
    return values("name").stream()
        .map(value -> Legible.of(properties(value, "guest").getOrDefault("guest", "")))
        .filter(name -> !name.isEmpty())
        .reduce("", (_, last) -> last);
  }

  /** The file of its log ({@code -D}); empty if that is its standard error. */
  Optional<Path> logFile(long pid) {
    try {
      return values("D").stream()
          .reduce((_, last) -> last)
          .map(name -> directory.resolve(name.replace("%d", Long.toString(pid))));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** Where it accepts QMP, in the order of the command line. */
  List<QmpAddress> addresses() {
    Map<String, Map<String, String>> devices = new HashMap<>();
    for (String value : values("chardev")) {
      Map<String, String> device = properties(value, "backend");
      devices.put(device.getOrDefault("id", ""), device);
    }
    Set<QmpAddress> addresses = new LinkedHashSet<>();
    for (int i = 1; i + 1 < arguments.size(); i++) {
      String value = arguments.get(i + 1);
      switch (option(arguments.get(i))) {
        case "qmp", "qmp-pretty" ->
            (value.startsWith("chardev:")
                    ? ofDevice(devices.get(value.substring("chardev:".length())))
                    : ofShortForm(value))
                .ifPresent(addresses::add);
        case "mon" -> {
          Map<String, String> monitor = properties(value, "chardev");
          if (monitor.getOrDefault("mode", "").equals("control")) {
            ofDevice(devices.get(monitor.getOrDefault("chardev", ""))).ifPresent(addresses::add);
          }
        }
        default -> {}
      }
    }
    return List.copyOf(addresses);
  }

  /** An option's name: QEMU takes one hyphen or two. */
  private static String option(String argument) {
    return argument.startsWith("--")
        ? argument.substring(2)
        : argument.startsWith("-") ? argument.substring(1) : "";
  }

  private List<String> values(String option) {
    var values = new ArrayList<String>();
    for (int i = 1; i + 1 < arguments.size(); i++) {
      if (option(arguments.get(i)).equals(option)) {
        values.add(arguments.get(i + 1));
      }
    }
    return values;
  }

  /**
   * {@code NAME=VALUE,...} as QEMU reads it: a doubled comma is one in the value, and a name alone
   * means {@code on}.
   *
   * @param implied name of the first value when that has none
   */
  private static Map<String, String> properties(String text, String implied) {
    Map<String, String> properties = new HashMap<>();
    var part = new StringBuilder();
    boolean first = true;
    for (int i = 0; i <= text.length(); i++) {
      boolean ends = i == text.length();
      if (!ends && text.charAt(i) != ',') {
        part.append(text.charAt(i));
      } else if (i + 1 < text.length() && text.charAt(i + 1) == ',') {
        part.append(',');
        i++;
      } else {
        int equals = part.indexOf("=");
        if (equals >= 0) {
          properties.put(part.substring(0, equals), part.substring(equals + 1));
        } else if (first) {
          properties.put(implied, part.toString());
        } else {
          properties.put(part.toString(), "on");
        }
        part.setLength(0);
        first = false;
      }
    }
    return properties;
  }

  private static boolean isOn(Map<String, String> properties, String name) {
    return YES.contains(properties.getOrDefault(name, "off"));
  }

  /** {@code unix:PATH,server=on} or {@code tcp:HOST:PORT,server=on}. */
  private Optional<QmpAddress> ofShortForm(String text) {
    if (text.startsWith("unix:")) {
      return ofSocket(properties(text.substring("unix:".length()), "path"));
    }
    if (text.startsWith("tcp:")) {
      Map<String, String> socket = properties(text.substring("tcp:".length()), "to");
      String place = socket.getOrDefault("to", "");
      int colon = place.lastIndexOf(':');
      if (colon >= 0) {
        socket.put("host", place.substring(0, colon));
        socket.put("port", place.substring(colon + 1));
        return ofSocket(socket);
      }
    }
    return Optional.empty();
  }

  private Optional<QmpAddress> ofDevice(@Nullable Map<String, String> device) {
    return device != null && device.getOrDefault("backend", "").equals("socket")
        ? ofSocket(device)
        : Optional.empty();
  }

  private Optional<QmpAddress> ofSocket(Map<String, String> socket) {
    boolean usable =
        isOn(socket, "server")
            && !socket.containsKey("tls-creds")
            && !isOn(socket, "telnet")
            && !isOn(socket, "websocket")
            && !isOn(socket, "abstract");
    if (!usable) {
      return Optional.empty();
    }
    try {
      if (socket.containsKey("fd")) {
        return ofDescriptor.apply(socket.get("fd"));
      }
      String path = socket.getOrDefault("path", "");
      return path.isEmpty()
          ? parsed("tcp:" + host(socket.getOrDefault("host", "")) + ":" + socket.get("port"))
          : parsed("unix:" + directory.resolve(path));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** A host in the form of an address, where a listener on every interface is reached here. */
  private static String host(String host) {
    return switch (host) {
      case "", "0.0.0.0", "*" -> "127.0.0.1";
      case "::", "[::]" -> "[::1]";
      default -> host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    };
  }

  /** An address; empty if it is none. */
  static Optional<QmpAddress> parsed(String text) {
    try {
      return Optional.of(QmpAddress.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
