// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.Proxy;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;

/**
 * One migration with one injected fault. An end that gets a signal is in its own process; all other
 * ends are in this process.
 */
final class Run {
  /** Longer than an end may take to end after a fault; the longest wait for a peer is 60 s. */
  static final long PATIENCE_SECONDS = 150;

  /** How long a process may take to end after the other end, when it is not the victim. */
  private static final long GRACE_SECONDS = 30;

  /** Time for a posted message to leave, before a fault that comes after it. */
  private static final Duration LEAVING = Duration.ofMillis(20);

  /** Between two readings of the clock while a session runs. */
  private static final Duration SLICE = Duration.ofMillis(100);

  private final Cell cell;

  /** The time of the fault, 0 before. */
  private final AtomicLong happened = new AtomicLong();

  private final List<Long> millis = new ArrayList<>();

  private Run(Cell cell) {
    this.cell = cell;
  }

  static Result of(Cell cell) {
    var run = new Run(cell);
    try {
      return cell.act().isSignal() ? run.inTwoProcesses() : run.inThisProcess();
    } catch (Exception e) {
      return new Result(cell, RunOutcome.ERROR, false, false, List.of(), String.valueOf(e));
    }
  }

  /** The messages of a migration without a fault. */
  static List<Step> rehearse(Setting setting) throws Exception {
    var steps = new ArrayList<Step>();
    var run =
        new Run(new Cell(setting, new Step(Role.SOURCE, ControlType.NONE, 0), true, Act.CUT, null));
    try (var ends = new Ends(run);
        Participant destination = ends.destination(setting.uri());
        Participant source = ends.source(destination.uri())) {
      if (!source.await(Duration.ofSeconds(PATIENCE_SECONDS))
          || !destination.await(Duration.ofSeconds(PATIENCE_SECONDS))
          || source.end().ram() != End.Ram.EQUAL) {
        throw new IOException("a migration without a fault failed: " + source.end());
      }
      for (Participant end : List.of(source, destination)) {
        List<ControlType> posted = end.trap().posted();
        for (int i = 0; i < posted.size(); i++) {
          ControlType type = posted.get(i);
          int occurrence = (int) posted.subList(0, i + 1).stream().filter(type::equals).count();
          if (type != ControlType.HEARTBEAT) {
            steps.add(new Step(end.role(), type, occurrence));
          }
        }
      }
    }
    return steps;
  }

  /** Injects the fault; called by the thread that posts. */
  private void happen(Runnable what) {
    if (cell.after()) {
      try {
        Thread.sleep(LEAVING);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    happened.set(System.nanoTime());
    what.run();
  }

  private long sinceThen(long nanos) {
    // An end that needed nothing more may have ended before the fault.
    return Math.max(0, nanos - happened.get()) / 1_000_000;
  }

  /** When a session ended; 0 when it did not end in time. */
  private CompletableFuture<Long> endOf(Participant end) {
    return endOf(end, () -> false);
  }

  /**
   * When a session ended; 0 when it did not end in time.
   *
   * @param inVain whether waiting is pointless as long as there was no fault
   */
  private CompletableFuture<Long> endOf(Participant end, BooleanSupplier inVain) {
    var ended = new CompletableFuture<Long>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            ended.complete(awaitEnd(end, inVain));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    return ended;
  }

  private long awaitEnd(Participant end, BooleanSupplier inVain) throws InterruptedException {
    long patience = Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
    long begin = System.nanoTime();
    while (!end.await(SLICE)) {
      long now = System.nanoTime();
      long since = happened.get();
      // A process may take minutes to start on an emulated machine.
      if (since == 0
          ? inVain.getAsBoolean() || now - begin > 4 * patience
          : now - since > patience) {
        return 0;
      }
    }
    return System.nanoTime();
  }

  // ------------------------------------------------------------------------- in this process

  /** The ends in this process, their devices, and the proxy between them. */
  private static final class Ends implements AutoCloseable {
    private final Run run;
    private final Setting setting;
    private final SoftFabric fabric = new SoftFabric();
    private final List<WatchedDevice> devices = new ArrayList<>();
    private @Nullable SoftDevice victim;
    private @Nullable Proxy proxy;

    Ends(Run run) {
      this.run = run;
      setting = run.cell.setting();
    }

    Participant destination(String uri) throws Exception {
      Trap trap = trap(Role.DESTINATION);
      return Participant.destination(() -> open(Role.DESTINATION, trap), trap, uri);
    }

    Participant source(String uri) throws Exception {
      Trap trap = trap(Role.SOURCE);
      return Participant.source(() -> open(Role.SOURCE, trap), trap, onTheWay(uri));
    }

    private String onTheWay(String uri) throws IOException {
      if (setting != Setting.TCP) {
        return uri;
      }
      var made = new Proxy(Setting.address(uri));
      proxy = made;
      return "rdma:127.0.0.1:" + made.address().getPort();
    }

    private RdmaDevice open(Role role, Trap trap) throws VerbsException {
      WatchedDevice device;
      if (setting == Setting.LAB) {
        SoftDevice soft = fabric.open(Step.text(role));
        if (role == run.cell.victim() || run.cell.victim() == null) {
          victim = soft;
        }
        device = new WatchedDevice(soft, trap);
      } else {
        device = new WatchedDevice(setting.open(), trap);
      }
      devices.add(device);
      return device.device();
    }

    private Trap trap(Role role) {
      Step step = run.cell.step();
      return role == step.sender()
          ? Trap.at(step, run.cell.after(), () -> run.happen(this::act))
          : Trap.none();
    }

    private void act() {
      try {
        switch (run.cell.act()) {
          case CUT -> cut();
          case STALL -> stall();
          case DELAY -> delay();
          default -> throw new IllegalStateException("a signal cannot be sent to this process");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void cut() throws IOException {
      if (proxy != null) {
        proxy.breakDown(Proxy.Breakdown.CLOSE);
      } else if (victim != null) {
        victim.cutAll();
      } else {
        for (WatchedDevice device : devices) {
          device.tear();
        }
      }
    }

    private void stall() {
      if (proxy != null) {
        proxy.breakDown(Proxy.Breakdown.FALL_SILENT);
      } else {
        devices.forEach(WatchedDevice::fallSilent);
      }
    }

    private void delay() {
      var first = new AtomicBoolean(true);
      long nanos = Duration.ofSeconds(Act.SECONDS).toNanos();
      if (victim != null) {
        victim.setFaultPlan(
            (_, _, _, _) -> first.getAndSet(false) ? new Fault.Delay(nanos) : Fault.PROCEED);
      }
    }

    @Override
    public void close() throws IOException {
      if (victim != null) {
        victim.setFaultPlan(FaultPlan.NONE);
      }
      if (proxy != null) {
        proxy.close();
      }
    }
  }

  private Result inThisProcess() throws Exception {
    try (var ends = new Ends(this);
        Participant destination = ends.destination(cell.setting().uri());
        Participant source = ends.source(destination.uri())) {
      CompletableFuture<Long> here = endOf(source);
      CompletableFuture<Long> there = endOf(destination);
      if (here.get() == 0 || there.get() == 0) {
        return hangs("%s / %s".formatted(source.end(), destination.end()));
      }
      if (happened.get() == 0) {
        return new Result(cell, RunOutcome.NOT_REACHED, false, false, List.of(), "");
      }
      if (cell.victim() != Role.SOURCE) {
        millis.add(sinceThen(here.get()));
      }
      if (cell.victim() != Role.DESTINATION) {
        millis.add(sinceThen(there.get()));
      }
      End sourceEnd = source.end();
      End destinationEnd = destination.end();
      return Result.of(
          cell,
          RunOutcome.of(
              sourceEnd,
              destinationEnd,
              source.hasPosted(ControlType.SWITCH_OVER),
              destination.hasPosted(ControlType.RUNNING)),
          sourceEnd,
          destinationEnd,
          millis);
    }
  }

  private Result hangs(String note) {
    return new Result(cell, RunOutcome.HANGS, false, false, List.of(), note);
  }

  // ----------------------------------------------------------------------- in two processes

  private Result inTwoProcesses() throws Exception {
    Role victim = Objects.requireNonNull(cell.victim());
    return victim == Role.DESTINATION ? withDestination() : withSource();
  }

  private String victimsTrap(Role victim) {
    return victim == cell.step().sender() ? cell.step().argument(cell.after()) : Victim.NO_TRAP;
  }

  private Trap survivorsTrap(Role survivor, CompletableFuture<VictimProcess> victim) {
    return survivor == cell.step().sender()
        ? Trap.at(cell.step(), cell.after(), () -> happen(() -> signal(victim.join())))
        : Trap.none();
  }

  private Result withDestination() throws Exception {
    var self = new CompletableFuture<VictimProcess>();
    try (var victim = startVictim(self, Role.DESTINATION, cell.setting().uri())) {
      Trap trap = survivorsTrap(Role.SOURCE, self);
      try (Participant source =
          Participant.source(
              () -> new WatchedDevice(cell.setting().open(), trap).device(), trap, victim.uri())) {
        return judge(source, victim);
      }
    }
  }

  private Result withSource() throws Exception {
    var self = new CompletableFuture<VictimProcess>();
    Trap trap = survivorsTrap(Role.DESTINATION, self);
    try (Participant destination =
            Participant.destination(
                () -> new WatchedDevice(cell.setting().open(), trap).device(),
                trap,
                cell.setting().uri());
        var victim = startVictim(self, Role.SOURCE, destination.uri())) {
      return judge(destination, victim);
    }
  }

  private VictimProcess startVictim(CompletableFuture<VictimProcess> self, Role role, String uri)
      throws IOException {
    var victim =
        new VictimProcess(
            cell.setting(),
            role,
            uri,
            victimsTrap(role),
            () ->
                happen(() -> {
                  signal(self.join());
                  self.join().release();
                }));
    self.complete(victim);
    return victim;
  }

  private void signal(VictimProcess victim) {
    victim.signal(cell.act().name());
    if (cell.act() == Act.STOP) {
      Thread.ofVirtual()
          .start(() -> {
            try {
              Thread.sleep(Duration.ofSeconds(Act.SECONDS));
              victim.signal("CONT");
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
  }

  private Result judge(Participant survivor, VictimProcess victim) throws Exception {
    long ended = endOf(survivor, victim::isLongGone).get();
    if (ended == 0) {
      return hangs("%s / %s".formatted(survivor.end(), victim.output()));
    }
    boolean gone =
        victim.await(GRACE_SECONDS) || (happened.get() != 0 && victim.await(PATIENCE_SECONDS));
    if (!gone && happened.get() != 0) {
      return hangs("the process did not end: " + victim.output());
    }
    if (happened.get() == 0) {
      // On an emulated processor a destination may start too late for its source, and then waits.
      return new Result(cell, RunOutcome.NOT_REACHED, false, false, List.of(), victim.output());
    }
    millis.add(sinceThen(ended));
    End its = victim.end();
    if (its == null && cell.act() != Act.KILL) {
      throw new IOException("the process did not report how its session ended: " + victim.output());
    }
    End mine = survivor.end();
    boolean source = survivor.role() == Role.SOURCE;
    return Result.of(
        cell,
        RunOutcome.of(
            source ? mine : its,
            source ? its : mine,
            source
                ? survivor.hasPosted(ControlType.SWITCH_OVER)
                : victim.hasPosted(ControlType.SWITCH_OVER),
            source
                ? victim.hasPosted(ControlType.RUNNING)
                : survivor.hasPosted(ControlType.RUNNING)),
        source ? mine : its,
        source ? its : mine,
        millis);
  }
}
