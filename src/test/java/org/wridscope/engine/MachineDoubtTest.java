// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.account.Account;
import org.wridscope.guest.RunningMachine;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.RecordingGuards;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.ScriptedQemu;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.protocol.ControlType;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** A destination that may have started the guest of a QEMU, and is gone. */
final class MachineDoubtTest {
  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  /** A source and its scripted destination, with the QEMU of the guest. */
  private final class Migration implements AutoCloseable {
    final RecordingGuards guards = new RecordingGuards();
    final Rig rig = new Rig(Rig.NO_INQUIRY);
    final ScriptedQemu qemu;
    final MigrationParameters parameters;
    final Map<String, Boolean> capabilities;
    final BlockGuest copy =
        new BlockGuest(
            BlockGuest.MACHINE,
            BlockGuest.DEVICE,
            List.of("ram0", "vga.vram"),
            ScriptedQemu.RAM,
            ScriptedQemu.OWN);

    Migration(String name, boolean sharedQueue) throws IOException {
      parameters =
          new MigrationParameters(
              Settings.USUAL
                  .with(
                      MigrationSetting.COMPLETION_QUEUES,
                      sharedQueue ? CompletionQueues.SHARED : CompletionQueues.SPLIT)
                  .with(MigrationSetting.TIMEOUT, Rig.END));
      if (sharedQueue) {
        // So that each SEND of the source completes before its answer, which would be dropped.
        rig.destinationDevice.setFaultPlan((_, _, _, _) -> new Fault.Delay(20_000_000));
      }
      qemu = new ScriptedQemu(Files.createDirectory(folder.resolve(name)));
      capabilities = new TreeMap<>(qemu.capabilities);
    }

    SourceSession run(ScriptedDestination destination) throws Exception {
      SourceSession source = run(destination, rig.sourceDevice, UnaryOperator.identity());
      Rig.assertEnded(source);
      return source;
    }

    /**
     * With any device and guest.
     *
     * @param guest gives the source what it takes for the QEMU
     */
    SourceSession run(
        ScriptedDestination destination, RdmaDevice device, UnaryOperator<RunningMachine> guest)
        throws Exception {
      try (var leaving =
          RunningQemu.of(qemu.address(), DirtyLogChoice.COMPARE, Throttle.OFF, guards)) {
        var source =
            new SourceSession(
                device,
                rig.address(),
                guest.apply(leaving),
                parameters,
                new SessionTelemetry(Role.SOURCE, false, Account::new),
                Rig.NO_INQUIRY);
        Thread here = rig.start(source);
        destination.run();
        // So that it cannot be asked.
        rig.listener().close();
        assertThat(Time.join(here, Rig.END.toNanos())).isTrue();
        return source;
      }
    }

    /** A destination without acknowledgements. */
    ScriptedDestination stock() {
      return new ScriptedDestination(rig, copy, false, Tamper.NONE);
    }

    void assertPausedInDoubt(SourceSession source) {
      assertThat(source.telemetry().status())
          .as(source.outcome())
          .isEqualTo(MigrationStatus.UNDECIDED);
      assertThat(source.outcome())
          .contains("It is unknown whether the destination started the guest");
      assertThat(source.custody()).isEqualTo(Custody.IN_DOUBT);
      assertThat(guards.notes).contains("handing over").doesNotContain("taken back");
      assertThat(qemu.running).isFalse();
      assertThat(qemu.status).isEqualTo("postmigrate");
      assertThat(qemu.capabilities).isEqualTo(capabilities);
    }

    void assertGoesOn(SourceSession source) {
      assertThat(source.telemetry().status())
          .as(source.outcome())
          .isEqualTo(MigrationStatus.FAILED);
      assertThat(source.custody()).isEqualTo(Custody.HERE);
      assertThat(guards.notes).contains("taken back");
      assertThat(qemu.running).isTrue();
    }

    @Override
    public void close() throws IOException {
      copy.close();
      rig.close();
      qemu.close();
    }
  }

  @Test
  void destinationThatLeaves_whenItIsToldToStartTheGuest() throws Exception {
    try (var migration = new Migration("qemu", false)) {
      migration.assertPausedInDoubt(
          migration.run(
              new ScriptedDestination(migration.rig, migration.copy, true, Tamper.NONE)
                  .leavingAt(ControlType.SWITCH_OVER)));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cableThatIsCut_atTheLastMessageToAPeerWithoutAcknowledgements(boolean sharedQueue)
      throws Exception {
    long requests;
    try (var whole = new Migration("whole", sharedQueue)) {
      requests = requests(whole);
    }
    try (var migration = new Migration("cut", sharedQueue)) {
      migration.rig.sourceDevice.setFaultPlan(FaultPlan.at(requests - 1, Fault.CUT));
      migration.assertPausedInDoubt(migration.run(migration.stock()));
    }
  }

  /** QEMU starts a guest that has come up to its EOF, also if the description is lost after it. */
  @ParameterizedTest
  @CsvSource({"1000, 70000, true", "40000, 1000, false"})
  void cableThatIsCut_atTheLastMessageButOne(int states, int description, boolean complete)
      throws Exception {
    long requests;
    try (var whole = new Migration("whole", false)) {
      whole.qemu.describe(states, description);
      requests = requests(whole);
    }
    try (var migration = new Migration("cut", false)) {
      migration.qemu.describe(states, description);
      migration.rig.sourceDevice.setFaultPlan(FaultPlan.at(requests - 2, Fault.CUT));
      SourceSession source = migration.run(migration.stock());
      if (complete) {
        migration.assertPausedInDoubt(source);
      } else {
        migration.assertGoesOn(source);
      }
    }
  }

  /** Requests that a source posts in a migration that succeeds. */
  private static long requests(Migration migration) throws Exception {
    SourceSession source = migration.run(migration.stock());
    Rig.assertCompleted(source);
    Metrics metrics = source.telemetry().metrics();
    return metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
  }

  /** A method of the device that throws what it never should. */
  record Defect(String method, Throwable thrown) {
    static Stream<Defect> all() {
      return Stream.of(
          new Defect("CompletionQueue.poll", new IllegalStateException("a defect")),
          new Defect("CompletionQueue.poll", new LinkageError("a defect")),
          new Defect("QueuePair.postSend", new IllegalStateException("a defect")),
          new Defect("QueuePair.postSend", new LinkageError("a defect")));
    }
  }

  @ParameterizedTest
  @MethodSource("org.wridscope.engine.MachineDoubtTest$Defect#all")
  void anythingThatIsThrown_afterTheLastMessageToAPeerWithoutAcknowledgements(Defect defect)
      throws Exception {
    int posts;
    try (var whole = new Migration("whole", false)) {
      var counting = new DefectiveDevice((_, _) -> null);
      Rig.assertCompleted(
          whole.run(whole.stock(), counting.of(whole.rig.sourceDevice), UnaryOperator.identity()));
      posts = Objects.requireNonNull(counting.calls().get("QueuePair.postSend")).get();
    }
    try (var migration = new Migration("defect", false)) {
      var posted = new AtomicInteger();
      var thrown = new AtomicBoolean();
      var defective =
          new DefectiveDevice(
              (_, _) -> null,
              method -> {
                if (method.equals("QueuePair.postSend")) {
                  posted.incrementAndGet();
                }
                if (posted.get() == posts
                    && method.equals(defect.method)
                    && thrown.compareAndSet(false, true)) {
                  rethrow(defect.thrown);
                }
              });
      migration.assertPausedInDoubt(
          migration.run(
              migration.stock(),
              defective.of(migration.rig.sourceDevice),
              UnaryOperator.identity()));
      assertThat(thrown).isTrue();
    }
  }

  @Test
  void aDigestThatCannotBegin_afterTheLastMessageToAPeerWithoutAcknowledgements() throws Exception {
    try (var migration = new Migration("qemu", false)) {
      migration.assertPausedInDoubt(
          migration.run(
              migration.stock(),
              migration.rig.sourceDevice,
              machine ->
                  (RunningMachine)
                      Proxy.newProxyInstance(
                          MachineDoubtTest.class.getClassLoader(),
                          new Class<?>[] {RunningMachine.class},
                          (_, method, arguments) -> {
                            if (method.getName().equals("beginDigest")) {
                              throw new OutOfMemoryError("a defect");
                            }
                            return call(machine, method, arguments);
                          })));
    }
  }

  private static Object call(RunningMachine machine, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(machine, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void rethrow(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }
}
