// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.guest.GuestException;
import org.wridscope.process.SharedRange;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.RunState;
import org.wridscope.stream.BlockListing;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/** Refuses QEMUs whose guest cannot be migrated in this way, and says why. */
final class QemuChecks {
  /** Devices that write into RAM past QEMU, in the tree of devices or of the network. */
  private static final Pattern PAST_QEMU =
      Pattern.compile(
          "dev: (vfio-[\\w-]+|vhost-user-[\\w-]+|vhost-vdpa-[\\w-]+|x-pci-proxy-dev)\\b|type=(vhost-user|vhost-vdpa)\\b");

  private static final Pattern DISCARDING = Pattern.compile("dev: virtio-(balloon|mem)\\b[\\w-]*");

  /** A line of {@code info ramblock}: name, page size, offset, used and total length. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "\\s*(\\S.*?)\\s+\\d+ [KMG]iB\\s+0x[0-9a-f]+\\s+0x[0-9a-f]+\\s+0x([0-9a-f]{1,16})\\b.*");

  private static final Pattern KERNEL = Pattern.compile("(\\d{1,5})\\.(\\d{1,5}).*");

  /** File systems whose pages a device may write to for long. */
  private static final Set<String> PINNABLE = Set.of("tmpfs", "hugetlbfs", "ramfs", "devtmpfs");

  /** Since this kernel others are refused: {@code writable_file_mapping_allowed}, mm/gup.c. */
  private static final int PINNING_MAJOR = 6;

  private static final int PINNING_MINOR = 5;

  private final QemuProcess process;
  private final QemuMonitor monitor;

  QemuChecks(QemuProcess process, QemuMonitor monitor) {
    this.process = process;
    this.monitor = monitor;
  }

  /**
   * Checks a QEMU whose guest is to leave.
   *
   * @return what the guest does
   */
  RunState requireSource() throws IOException {
    RunState state = Ask.query(monitor::status);
    switch (state.status()) {
      case "inmigrate" ->
          throw new GuestException(
              process + " has no guest: it waits for one itself; name it at the destination.");
      case "postmigrate" ->
          throw new GuestException(
              "The guest of %s was migrated before; if it is to run here again, send cont first."
                  .formatted(process));
      default -> {}
    }
    requireNoMigration();
    requireNothingPastQemu();
    return state;
  }

  /** Checks a QEMU that is to receive a guest. */
  void requireDestination() throws IOException {
    RunState state = Ask.query(monitor::status);
    List<String> arguments = process.arguments();
    int incoming = arguments.indexOf("-incoming");
    boolean deferred =
        incoming < 0
            || incoming + 1 >= arguments.size()
            || arguments.get(incoming + 1).equals("defer");
    if (!state.status().equals("inmigrate") || !deferred) {
      throw new GuestException(
          "%s does not wait for a guest that Wridscope brings (its state is %s); start it with -incoming defer."
              .formatted(process, state.status()));
    }
    requireNoMigration();
    requireNothingPastQemu();
  }

  private void requireNoMigration() throws IOException {
    MigrationInfo migration = Ask.query(monitor::migration);
    if (migration.isInProgress()) {
      throw new GuestException(
          "%s migrates already (%s); wait for its end or send migrate_cancel."
              .formatted(process, migration.status()));
    }
  }

  /**
   * A device that is assigned to the guest, or a program that serves one, writes to RAM without
   * QEMU's page tables, so that no dirty log of this process sees it.
   */
  private void requireNothingPastQemu() throws IOException {
    for (String question : List.of("info qtree", "info network")) {
      Matcher device = PAST_QEMU.matcher(Ask.query(() -> monitor.humanMonitor(question)));
      if (device.find()) {
        throw pastQemu(device.group(1) == null ? device.group(2) : device.group(1));
      }
    }
    for (String file : process.descriptors()) {
      if (file.startsWith("/dev/vfio/") || file.startsWith("/dev/vhost-vdpa")) {
        throw pastQemu(file);
      }
    }
  }

  /**
   * Whether the guest has a device through which QEMU discards RAM. What it writes to such a page
   * later is in another physical page than the one that a device has pinned.
   */
  static boolean discardsRam(QemuMonitor monitor) throws IOException {
    return DISCARDING.matcher(Ask.query(() -> monitor.humanMonitor("info qtree"))).find();
  }

  private GuestException pastQemu(String device) {
    return new GuestException(
        "%s has the device %s, which writes to RAM past QEMU, so its writes cannot be followed; unplug it (device_del) or use one that QEMU serves, such as virtio."
            .formatted(process, device));
  }

  /** Checks that a destination has the RAM blocks of a source, before any of it arrives. */
  void requireBlocks(List<BlockListing> theirs) throws IOException {
    List<Matcher> ours =
        Ask.query(() -> monitor.humanMonitor("info ramblock"))
            .lines()
            .map(BLOCK::matcher)
            .filter(Matcher::matches)
            .toList();
    if (ours.isEmpty()) {
      // Another version prints something else; QEMU itself checks when it loads the guest.
      return;
    }
    for (BlockListing listing : theirs) {
      Matcher block =
          ours.stream()
              .filter(line -> line.group(1).equals(listing.name()))
              .findFirst()
              .orElseThrow(() ->
                  new GuestException(
                      "The source has a RAM block %s, which %s has not; start it with the same machine and devices, and the same ids of memory back ends."
                          .formatted(listing.name(), process)));
      long total = Long.parseUnsignedLong(block.group(2), 16);
      if (Long.compareUnsigned(listing.length(), total) > 0) {
        throw new GuestException(
            "The source has %s in the RAM block %s, and %s has %s; start it with the same RAM."
                .formatted(
                    Format.exactBytes(listing.length()),
                    listing.name(),
                    process,
                    Format.exactBytes(total)));
      }
    }
  }

  /** Checks that the guest is for the machine that waits. */
  void requireMachine(String theirs) throws IOException {
    var question = new JsonObject();
    question.addProperty("path", "/machine");
    question.addProperty("property", "type");
    JsonElement type = Ask.query(() -> monitor.qmp().execute("qom-get", question));
    String ours =
        type instanceof JsonPrimitive name
            ? Legible.of(name.getAsString()).replaceFirst("-machine$", "")
            : "";
    if (!ours.equals(theirs)) {
      throw new GuestException(
          "The machine type is %s at the source and %s in %s; start it with -machine %s."
              .formatted(theirs, ours, process, theirs));
    }
  }

  /** Checks that a device can write to the RAM of a destination. */
  static void requirePinnable(List<SharedRange> ranges) throws GuestException {
    if (!isAtLeast(System.getProperty("os.version", ""), PINNING_MAJOR, PINNING_MINOR)) {
      return;
    }
    for (SharedRange range : ranges) {
      String type = fileSystem(range);
      if (!PINNABLE.contains(type)) {
        throw new GuestException(
            "The RAM is in a file on %s (%s), where Linux lets no RDMA device write; put it into /dev/shm or on hugetlbfs."
                .formatted(type, range.name()));
      }
    }
  }

  /** The type of the file system that a mapped file is on. */
  private static String fileSystem(SharedRange range) {
    String name = range.name().replaceFirst(" \\(deleted\\)$", "");
    if (name.startsWith("/memfd:")) {
      return "tmpfs";
    }
    for (Path at = Path.of(name); at != null; at = at.getParent()) {
      try {
        return Files.getFileStore(at).type();
      } catch (IOException e) {
        // It was deleted; its directory is on the same file system.
      }
    }
    return "an unknown file system";
  }

  static boolean isAtLeast(String kernel, int wantedMajor, int wantedMinor) {
    Matcher numbers = KERNEL.matcher(kernel);
    if (!numbers.matches()) {
      return false;
    }
    int major = Integer.parseInt(numbers.group(1));
    return major > wantedMajor
        || (major == wantedMajor && Integer.parseInt(numbers.group(2)) >= wantedMinor);
  }
}
