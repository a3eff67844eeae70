// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.files.Folder;
import org.wridscope.text.Legible;

/**
 * Finds the QEMUs that run on this machine: by the command lines of processes, and by the names of
 * sockets on which somebody listens, wherever they are: those of libvirt ({@code monitor.sock}), of
 * Proxmox ({@code 100.qmp}), and others that have {@code qmp} in their name. Nothing is connected
 * to, since a QEMU serves one client at a time.
 *
 * <p>Reads procfs, which may take long on a machine with many processes. What this user may not
 * read is not found.
 */
public final class QemuDiscovery {
  private static final Path PROC = Path.of("/proc");

  private static final int MAX_COMMAND_LINE = 1 << 20;

  private static final Pattern PID = Pattern.compile("[1-9][0-9]{0,9}");

  /** File names of sockets that are for QMP. */
  private static final Pattern SOCKET_NAME =
      Pattern.compile("(?i).*qmp.*|monitor\\.sock|.+\\.monitor");

  /** libvirt's directory of a domain, {@code domain-ID-NAME}. */
  private static final Pattern DOMAIN = Pattern.compile("domain-[0-9]+-(.+)");

  private final Path proc;
  private final ListeningSockets sockets;

  public QemuDiscovery() {
    this(PROC);
  }

  /**
   * @param proc where procfs is mounted
   */
  QemuDiscovery(Path proc) {
    this.proc = proc;
    sockets = new ListeningSockets(proc);
  }

  /** QEMUs that accept QMP on a socket: those of processes first, by their ids. */
  public List<FoundQemu> find() {
    // By pid.
    Map<Long, String> names = new LinkedHashMap<>();
    Map<Long, Set<QmpAddress>> addresses = new LinkedHashMap<>();
    for (long pid : pids()) {
      QemuCommandLine line = commandLine(pid);
      if (line.isQemu()) {
        names.put(pid, line.name());
        addresses.put(pid, new LinkedHashSet<>(line.addresses()));
      }
    }
    var found = new ArrayList<FoundQemu>();
    for (FoundQemu socket : bySocket()) {
      boolean isNew =
          addresses.values().stream().noneMatch(of -> of.containsAll(socket.addresses()));
      Set<QmpAddress> ofOwner =
          socket.pid().isPresent() ? addresses.get(socket.pid().getAsLong()) : null;
      if (ofOwner != null) {
        ofOwner.addAll(socket.addresses());
      } else if (isNew) {
        found.add(socket);
      }
    }
    addresses.values().removeIf(Set::isEmpty);
    List<FoundQemu> all = new ArrayList<>();
    addresses.forEach((pid, of) ->
        all.add(new FoundQemu(OptionalLong.of(pid), names.getOrDefault(pid, ""), List.copyOf(of))));
    all.addAll(found);
    return all;
  }

  /** Sockets whose names say that they are for QMP. */
  private List<FoundQemu> bySocket() {
    var found = new ArrayList<FoundQemu>();
    Map<Path, List<Long>> listening =
        listening(name -> SOCKET_NAME.matcher(name.toString()).matches());
    Map<Long, List<Long>> owners = owners(listening.values().stream().flatMap(List::stream));
    listening.forEach((path, inodes) ->
        QemuCommandLine.parsed("unix:" + path)
            .ifPresent(address ->
                found.add(new FoundQemu(only(inodes, owners), nameOf(path), List.of(address)))));
    return found;
  }

  /**
   * The process that accepts connections at an address.
   *
   * @return empty if that is on another machine, belongs to another user, or cannot be told
   */
  public OptionalLong pidOf(QmpAddress address) {
    return switch (address) {
      case QmpAddress.Unix unix -> onlyOwner(inodesOf(unix.path()));
      case QmpAddress.Tcp tcp -> onlyOwner(inodesOf(tcp));
      case QmpAddress.Ssh _ -> OptionalLong.empty();
      case QmpAddress.Stdio stdio -> OptionalLong.of(stdio.pid());
    };
  }

  /**
   * The file of a QEMU's log according to its command line.
   *
   * @return empty if that is its standard error, or the command line cannot be read
   */
  public Optional<Path> logFileOf(long pid) {
    return commandLine(pid).logFile(pid);
  }

  // ---------------------------------------------------------------------------------- sockets

  /** What to call the owner of a socket whose command line says nothing. */
  private static String nameOf(Path path) {
    Path parent = path.getParent();
    var domain = DOMAIN.matcher(parent == null ? "" : String.valueOf(parent.getFileName()));
    return Legible.of(domain.matches() ? domain.group(1) : String.valueOf(path.getFileName()));
  }

  /**
   * Inodes of the sockets that listen by their paths. A relative path begins in the directory of
   * its owner.
   *
   * @param wanted tells whether a file name is of interest
   */
  private Map<Path, List<Long>> listening(Predicate<Path> wanted) {
    Map<Path, List<Long>> absolute = new LinkedHashMap<>();
    Map<Path, List<Long>> relative = new LinkedHashMap<>();
    for (ListeningSockets.Unix socket : sockets.unix()) {
      Path path = path(socket.path());
      if (path.getFileName() != null && wanted.test(path.getFileName())) {
        (path.isAbsolute() ? absolute : relative)
            .computeIfAbsent(path, _ -> new ArrayList<>())
            .add(socket.inode());
      }
    }
    Map<Long, List<Long>> owners = owners(relative.values().stream().flatMap(List::stream));
    relative.forEach((path, inodes) ->
        inodes.forEach(inode ->
            owners.getOrDefault(inode, List.of()).stream()
                .map(this::directoryOf)
                .flatMap(Optional::stream)
                .map(directory -> directory.resolve(path).normalize())
                .distinct()
                .forEach(
                    whole -> absolute.computeIfAbsent(whole, _ -> new ArrayList<>()).add(inode))));
    return absolute;
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      return Path.of("");
    }
  }

  private List<Long> inodesOf(Path path) {
    Path real = real(path);
    return listening(name -> name.equals(path.getFileName()) || name.equals(real.getFileName()))
        .entrySet()
        .stream()
        .filter(socket -> real(socket.getKey()).equals(real))
        .flatMap(socket -> socket.getValue().stream())
        .toList();
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.normalize();
    }
  }

  private List<Long> inodesOf(QmpAddress.Tcp tcp) {
    var inodes = new ArrayList<Long>();
    try {
      for (InetAddress address : InetAddress.getAllByName(tcp.host())) {
        if (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null) {
          inodes.addAll(sockets.tcp(address, tcp.port()));
        }
      }
    } catch (UnknownHostException | SocketException e) {
      return List.of();
    }
    return inodes;
  }

  // -------------------------------------------------------------------------------- processes

  private List<Long> pids() {
    return entries(proc).stream()
        .map(path -> String.valueOf(path.getFileName()))
        .filter(name -> PID.matcher(name).matches())
        .map(Long::valueOf)
        .sorted()
        .toList();
  }

  private static List<Path> entries(Path directory) {
    try {
      return Folder.entries(directory);
    } catch (IOException e) {
      // The process has ended, or belongs to another user.
      return List.of();
    }
  }

  private Path of(long pid) {
    return proc.resolve(Long.toString(pid));
  }

  private Optional<Path> directoryOf(long pid) {
    try {
      return Optional.of(Files.readSymbolicLink(of(pid).resolve("cwd")));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private QemuCommandLine commandLine(long pid) {
    List<String> arguments = List.of();
    try (InputStream in = Files.newInputStream(of(pid).resolve("cmdline"))) {
      byte[] bytes = in.readNBytes(MAX_COMMAND_LINE);
      arguments = List.of(new String(bytes, StandardCharsets.UTF_8).split("\0", -1));
    } catch (IOException e) {
      // The process has ended.
    }
    return new QemuCommandLine(
        arguments,
        directoryOf(pid).orElse(Path.of("/")),
        descriptor -> ofDescriptor(pid, descriptor));
  }

  /** The address of the socket behind a descriptor, as libvirt gives QEMU its monitor. */
  private Optional<QmpAddress> ofDescriptor(long pid, String descriptor) {
    if (!PID.matcher(descriptor).matches()) {
      return Optional.empty();
    }
    Optional<String> target = target(of(pid).resolve("fd").resolve(descriptor));
    return sockets.unix().stream()
        .filter(socket -> target.equals(Optional.of(link(socket.inode()))))
        .findFirst()
        .flatMap(socket -> QemuCommandLine.parsed("unix:" + socket.path()));
  }

  private static String link(long inode) {
    return "socket:[" + inode + "]";
  }

  private static Optional<String> target(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Processes that have sockets open, by the sockets' inodes. */
  private Map<Long, List<Long>> owners(Stream<Long> inodes) {
    Map<String, Long> links =
        inodes.collect(Collectors.toMap(QemuDiscovery::link, Function.identity(), (a, _) -> a));
    Map<Long, List<Long>> owners = new HashMap<>();
    if (links.isEmpty()) {
      return owners;
    }
    for (long pid : pids()) {
      entries(of(pid).resolve("fd")).stream()
          .map(QemuDiscovery::target)
          .flatMap(Optional::stream)
          .map(links::get)
          .filter(Objects::nonNull)
          .distinct()
          .forEach(inode -> owners.computeIfAbsent(inode, _ -> new ArrayList<>()).add(pid));
    }
    return owners;
  }

  private OptionalLong onlyOwner(List<Long> inodes) {
    return only(inodes, owners(inodes.stream()));
  }

  /**
   * The one process that has these sockets, or the one QEMU among them: whoever started it may keep
   * its socket open.
   */
  private OptionalLong only(List<Long> inodes, Map<Long, List<Long>> owners) {
    List<Long> pids =
        inodes.stream()
            .flatMap(inode -> owners.getOrDefault(inode, List.of()).stream())
            .distinct()
            .toList();
    List<Long> qemus =
        pids.size() > 1 ? pids.stream().filter(pid -> commandLine(pid).isQemu()).toList() : pids;
    return qemus.size() == 1 ? OptionalLong.of(qemus.getFirst()) : OptionalLong.empty();
  }
}
