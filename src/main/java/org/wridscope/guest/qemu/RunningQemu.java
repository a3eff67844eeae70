// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.Handover;
import org.wridscope.guest.RunningMachine;
import org.wridscope.guest.Tracking;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.MachineStreamReader;
import org.wridscope.stream.StreamEnvelope;

/**
 * The guest of a QEMU on this machine, taken while it runs. Its RAM is shared with this process;
 * QEMU itself saves the states of its devices, and the memory that it does not share, in a
 * migration to a socket of this process for which it stops its guest.
 */
public final class RunningQemu implements RunningMachine {
  private static final Logger LOG = LoggerFactory.getLogger(RunningQemu.class);

  /** Time limit for QEMU's greeting. */
  static final Duration CONNECT = Duration.ofSeconds(10);

  private final QmpAddress address;
  private final DirtyLogChoice choice;
  private final Throttle throttle;
  private final Guards guards;
  private final Patience patience;

  private @Nullable Attached attached;
  private @Nullable DirtyPagesLog log;
  private @Nullable QemuRam ram;
  private @Nullable DirtyLogSelection selection;
  private List<RamBlock> blocks = List.of();

  /** Pages that QEMU has sent, of blocks that it does not share. */
  private List<DirtyBitmap> arrived = List.of();

  /** Those of them that have changed since the last {@link #collect}. */
  private List<DirtyBitmap> changed = List.of();

  private byte @Nullable [] rest;
  private boolean throttled;
  private boolean closed;

  /** What is known of the QEMU since the connection to it. */
  private static final class Attached {
    final QemuProcess process;
    final boolean wasRunning;
    final RestoredSettings settings;
    final SourceGuard guard;
    final SavedState state;
    final Pauses pauses;
    Qmp qmp;
    MachineStreamReader.@Nullable Beginning beginning;

    boolean handedOver;

    /** Whether it is noted that the destination has the guest. */
    boolean known;

    boolean ended;

    /** Whether the guest ran when it was given back. */
    boolean runs;

    Attached(
        QemuProcess process,
        QemuMonitor monitor,
        boolean wasRunning,
        RestoredSettings settings,
        SourceGuard guard,
        Patience patience) {
      this.process = process;
      this.wasRunning = wasRunning;
      this.settings = settings;
      this.guard = guard;
      qmp = monitor.qmp();
      state = new SavedState(process, monitor, settings, guard, patience.sending());
      pauses = new Pauses(monitor, guard);
    }

    QemuMonitor monitor() {
      return new QemuMonitor(qmp);
    }
  }

  RunningQemu(
      QmpAddress address,
      DirtyLogChoice choice,
      Throttle throttle,
      Guards guards,
      Patience patience) {
    this.address = address;
    this.choice = choice;
    this.throttle = throttle;
    this.guards = guards;
    this.patience = patience;
  }

  /**
   * A QEMU that {@link #attach} connects to.
   *
   * @param guards put the QEMU right if this process ends before it can
   */
  public static RunningQemu of(
      QmpAddress address, DirtyLogChoice choice, Throttle throttle, Guards guards) {
    return new RunningQemu(address, choice, throttle, guards, Patience.DEFAULT);
  }

  /**
   * Checks that the guest can be taken, and disconnects again; changes nothing. Meanwhile a guard
   * starts.
   *
   * @throws GuestException if it cannot; the message says why, and what would make it possible
   */
  public void check() throws IOException {
    guards.ready(JournalEntry.Role.SOURCE);
    try {
      look(
          address,
          (process, monitor) -> {
            guards.check(process.identity());
            requireSource(process, monitor);
            RestoredSettings.warn(process, monitor);
          });
    } catch (IOException | RuntimeException | Error e) {
      guards.close();
      throw e;
    }
  }

  /** The same, over a connection that somebody has. */
  public static void check(QemuMonitor monitor) throws IOException {
    look(
        monitor,
        (process, _) -> {
          Journals.ofUser().requireNone(process.identity());
          requireSource(process, monitor);
        });
  }

  private static void requireSource(QemuProcess process, QemuMonitor monitor) throws IOException {
    var _ = new QemuChecks(process, monitor).requireSource();
  }

  /** Looks at a QEMU. */
  @FunctionalInterface
  interface Look {
    void at(QemuProcess process, QemuMonitor monitor) throws IOException;
  }

  /** Connects to a QEMU that shares its RAM for a short time. */
  static void look(QmpAddress address, Look look) throws IOException {
    Qmp qmp;
    try {
      qmp = Ask.query(() -> Qmp.connect(address, CONNECT));
    } catch (QmpException e) {
      throw new GuestException(String.valueOf(e.getMessage()), e);
    }
    try (qmp) {
      look(new QemuMonitor(qmp), look);
    }
  }

  /** Looks at a QEMU that shares its RAM. */
  static void look(QemuMonitor monitor, Look look) throws IOException {
    QemuProcess process = process(monitor.qmp().address());
    look.at(process, monitor);
    QemuRam.requireShared(process, monitor);
  }

  private Attached attached() {
    return Objects.requireNonNull(attached, "attach must be called first");
  }

  private DirtyPagesLog log() {
    return Objects.requireNonNull(log, "attach must be called first");
  }

  @Override
  public void attach(Checkpoint checkpoint) throws IOException {
    Qmp qmp = Ask.query(() -> Qmp.connect(address, CONNECT));
    try {
      attached = examine(qmp);
    } catch (IOException | RuntimeException | Error e) {
      qmp.close();
      throw e;
    }
    Attached qemu = attached();
    qemu.settings.apply();
    if (qemu.wasRunning) {
      // If all RAM has been sent before the migration is cancelled, QEMU stops the guest.
      qemu.pauses.stopping();
    }
    qemu.state.beginning(qemu.wasRunning, this::map, checkpoint);
    if (qemu.wasRunning) {
      qemu.pauses.resumed();
    }
    QemuRam shared = Objects.requireNonNull(ram);
    DirtyPagesLog opened = Objects.requireNonNull(selection).open(qemu.pauses);
    log = opened;
    blocks = blocks(shared, opened.memories());
    arrived = bitmaps(blocks);
    changed = bitmaps(blocks);
  }

  private void map(MachineStreamReader.Beginning beginning) throws IOException {
    Attached qemu = attached();
    qemu.beginning = beginning;
    QemuRam shared = QemuRam.of(qemu.process, qemu.monitor(), beginning.blocks());
    ram = shared;
    selection = DirtyLogSelection.prepare(choice, shared, qemu.monitor(), qemu.guard);
  }

  private static List<DirtyBitmap> bitmaps(List<RamBlock> blocks) {
    return blocks.stream().map(block -> new DirtyBitmap(block.pages())).toList();
  }

  private Attached examine(Qmp qmp) throws IOException {
    var monitor = new QemuMonitor(qmp);
    QemuProcess process = process(address);
    RunState state = new QemuChecks(process, monitor).requireSource();
    RestoredSettings settings = RestoredSettings.ofSource(monitor);
    SourceGuard guard = guards.guardSource(process.identity(monitor), settings.guarded(false));
    return new Attached(process, monitor, state.running(), settings, guard, patience);
  }

  /** The process that listens at an address. */
  static QemuProcess process(QmpAddress address) throws IOException {
    OptionalLong pid = new QemuDiscovery().pidOf(address);
    if (pid.isEmpty()) {
      throw new GuestException(
          "The process of the QEMU at %s was not found on this machine; its RAM can be shared only where it runs, as the same user or as root."
              .formatted(address));
    }
    return QemuProcess.of(pid.getAsLong(), address);
  }

  private static List<RamBlock> blocks(QemuRam ram, List<NativeMemory> shared) {
    var blocks = new ArrayList<RamBlock>();
    List<BlockListing> listings = ram.listings();
    for (int block = 0; block < listings.size(); block++) {
      int index = ram.shared().indexOf(block);
      blocks.add(
          new RamBlock(
              listings.get(block).name(), index < 0 ? ram.memory(block) : shared.get(index)));
    }
    return List.copyOf(blocks);
  }

  @Override
  public StreamEnvelope envelope() {
    return Objects.requireNonNull(attached().beginning, "attach must be called first").envelope();
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return blocks;
  }

  @Override
  public void track() throws IOException {
    log().start();
    throttled = true;
    attached().pauses.begin(throttle);
  }

  @Override
  public void collect(List<DirtyBitmap> into) throws IOException {
    QemuRam shared = Objects.requireNonNull(ram, "attach must be called first");
    log().take(shared.shared().stream().map(into::get).toList());
    for (int block = 0; block < changed.size(); block++) {
      move(changed.get(block), into.get(block));
    }
  }

  private static void move(DirtyBitmap from, DirtyBitmap to) {
    long pages = from.pages();
    for (long page = from.nextSet(0); page < pages; page = from.nextSet(page + 1)) {
      to.set(page);
    }
    from.clear(0, pages);
  }

  @Override
  public Optional<Tracking> tracking() {
    DirtyPagesLog opened = log;
    return opened == null ? Optional.empty() : opened.tracking();
  }

  @Override
  public void endTracking() {
    endThrottle();
    DirtyPagesLog opened = log;
    if (opened != null) {
      opened.end();
    }
  }

  private void endThrottle() {
    Attached qemu = attached;
    if (throttled && qemu != null) {
      throttled = false;
      qemu.pauses.close();
    }
  }

  @Override
  public void stop(Runnable stopped, Checkpoint checkpoint) throws IOException {
    endThrottle();
    Attached qemu = attached();
    RunState state = Ask.query(qemu.monitor()::status);
    // A guest that sleeps is woken by the migration.
    if (state.running() || state.status().equals("suspended")) {
      qemu.pauses.stopping();
    }
    SavedState.Rest saved = qemu.state.whole(stopped, this::page, checkpoint);
    requireSame(saved.beginning().blocks());
    requireComplete();
    rest = saved.bytes().toByteArray();
  }

  /** Takes a page of a block that QEMU does not share. */
  private void page(int block, long offset, MemorySegment content) throws IOException {
    QemuRam known = Objects.requireNonNull(ram);
    if (block >= blocks.size() || offset >= blocks.get(block).length()) {
      throw layoutChanged();
    }
    if (!known.isShared(block)) {
      MemorySegment page = known.memory(block).segment().asSlice(offset, RamBlock.PAGE_SIZE);
      long number = offset / RamBlock.PAGE_SIZE;
      arrived.get(block).set(number);
      // Most of them are zero, as what was sent before.
      if (page.mismatch(content) >= 0) {
        page.copyFrom(content);
        changed.get(block).set(number);
      }
    }
  }

  private void requireSame(List<BlockListing> now) throws GuestException {
    if (!now.equals(Objects.requireNonNull(ram).listings())) {
      throw layoutChanged();
    }
  }

  private GuestException layoutChanged() {
    return new GuestException(
        "The RAM blocks of %s changed during the migration, as they do when a device is plugged or unplugged; migrate again."
            .formatted(machine()));
  }

  /** What QEMU leaves out must be what is shared here. */
  private void requireComplete() throws GuestException {
    QemuRam known = Objects.requireNonNull(ram);
    for (int block = 0; block < blocks.size(); block++) {
      DirtyBitmap pages = arrived.get(block);
      if (!known.isShared(block) && pages.nextClear(0) < pages.pages()) {
        throw new GuestException(
            "%s left out %d pages of the RAM block %s, which is in no memory back end; migrate with QEMU itself."
                .formatted(machine(), pages.pages() - pages.count(), blocks.get(block).name()));
      }
    }
  }

  @Override
  public byte[] rest() {
    return Objects.requireNonNull(rest, "stop must be called first");
  }

  @Override
  public void handOver(Handover handover) throws IOException {
    Attached qemu = attached();
    // First: the guard or the journal may have it although this fails, and giveBack takes it back.
    qemu.handedOver = true;
    qemu.guard.handingOver(handover);
  }

  @Override
  public void handedOver() {
    Attached qemu = attached();
    if (!qemu.known) {
      qemu.known = true;
      WaitingQemu.note(qemu.process, qemu.guard::handedOver);
    }
  }

  @Override
  public void giveBack() throws IOException {
    endTracking();
    Attached qemu = attached;
    if (qemu == null || qemu.ended) {
      return;
    }
    try {
      if (qemu.handedOver) {
        WaitingQemu.note(qemu.process, qemu.guard::takenBack);
        qemu.handedOver = false;
      }
      reconnect(qemu);
      qemu.state.cancel(qemu.monitor());
      resume(qemu);
      qemu.settings.putBack(qemu.monitor());
    } catch (IOException e) {
      boolean alive = qemu.process.isAlive();
      qemu.ended = !alive;
      throw new GuestException(
          "%s could not be restored: %s%s"
              .formatted(
                  qemu.process,
                  withoutPeriod(e),
                  alive
                      ? "; see query-status, and send cont if its guest is to run."
                      : "; it has ended, and its guest with it."),
          e);
    }
    qemu.ended = true;
    qemu.guard.close();
  }

  static String withoutPeriod(IOException e) {
    return withoutPeriod(String.valueOf(e.getMessage()));
  }

  static String withoutPeriod(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /** A QMP connection that was lost may be replaced. */
  private void reconnect(Attached qemu) throws IOException {
    if (!qemu.qmp.isOpen()) {
      qemu.qmp = qemu.process.connect(CONNECT);
    }
  }

  /** Continues a guest that was stopped for the migration, and no other. */
  private void resume(Attached qemu) throws IOException {
    QemuMonitor monitor = qemu.monitor();
    if (!qemu.pauses.areOn()) {
      Ask.regardless(() -> qemu.runs = monitor.status().running());
      return;
    }
    var deadline = new Deadline(patience.sending());
    var running = new boolean[1];
    while (true) {
      Ask.regardless(() -> running[0] = monitor.status().running());
      if (running[0]) {
        qemu.runs = true;
        return;
      }
      try {
        Ask.regardless(monitor::cont);
      } catch (QmpException e) {
        // QEMU refuses until the thread of its migration has ended.
        if (e.kind() != QmpException.Kind.REFUSED || deadline.isOver()) {
          throw e;
        }
        Ask.regardless(() -> Thread.sleep(Duration.ofMillis(5)));
      }
    }
  }

  @Override
  public void release(boolean known) {
    endTracking();
    Attached qemu = attached;
    if (qemu == null) {
      return;
    }
    if (qemu.ended) {
      if (known) {
        qemu.guard.settled();
      }
      return;
    }
    qemu.ended = true;
    try {
      if (known) {
        handedOver();
      }
      reconnect(qemu);
      qemu.settings.putBack(qemu.monitor());
    } catch (IOException e) {
      leaveToGuard(qemu, e);
    }
    qemu.guard.close();
  }

  /** For settings that could not be put back; the guard tries for longer. */
  private static void leaveToGuard(Attached qemu, IOException e) {
    LOG.warn(
        "the migration settings of {} are not as they were before, and are left to its guard: {}",
        qemu.process,
        e.getMessage());
    if (qemu.process.isAlive()) {
      qemu.qmp.close();
      qemu.guard.takeOver();
    }
  }

  @Override
  public boolean reclaim() throws IOException {
    Attached qemu = attached();
    try (Qmp again = qemu.process.connect(CONNECT)) {
      var monitor = new QemuMonitor(again);
      if (qemu.wasRunning && !Ask.query(monitor::status).running()) {
        Ask.command(monitor::cont);
      }
      qemu.runs = Ask.query(monitor::status).running();
    }
    qemu.handedOver = false;
    qemu.guard.settled();
    return qemu.runs;
  }

  @Override
  public void dismiss() throws IOException {
    Attached qemu = attached();
    try (Qmp again = qemu.process.connect(CONNECT)) {
      var monitor = new QemuMonitor(again);
      if (Ask.query(monitor::status).running()) {
        throw new GuestException(
            "The guest in %s was continued meanwhile; it is not ended.".formatted(qemu.process));
      }
      Ask.command(monitor::quit);
    }
    qemu.guard.settled();
  }

  @Override
  public boolean wasRunning() {
    Attached qemu = attached;
    return qemu != null && qemu.wasRunning;
  }

  @Override
  public boolean isReached() {
    return attached != null;
  }

  @Override
  public boolean isRunning() {
    Attached qemu = attached;
    if (qemu == null) {
      return false;
    }
    return (qemu.ended && !qemu.handedOver) ? qemu.runs : (qemu.wasRunning && rest == null);
  }

  @Override
  public String machine() {
    Attached qemu = attached;
    return qemu == null ? "the QEMU at " + address : qemu.process.toString();
  }

  /** Restores the machine unless that was done, and releases everything. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Attached qemu = attached;
    if (qemu != null) {
      close(qemu);
    }
    if (log != null) {
      log.close();
    }
    if (selection != null) {
      selection.close();
    }
    if (ram != null) {
      ram.close();
    }
    guards.close();
  }

  private void close(Attached qemu) {
    try {
      if (qemu.handedOver) {
        release(false);
      } else {
        giveBack();
      }
    } catch (IOException e) {
      LOG.error("{}", e.getMessage());
      if (qemu.process.isAlive()) {
        // The guard tries for longer.
        qemu.qmp.close();
        qemu.guard.takeOver();
      }
    }
    qemu.guard.close();
    qemu.qmp.close();
  }
}
