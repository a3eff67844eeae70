// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.MigrationUri;
import org.wridscope.guest.SavedFile;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.WriteTrackers;
import org.wridscope.qmp.QmpAddress;

/** Takes a machine without problems, breaks one thing at a time, and expects its result. */
final class DoctorTest {
  private static final long GIB = 1L << 30;
  private static final InetAddress ETH0 = InetAddress.ofLiteral("10.9.0.1");
  private static final InetAddress ETH0_V6 = InetAddress.ofLiteral("fd00:9::1");
  private static final InetAddress ETH1 = InetAddress.ofLiteral("192.168.7.5");

  @TempDir Path root;
  private FakeMachine machine;

  /** Everything that is not read from files. */
  private static final class FakeMachine implements Machine {
    private final Path root;
    private final Set<String> libraries =
        new HashSet<>(Set.of("libibverbs.so.1", "librdmacm.so.1"));
    private final Set<Path> refused = new HashSet<>();
    private final Map<String, List<InetAddress>> hosts = new HashMap<>();
    private final Map<InetAddress, InetAddress> routes = new HashMap<>();
    private final Map<WriteTrackers.Kind, String> obstacles = new HashMap<>();
    private boolean nativeAccess = true;
    private boolean disni = true;
    private @Nullable String foreignDispatcher;
    private OptionalLong sharedMemory = OptionalLong.of(8 * GIB);

    FakeMachine(Path root) {
      this.root = root;
    }

    @Override
    public Path root() {
      return root;
    }

    @Override
    public boolean mayReadAndWrite(Path file) {
      return !refused.contains(file);
    }

    @Override
    public OptionalLong freeBytes(Path directory) {
      assertThat(directory).isEqualTo(Path.of("/dev/shm"));
      return sharedMemory;
    }

    @Override
    public boolean hasLibrary(String name) {
      return libraries.contains(name);
    }

    @Override
    public boolean hasNativeAccess() {
      return nativeAccess;
    }

    @Override
    public Optional<String> dirtyLogObstacle(WriteTrackers.Kind kind) {
      return Optional.ofNullable(obstacles.get(kind));
    }

    @Override
    public boolean hasDisni() {
      return disni;
    }

    @Override
    public Optional<String> foreignDispatcher() {
      return Optional.ofNullable(foreignDispatcher);
    }

    @Override
    public Map<String, List<InetAddress>> addresses() {
      return Map.of(
          "lo", List.of(InetAddress.ofLiteral("127.0.0.1")),
          "eth0", List.of(ETH0, ETH0_V6),
          "eth1", List.of(ETH1));
    }

    @Override
    public List<Path> captureFolders() {
      return List.of(root);
    }

    @Override
    public Journals journals() {
      return new Journals(root.resolve("journal"));
    }

    @Override
    public List<InetAddress> resolve(String host) throws UnknownHostException {
      if (hosts.containsKey(host)) {
        return hosts.get(host);
      }
      try {
        return List.of(InetAddress.ofLiteral(host));
      } catch (IllegalArgumentException e) {
        throw new UnknownHostException(host);
      }
    }

    @Override
    public InetAddress localTowards(InetSocketAddress peer) throws IOException {
      InetAddress local = routes.get(peer.getAddress());
      if (local == null) {
        throw new NoRouteToHostException("Network is unreachable");
      }
      return local;
    }
  }

  @BeforeEach
  void allIsWell() throws IOException {
    machine = new FakeMachine(root);
    for (InetAddress own : List.of(ETH0, ETH0_V6, ETH1, InetAddress.ofLiteral("127.0.0.1"))) {
      machine.routes.put(own, own);
    }
    machine.routes.put(InetAddress.ofLiteral("10.9.0.2"), ETH0);
    machine.routes.put(InetAddress.ofLiteral("192.168.7.9"), ETH1);
    machine.routes.put(InetAddress.ofLiteral("fd00:9::2"), ETH0_V6);
    write("etc/libibverbs.d/rxe.driver", "driver rxe");
    write("sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0");
    port("rxe0", "4: ACTIVE", "Ethernet", "eth0");
    write("sys/class/misc/rdma_cm/dev", "10:58");
    write("dev/infiniband/rdma_cm", "");
    write("dev/infiniband/uverbs0", "");
    netInterface("lo", "772", "unknown");
    netInterface("eth0", "1", "up");
    memlock("unlimited");
  }

  private void port(String device, String state, String linkLayer, String netdev)
      throws IOException {
    String directory = "sys/class/infiniband/%s/ports/1/".formatted(device);
    write(directory + "state", state + "\n");
    write(directory + "link_layer", linkLayer + "\n");
    write(directory + "gid_attrs/ndevs/0", netdev + "\n");
  }

  private void netInterface(String name, String type, String state) throws IOException {
    write("sys/class/net/%s/type".formatted(name), type + "\n");
    write("sys/class/net/%s/operstate".formatted(name), state + "\n");
  }

  private void memlock(String limit) throws IOException {
    write(
        "proc/self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max locked memory         %s              unlimited            bytes
        """
            .formatted(limit));
  }

  private void write(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void remove(String name) throws IOException {
    try (var files = Files.walk(root.resolve(name))) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  private CheckResult find(String check) {
    return find(check, null);
  }

  private CheckResult find(String check, @Nullable String uri) {
    var question = new Question(2 * GIB, uri == null ? null : MigrationUri.parse(uri));
    return Doctor.examine(machine, question).stream()
        .filter(result -> result.check().equals(check))
        .findFirst()
        .orElseThrow();
  }

  private static void assertFailure(CheckResult result, String sentence, String mend) {
    assertThat(result.level()).isEqualTo(Level.FAILURE);
    assertThat(result.sentence()).contains(sentence).endsWith(".");
    assertThat(result.remedy()).isNotEmpty().endsWith(".");
    assertThat(result.remedy() + "\n" + result.command()).contains(mend);
  }

  @Test
  void aMachineOnWhichAllIsWell_hasNothingToMend() {
    List<CheckResult> results = Doctor.examine(machine, new Question(2 * GIB, null));
    assertThat(results)
        .allSatisfy(result -> {
          assertThat(result.level()).as(result.sentence()).isIn(Level.OK, Level.NOTE);
          assertThat(result.remedy()).isEmpty();
          assertThat(result.command()).isEmpty();
          assertThat(result.sentence()).endsWith(".");
        });
    assertThat(results).extracting(CheckResult::check).doesNotHaveDuplicates();
    assertThat(Doctor.worst(results)).isEqualTo(Level.NOTE);
    assertThat(Doctor.worst(List.of())).isEqualTo(Level.OK);
  }

  @Test
  void aBareMachine_fails() {
    List<CheckResult> results = Doctor.examine(new BareMachine(), new Question(GIB, null));
    assertThat(Doctor.worst(results)).isEqualTo(Level.FAILURE);
  }

  @Test
  void nativeAccess_notGiven_isAWarning() {
    machine.nativeAccess = false;
    assertThat(find("native access").level()).isEqualTo(Level.WARNING);
    assertThat(find("native access").command()).isEqualTo("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void dirtyLog_isTheFirstThatTheKernelHas_andItIsSaidWhatIsMissing() {
    assertThat(find("dirty log").level()).isEqualTo(Level.OK);
    assertThat(find("dirty log").sentence())
        .isEqualTo("The pages that a QEMU's guest writes are found by userfaultfd.");
    machine.obstacles.put(WriteTrackers.Kind.USERFAULTFD, "It is Linux 6.1.");
    assertThat(find("dirty log").level()).isEqualTo(Level.NOTE);
    assertThat(find("dirty log").sentence()).contains("by soft-dirty bits").endsWith(" 6.1.");
    machine.obstacles.put(WriteTrackers.Kind.SOFT_DIRTY, "It has no bits.");
    assertThat(find("dirty log").sentence())
        .contains("by comparing, which needs")
        .endsWith(". It is Linux 6.1. It has no bits.");
  }

  @Test
  void dispatcher_ofDisni_namesTheJar() {
    machine.foreignDispatcher = "file:/opt/disni-2.1.jar";
    assertFailure(find("DiSNI"), "file:/opt/disni-2.1.jar", "before DiSNI's");
    machine.disni = false;
    assertFailure(find("DiSNI"), "not on the class path", "./wridscope");
  }

  @Test
  void libraries_missing_namesThePackages() throws IOException {
    machine.libraries.remove("librdmacm.so.1");
    assertFailure(
        find("libraries"),
        "librdmacm.so.1 is missing",
        "apt-get install ibverbs-providers librdmacm1");
    machine.libraries.clear();
    assertFailure(
        find("libraries"),
        "libibverbs.so.1 and librdmacm.so.1 are missing",
        "apt-get install ibverbs-providers libibverbs1 librdmacm1");
  }

  @Test
  void libraries_withoutDrivers_namesThePackage() throws IOException {
    remove("etc/libibverbs.d");
    assertFailure(find("libraries"), "drivers", "apt-get install ibverbs-providers");
  }

  @Test
  void kernel_withoutRdma_namesTheModules() throws IOException {
    remove("sys/class/infiniband");
    assertFailure(find("kernel"), "no RDMA loaded", "modprobe -a ib_uverbs rdma_ucm");
    write("proc/sys/kernel/osrelease", "6.1.0-40-cloud-amd64\n");
    write("lib/modules/6.1.0-40-cloud-amd64/modules.dep", "kernel/net/tls/tls.ko:\n");
    assertFailure(
        find("kernel"),
        "6.1.0-40-cloud-amd64 has no rdma_rxe module",
        "apt-get install linux-image-$(dpkg --print-architecture)");
    write(
        "lib/modules/6.1.0-40-cloud-amd64/modules.dep",
        "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko.xz: kernel/...\n");
    assertFailure(find("kernel"), "no RDMA loaded", "modprobe -a ib_uverbs rdma_ucm");
  }

  @Test
  void kernel_withoutUverbs_namesTheModule() throws IOException {
    remove("sys/class/infiniband_verbs");
    assertFailure(find("kernel"), "ib_uverbs", "modprobe ib_uverbs");
  }

  @Test
  void devices_none_namesAnInterfaceOfThisMachine() throws IOException {
    remove("sys/class/infiniband/rxe0");
    netInterface("dummy0", "1", "down");
    assertFailure(
        find("devices"),
        "no RDMA device",
        "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0");
    netInterface("eth0", "1", "down");
    netInterface("wlp3s0", "1", "up");
    assertFailure(find("devices"), "no RDMA device", "netdev wlp3s0");
    remove("sys/class/net");
    assertFailure(find("devices"), "no RDMA device", "this machine has none");
    assertThat(find("ports").level()).isEqualTo(Level.NOTE);
  }

  @Test
  void connectionManager_notLoaded_namesTheModule() throws IOException {
    remove("sys/class/misc/rdma_cm");
    assertFailure(find("connection manager"), "rdma_ucm is not loaded", "modprobe rdma_ucm");
  }

  @Test
  void permissions_refused_namesTheFiles() {
    machine.refused.add(root.resolve("dev/infiniband/uverbs0"));
    assertFailure(
        find("permissions"), "/dev/infiniband/uverbs0.", "chmod a+rw /dev/infiniband/uverbs0");
    machine.refused.add(root.resolve("dev/infiniband/rdma_cm"));
    assertFailure(
        find("permissions"),
        "/dev/infiniband/rdma_cm, /dev/infiniband/uverbs0.",
        "chmod a+rw /dev/infiniband/rdma_cm /dev/infiniband/uverbs0");
  }

  @Test
  void permissions_ofOtherFiles_doNotMatter() throws IOException {
    write("dev/infiniband/issm0", "");
    machine.refused.add(root.resolve("dev/infiniband/issm0"));
    assertThat(find("permissions").level()).isEqualTo(Level.OK);
  }

  @Test
  void ports_down_areAFailureAndAWarningBesideAnActiveOne() throws IOException {
    port("rxe0", "1: DOWN", "Ethernet", "eth0");
    assertFailure(find("ports"), "rxe0 port 1 is DOWN", "ip link set eth0 up");
    port("mlx5_0", "4: ACTIVE", "InfiniBand", "");
    assertThat(find("ports").level()).isEqualTo(Level.WARNING);
    assertThat(find("ports").command()).isEqualTo("ip link set eth0 up");
  }

  @Test
  void ports_ofInfiniBandThatInitialise_wantASubnetManager() throws IOException {
    remove("sys/class/infiniband/rxe0");
    port("mlx5_0", "2: INIT", "InfiniBand", "");
    assertFailure(find("ports"), "mlx5_0 port 1 is INIT", "subnet manager");
  }

  @ParameterizedTest
  @CsvSource({
    "8388608, FAILURE, This process may register only 8.00 MiB of memory; a guest with 2.00 GiB of"
        + " RAM needs more.",
    "2147483648, FAILURE, only 2.00 GiB",
    "4294967296, OK, enough",
    "unlimited, OK, no limit"
  })
  void lockedMemory_isComparedWithTheGuestsRam(String limit, Level level, String sentence)
      throws IOException {
    memlock(limit);
    CheckResult result = find("locked memory");
    assertThat(result.level()).isEqualTo(level);
    assertThat(result.sentence()).contains(sentence);
    assertThat(result.command()).isEqualTo(level == Level.OK ? "" : "ulimit -l unlimited");
  }

  @ParameterizedTest
  @CsvSource({"000001ffffffffff, OK", "0000000000004000, OK", "0000000000003fff, FAILURE"})
  void lockedMemory_withCapIpcLock_hasNoLimit(String capabilities, Level level) throws IOException {
    memlock("65536");
    write("proc/self/status", "Name:\tjava\nCapEff:\t%s\nSeccomp:\t0\n".formatted(capabilities));
    assertThat(find("locked memory").level()).isEqualTo(level);
  }

  @ParameterizedTest
  @CsvSource({
    "4194304, 8, max, OK, fits into 4.00 GiB (this machine)",
    "4194304, 3, max, OK, fits into 3.00 GiB (free in /dev/shm)",
    "4194304, 1, max, WARNING, does not fit into 1.00 GiB (free in /dev/shm)",
    "1048576, 8, max, WARNING, does not fit into 1.00 GiB (this machine)",
    "4194304, 8, 1073741824, WARNING, does not fit into 512 MiB (memory.max of the control group"
        + " /sys/fs/cgroup/vm)"
  })
  void freeMemory_isComparedWithTheGuestsRam(
      long available, long shared, String limit, Level level, String sentence) throws IOException {
    write("proc/meminfo", "MemAvailable: %d kB\nSwapFree: 0 kB".formatted(available));
    machine.sharedMemory = OptionalLong.of(shared * GIB);
    write("proc/self/cgroup", "0::/vm/guest");
    write("proc/self/mountinfo", "9 2 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    write("sys/fs/cgroup/vm/memory.max", limit);
    write("sys/fs/cgroup/vm/memory.current", String.valueOf(GIB / 2));
    CheckResult result = find("free memory");
    assertThat(result.level()).isEqualTo(level);
    assertThat(result.sentence()).contains(sentence);
  }

  @Test
  void freeMemory_thatNothingTells_isNotKnown() {
    machine.sharedMemory = OptionalLong.empty();
    assertThat(find("free memory").sentence()).contains("not known");
  }

  @ParameterizedTest
  @CsvSource({
    "rdma:10.9.0.1:0, OK, rxe0",
    "rdma:10.9.0.2:4444, OK, rxe0",
    "rdma:0.0.0.0:4444, OK, all devices",
    "'rdma:[fd00:9::2]:4444', WARNING, QEMU refuses",
    "rdma:127.0.0.1:4444, FAILURE, the interface lo",
    "rdma:192.168.7.9:4444, FAILURE, the interface eth1",
    "rdma:10.77.0.1:4444, FAILURE, no route to 10.77.0.1",
    "rdma:nowhere.invalid:4444, FAILURE, 'nowhere.invalid'"
  })
  void address_isOnADeviceOrNot(String uri, Level level, String sentence) {
    CheckResult result = find("address", uri);
    assertThat(result.level()).as(result.sentence()).isEqualTo(level);
    assertThat(result.sentence()).contains(sentence).endsWith(".");
    assertThat(result.remedy().isEmpty()).isEqualTo(level == Level.OK);
  }

  @Test
  void address_offTheDevices_isToldWhichAreOnOne() throws IOException {
    assertThat(find("address", "rdma:127.0.0.1:1").remedy()).contains("10.9.0.1");
    remove("sys/class/infiniband/rxe0");
    assertThat(find("address", "rdma:192.168.7.9:1").command())
        .isEqualTo("rdma link add rxe0 type rxe netdev eth1");
    assertThat(find("address", "rdma:127.0.0.1:1").command()).isEmpty();
  }

  @Test
  void address_ofAHostWithSeveral_isTheBest() {
    machine.hosts.put(
        "hostb", List.of(InetAddress.ofLiteral("192.168.7.9"), InetAddress.ofLiteral("10.9.0.2")));
    assertThat(find("address", "rdma:hostb:4444").level()).isEqualTo(Level.OK);
  }

  @Test
  void captures_leftUnfinished_areNamedWithWhatFinishesThem() throws IOException {
    Path cut = Files.write(root.resolve(".a.mig.part-01234567"), SavedFile.cut());
    CheckResult note = find("captures");
    assertThat(note.level()).isEqualTo(Level.NOTE);
    assertThat(note.sentence()).contains(cut.toString(), "not a whole guest", "may be deleted");
    Path whole = Files.write(root.resolve(".b c.mig.complete-89abcdef"), SavedFile.whole());
    CheckResult warning = find("captures");
    assertThat(warning.level()).isEqualTo(Level.WARNING);
    assertThat(warning.sentence()).contains(cut.toString(), whole + " holds the whole guest");
    assertThat(warning.command()).isEqualTo("./wridscope recover '%s'".formatted(whole));
  }

  @Test
  void qemuThatWasLeftChanged_isNamedWithWhatPutsItRight() throws IOException {
    assertThat(find("changed QEMUs").level()).isEqualTo(Level.OK);
    JournalEntry left =
        JournalEntry.first(
            JournalEntry.Role.SOURCE,
            Journals.boot(),
            GuardedQemu.of(ProcessHandle.current().pid(), QmpAddress.parse("unix:/run/a b")),
            List.of(),
            GuardedSettings.NONE);
    Path file = machine.journals().begin(left).file();
    CheckResult warning = find("changed QEMUs");
    assertThat(warning.level()).isEqualTo(Level.WARNING);
    assertThat(warning.command()).isEqualTo("./wridscope recover --qemu 'unix:/run/a b'");
    Files.writeString(file, "{}");
    assertThat(find("changed QEMUs").sentence()).contains(file.toString());
  }

  @Test
  void thisMachine_canBeExamined() {
    assertThat(
            Doctor.examine(
                new ThisMachine(), new Question(GIB, MigrationUri.parse("rdma:127.0.0.1:1"))))
        .allSatisfy(result -> assertThat(result.sentence()).isNotEmpty());
    assertThat(new ThisMachine().hasLibrary("libno-such-library.so.7")).isFalse();
    assertThat(new ThisMachine().addresses()).containsKey("lo");
    assertThat(new ThisMachine().hasDisni()).isTrue();
    assertThat(new ThisMachine().foreignDispatcher()).isEmpty();
  }
}
