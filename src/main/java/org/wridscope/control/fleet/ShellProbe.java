// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.process.TimeLimit;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/** Looks at a host with a script for {@code sh}, here or through ssh. */
final class ShellProbe implements HostProbe {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  /** A script prints some lines; more than this is not its output. */
  private static final int MOST_BYTES = 1 << 16;

  /**
   * Prints {@code device NAME STATE INTERFACE} for each port, {@code address INTERFACE ADDRESS},
   * {@code lockable KIB}, {@code userfaultfd 1} or {@code userfaultfd 0}, and {@code qemu yes} or
   * {@code qemu no}. The state is the number in sysfs; 4 is active. The QEMU is in {@code
   * $emulator}.
   */
  private static final String SCRIPT =
      """
      PATH=$PATH:/usr/sbin:/sbin
      for port in /sys/class/infiniband/*/ports/*; do
        [ -r "$port/state" ] || continue
        device=${port#/sys/class/infiniband/}
        link=$(cat "$port/gid_attrs/ndevs/0" 2>/dev/null)
        [ -n "$link" ] || link=$(ls "/sys/class/infiniband/${device%%/*}/device/net" 2>/dev/null | head -n 1)
        echo "device ${device%%/*} $(cut -d: -f1 "$port/state") $link"
        [ -z "$link" ] || ip -o addr show dev "$link" scope global 2>/dev/null |
          while read -r _ _ _ address _; do echo "address $link ${address%%/*}"; done
      done
      echo "lockable $(ulimit -H -l)"
      echo "userfaultfd $(cat /proc/sys/vm/unprivileged_userfaultfd 2>/dev/null)"
      if [ -r "$emulator" ]; then
        if grep -q 'librdmacm\\.so' "$emulator"; then echo 'qemu yes'; else echo 'qemu no'; fi
      fi
      echo end
      """;

  @Override
  public HostFacts look(VirtUri host, String emulator) throws IOException {
    return parse(run(command(host), "emulator=" + quoted(emulator) + "\n" + SCRIPT, host, LIMIT));
  }

  private static List<String> command(VirtUri host) throws IOException {
    if (host.host().isEmpty()) {
      return List.of("sh", "-s");
    }
    if (!host.ssh()) {
      throw new IOException(
          "Wridscope can look at %s only through ssh; connect it as qemu+ssh://%s/system."
              .formatted(Legible.of(host.host()), Legible.of(host.host())));
    }
    var command =
        new ArrayList<>(List.of("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8"));
    command.addAll(host.sshDestination());
    command.addAll(List.of("sh", "-s"));
    return command;
  }

  /** For a shell. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /**
   * The output of a script.
   *
   * @throws IOException if it does not end in time, or not as it should; one sentence
   */
  static String run(List<String> command, String script, VirtUri host, Duration limit)
      throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    var time = new TimeLimit(process, limit);
    try {
      try (OutputStream in = process.getOutputStream()) {
        in.write(script.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // It ended before it read all; its output says so.
      }
      String output =
          new String(process.getInputStream().readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
      process.waitFor();
      if (!output.endsWith("end\n")) {
        throw new IOException(
            "Wridscope could not look at %s: %s ended with the status %d."
                .formatted(host, command.getFirst(), process.exitValue()));
      }
      return output;
    } catch (IOException e) {
      throw time.hasPassed()
          ? new IOException(
              "Wridscope could not look at %s: %s took longer than %s."
                  .formatted(host, command.getFirst(), Format.duration(limit.toNanos())),
              e)
          : e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Looking at %s was interrupted.".formatted(host));
    } finally {
      process.destroyForcibly();
    }
  }

  /** Reads the output of the script. */
  static HostFacts parse(String output) {
    Map<String, List<String>> addresses = new LinkedHashMap<>();
    var ports = new ArrayList<String[]>();
    OptionalLong lockable = OptionalLong.empty();
    Optional<Boolean> qemu = Optional.empty();
    Optional<Boolean> userfaultfd = Optional.empty();
    for (String line : output.lines().toList()) {
      String[] words = Legible.of(line).split(" ", -1);
      switch (words[0]) {
        case "device" -> ports.add(words);
        case "address" -> {
          if (words.length == 3) {
            addresses.computeIfAbsent(words[1], _ -> new ArrayList<>()).add(words[2]);
          }
        }
        case "lockable" -> lockable = kibibytes(words);
        case "userfaultfd" -> userfaultfd = truth(words);
        case "qemu" -> qemu = Optional.of(words.length > 1 && words[1].equals("yes"));
        default -> {
          // A message of the login on the host.
        }
      }
    }
    List<HostFacts.Device> devices =
        ports.stream()
            .filter(words -> words.length == 4)
            .map(words ->
                new HostFacts.Device(
                    words[1],
                    words[2].equals("4"),
                    words[3],
                    addresses.getOrDefault(words[3], List.of())))
            .toList();
    return new HostFacts(devices, lockable, qemu, userfaultfd);
  }

  private static Optional<Boolean> truth(String[] words) {
    return words.length == 2 && words[1].matches("[01]")
        ? Optional.of(words[1].equals("1"))
        : Optional.empty();
  }

  private static OptionalLong kibibytes(String[] words) {
    return words.length == 2 && words[1].matches("\\d{1,15}")
        ? OptionalLong.of(Long.parseLong(words[1]) << 10)
        : OptionalLong.empty();
  }
}
