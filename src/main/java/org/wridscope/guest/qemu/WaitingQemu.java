// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.Handover;
import org.wridscope.guest.WaitingMachine;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.SavedStreamWriter;
import org.wridscope.stream.StreamEnvelope;
import org.wridscope.text.Format;

/**
 * A QEMU on this machine that waits for a guest ({@code -incoming defer}). Its RAM is shared with
 * this process, which fills it; what else a guest has, QEMU loads from a socket of this process.
 */
public final class WaitingQemu implements WaitingMachine {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingQemu.class);

  private final QmpAddress address;
  private final boolean compared;
  private final Guards guards;
  private final Patience patience;

  private @Nullable Prepared prepared;
  private @Nullable QemuRam ram;
  private List<RamBlock> blocks = List.of();
  private @Nullable Loading loading;

  /** Whether the QEMU was told to load a guest, after which it can load no other. */
  private boolean incoming;

  private boolean started;
  private boolean running;
  private boolean doubtful;
  private boolean ended;
  private boolean closed;

  /** Whether the guard is to answer a source after the end of this process's part. */
  private boolean answersLeft;

  /** Whether a source may ask. */
  private boolean mayAsk;

  /** Whether former settings could not be put back. */
  private boolean unrestored;

  /** What is known of the QEMU since the connection to it. */
  private record Prepared(
      QemuProcess process,
      QemuMonitor monitor,
      QemuChecks checks,
      RestoredSettings settings,
      DestinationGuard guard) {}

  /** A stream that QEMU loads. */
  private record Loading(
      MigrationEvents events,
      QemuStream stream,
      WritableByteChannel channel,
      AfterRam rest,
      QemuProcess.Messages messages) {}

  WaitingQemu(QmpAddress address, boolean compared, Guards guards, Patience patience) {
    this.address = address;
    this.compared = compared;
    this.guards = guards;
    this.patience = patience;
  }

  /**
   * A QEMU that {@link #prepare} connects to.
   *
   * @param verify whether its RAM is compared with the source's before the guest starts
   * @param guards put the QEMU right if this process ends before it can
   */
  public static WaitingQemu of(QmpAddress address, boolean verify, Guards guards) {
    return new WaitingQemu(address, verify, guards, Patience.DEFAULT);
  }

  /**
   * Checks that the QEMU waits for a guest and shares its RAM, and disconnects again; changes
   * nothing. Until a source has come, others can use its QMP. A guard starts meanwhile.
   *
   * @throws GuestException if it cannot be filled; the message says why, and what would make it
   *     possible
   */
  public void check() throws IOException {
    try {
      RunningQemu.look(
          address,
          (process, monitor) -> {
            guards.check(process.identity());
            requireDestination(process, monitor);
            RestoredSettings.warn(process, monitor);
          });
    } catch (IOException | RuntimeException | Error e) {
      guards.close();
      throw e;
    }
    guards.ready(JournalEntry.Role.DESTINATION);
  }

  /** The same, over a connection that somebody has. */
  public static void check(QemuMonitor monitor) throws IOException {
    RunningQemu.look(
        monitor,
        (process, _) -> {
          Journals.ofUser().requireNone(process.identity());
          requireDestination(process, monitor);
        });
  }

  private static void requireDestination(QemuProcess process, QemuMonitor monitor)
      throws IOException {
    new QemuChecks(process, monitor).requireDestination();
  }

  private Prepared prepared() {
    return Objects.requireNonNull(prepared, "prepare must be called first");
  }

  private Loading loading() {
    return Objects.requireNonNull(loading, "load must be called first");
  }

  @Override
  public void prepare(List<BlockListing> theirs, boolean pinned) throws IOException {
    Qmp qmp = Ask.query(() -> Qmp.connect(address, RunningQemu.CONNECT));
    try {
      prepared = examine(qmp, theirs);
    } catch (IOException | RuntimeException | Error e) {
      qmp.close();
      throw e;
    }
    Prepared qemu = prepared();
    // While a guest comes in, this only says that it is not to start by itself.
    Ask.command(qemu.monitor::stop);
    qemu.settings.apply();
    QemuRam shared = QemuRam.of(qemu.process, qemu.monitor, theirs);
    ram = shared;
    if (pinned) {
      QemuChecks.requirePinnable(shared.ranges());
    }
    var mapped = new ArrayList<RamBlock>();
    long own = 0;
    long absent = 0;
    for (int block = 0; block < theirs.size(); block++) {
      RamBlock each = new RamBlock(theirs.get(block).name(), shared.memory(block));
      mapped.add(each);
      own += shared.isShared(block) ? 0 : each.length();
      absent += each.length() - each.holes().existing(each.length()).orElse(0);
    }
    warnOfLittleMemory(absent);
    long available = AvailableMemory.bytesHere();
    if (own > available) {
      throw new GuestException(
          "The memory of the guest's devices needs %s, and only %s are available; close other programs."
              .formatted(Format.bytes(own), Format.bytes(available)));
    }
    blocks = List.copyOf(mapped);
  }

  /**
   * What the guest has touched is not known before it comes.
   *
   * @param absent bytes of RAM that have no memory yet
   */
  private static void warnOfLittleMemory(long absent) {
    AvailableMemory.least(Path.of("/"))
        .filter(free -> free.bytes() < absent)
        .ifPresent(free ->
            LOG.warn(
                "The guest's RAM may need another {} of memory, as far as the guest has touched it,"
                    + " and only {} are available.",
                Format.bytes(absent),
                free.text()));
  }

  @Override
  public void release() throws IOException {
    Prepared qemu = prepared;
    QemuRam shared = ram;
    blocks = List.of();
    ram = null;
    prepared = null;
    mayAsk = false;
    if (shared != null) {
      shared.close();
    }
    if (qemu != null) {
      waitOn(qemu);
      boolean changed = unrestored && qemu.process.isAlive();
      qemu.monitor.qmp().close();
      if (changed) {
        // The guard tries for longer.
        qemu.guard.takeOver();
      }
      qemu.guard.close();
      if (changed) {
        throw new GuestException(
            "The migration settings of %s could not be put back for another guest and are left to its guard; see guard.log, and start the destination again."
                .formatted(qemu.process));
      }
    }
    check();
  }

  private Prepared examine(Qmp qmp, List<BlockListing> theirs) throws IOException {
    var monitor = new QemuMonitor(qmp);
    QemuProcess process = RunningQemu.process(address);
    var checks = new QemuChecks(process, monitor);
    checks.requireDestination();
    checks.requireBlocks(theirs);
    RestoredSettings settings = RestoredSettings.ofDestination(monitor);
    DestinationGuard guard =
        guards.guardDestination(
            process.identity(monitor), settings.guarded(!process.arguments().contains("-S")));
    return new Prepared(process, monitor, checks, settings, guard);
  }

  @Override
  public List<RamBlock> ramBlocks() {
    return blocks;
  }

  @Override
  public void load(StreamEnvelope envelope, Checkpoint checkpoint) throws IOException {
    Prepared qemu = prepared();
    String machine = envelope.machineType();
    if (machine != null) {
      qemu.checks.requireMachine(machine);
    }
    qemu.guard.loading();
    Loading opened = open(qemu, checkpoint);
    loading = opened;
    QemuRam known = Objects.requireNonNull(ram);
    Set<RamBlock> own = new HashSet<>();
    for (int block = 0; block < blocks.size(); block++) {
      if (!known.isShared(block)) {
        own.add(blocks.get(block));
      }
    }
    try {
      new SavedStreamWriter(opened.channel).ram(envelope, blocks, own::contains, checkpoint);
    } catch (IOException e) {
      throw explained(qemu, opened, e);
    }
  }

  private Loading open(Prepared qemu, Checkpoint checkpoint) throws IOException {
    QemuProcess.Messages messages = qemu.process.follow();
    var events = new MigrationEvents(qemu.monitor.qmp(), () -> {});
    try (var socket = PrivateSocket.create(qemu.guard)) {
      socket.giveTo(qemu.process.user());
      incoming = true;
      listen(qemu.monitor, socket.uri());
      QemuStream stream = socket.connect();
      return new Loading(
          events, stream, stream.output(patience.loading(), checkpoint), new AfterRam(), messages);
    } catch (IOException | RuntimeException e) {
      events.close();
      messages.close();
      throw e;
    }
  }

  /** From version 9.1 on a QEMU that cannot load a guest can say why, and does not end. */
  private static void listen(QemuMonitor monitor, String uri) throws IOException {
    var arguments = new JsonObject();
    arguments.addProperty("uri", uri);
    if (Ask.query(monitor::version).isAtLeast(9, 1)) {
      arguments.addProperty("exit-on-error", false);
    }
    Ask.command(() -> monitor.qmp().execute("migrate-incoming", arguments));
  }

  @Override
  public void append(byte[] bytes, int offset, int length) throws IOException {
    Loading opened = loading();
    opened.rest.add(bytes, offset, length);
    try {
      opened.channel.write(ByteBuffer.wrap(bytes, offset, length));
    } catch (IOException e) {
      throw explained(prepared(), opened, e);
    }
  }

  @Override
  public boolean isDescribed() throws IOException {
    return loading().rest.isDescribed();
  }

  @Override
  public void finishLoading(Checkpoint checkpoint) throws IOException {
    Prepared qemu = prepared();
    Loading opened = loading();
    try {
      opened.stream.endOutput();
      opened.events.awaitEnd(
          patience.loading(), qemu.process + " did not load the guest", checkpoint);
    } catch (IOException e) {
      throw explained(qemu, opened, e);
    }
    if (!opened.events.status().equals("completed")) {
      throw explained(qemu, opened, new IOException(opened.events.status()));
    }
    opened.stream.close();
  }

  /** Says why QEMU did not load the guest, if it has ended or tells. */
  private IOException explained(Prepared qemu, Loading opened, IOException e) {
    if (opened.events.status().equals("failed") && qemu.monitor.qmp().isOpen()) {
      try {
        String reason = Ask.query(qemu.monitor::migration).errorDesc().orElse("");
        if (!reason.isEmpty()) {
          return refused(qemu, reason, e);
        }
      } catch (IOException other) {
        LOG.debug("{}: {}", qemu.process, other.getMessage());
      }
    }
    try {
      // The stream may break a moment before QEMU has ended.
      if (!qemu.process.awaitEnd(Duration.ofSeconds(2))) {
        return e;
      }
    } catch (InterruptedException interrupt) {
      return Deadline.interrupted(interrupt);
    }
    return refused(
        qemu,
        opened
            .messages
            .last()
            .map(line -> "it ended and printed: " + line)
            .orElse("it ended; see what it printed"),
        e);
  }

  private static GuestException refused(Prepared qemu, String reason, IOException e) {
    return new GuestException("%s did not load the guest: %s".formatted(qemu.process, reason), e);
  }

  @Override
  public void connected(Handover handover) throws IOException {
    prepared().guard.connected(handover);
    mayAsk = true;
  }

  @Override
  public void loaded() throws IOException {
    prepared().guard.loaded();
  }

  @Override
  public void start() throws IOException {
    Prepared qemu = prepared();
    boolean run = loading().rest.ran();
    // A QEMU that has ended meanwhile has certainly not started it.
    if (Ask.query(qemu.monitor::status).running()) {
      throw new GuestException(
          "Somebody else has started the guest in %s; stop it there.".formatted(qemu.process));
    }
    qemu.guard.switchingOver(run);
    started = true;
    if (run) {
      doubtful = true;
      cont(qemu);
      doubtful = false;
      running = true;
    }
    // The guard stays until close: it answers a source that does not get RUNNING from this process.
    note(qemu.process, qemu.guard::running);
    putBack(prepared());
    ended = true;
  }

  /** Something that a guard is told. */
  @FunctionalInterface
  interface Note {
    void tell() throws IOException;
  }

  /** Tells a guard what has been decided; without it there is nothing else to do. */
  static void note(QemuProcess qemu, Note note) {
    try {
      note.tell();
    } catch (IOException e) {
      LOG.warn("{} has no guard any more: {}", qemu, e.getMessage());
    }
  }

  /** Another QEMU may still have the disks for a moment. */
  private void cont(Prepared qemu) throws IOException {
    var deadline = new Deadline(patience.disks());
    while (true) {
      try {
        Ask.regardless(prepared().monitor::cont);
        return;
      } catch (QmpException e) {
        boolean refused = e.kind() == QmpException.Kind.REFUSED;
        if (deadline.isOver() || !(refused || reconnect(qemu))) {
          started = !refused;
          doubtful = !refused;
          throw new GuestException(
              refused
                  ? "%s could not start the guest: %s".formatted(qemu.process, e.desc())
                  : "It is unknown whether the guest was started in %s: %s"
                      .formatted(qemu.process, RunningQemu.withoutPeriod(e)),
              e);
        }
        Ask.regardless(() -> Thread.sleep(Duration.ofMillis(20)));
      }
    }
  }

  /** Replaces a QMP connection that was lost or is silent; returns whether there is one now. */
  private boolean reconnect(Prepared qemu) {
    qemu.monitor.qmp().close();
    try {
      Qmp again = qemu.process.connect(RunningQemu.CONNECT);
      prepared =
          new Prepared(
              qemu.process, new QemuMonitor(again), qemu.checks, qemu.settings, qemu.guard);
      return true;
    } catch (IOException e) {
      LOG.warn("{} cannot be reached again: {}", qemu.process, e.getMessage());
      return false;
    }
  }

  private void putBack(Prepared qemu) {
    try {
      if (!qemu.monitor.qmp().isOpen() && qemu.process.isAlive()) {
        try (Qmp again = qemu.process.connect(RunningQemu.CONNECT)) {
          qemu.settings.putBack(new QemuMonitor(again));
        }
      } else {
        qemu.settings.putBack(qemu.monitor);
      }
    } catch (IOException e) {
      LOG.warn(
          "the migration settings of {} are not as they were before, and are left to its guard: {}",
          qemu.process,
          e.getMessage());
      unrestored = true;
    }
  }

  @Override
  public boolean isCompared() {
    return compared;
  }

  @Override
  public boolean hasStarted() {
    return started;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public boolean isDoubtful() {
    return doubtful;
  }

  @Override
  public String abandon(boolean mayBeOnlyGuest) {
    Prepared qemu = prepared;
    if (qemu == null) {
      return "The guest was not started here.";
    }
    if (started) {
      return doubtful
          ? "It may run in %s; its guard continues starting it, see guard.log there."
              .formatted(qemu.process)
          : achieved(qemu);
    }
    boolean kept = mayBeOnlyGuest && qemu.process.isAlive();
    if (!ended) {
      ended = true;
      if (kept) {
        qemu.guard.kept();
        putBack(qemu);
      } else if (incoming) {
        end(qemu);
      } else {
        waitOn(qemu);
      }
      if (unrestored && qemu.process.isAlive()) {
        // The guard tries for longer.
        qemu.monitor.qmp().close();
        qemu.guard.takeOver();
      }
      // Otherwise it stays until close, in case that a source asks.
      if (!mayAsk) {
        qemu.guard.close();
      }
    }
    if (kept) {
      return "The guest may be loaded in %s, paused. Look at the source; if its guest does not run there and never will, start it here (%s --other-end guest-ended)."
          .formatted(qemu.process, Journals.command(address));
    }
    if (!incoming) {
      return "%s waits on for a guest.".formatted(qemu.process);
    }
    String fate = "%s has ended, so that the guest cannot run there.".formatted(qemu.process);
    return mayBeOnlyGuest
        ? fate + " The source has the guest, paused; continue it there with cont."
        : fate;
  }

  /** Restores a QEMU that goes on waiting, which {@link #prepare} kept from starting its guest. */
  private void waitOn(Prepared qemu) {
    putBack(qemu);
    if (!qemu.process.arguments().contains("-S")) {
      try {
        Ask.regardless(() -> {
          if (qemu.monitor.status().status().equals("inmigrate")) {
            qemu.monitor.cont();
          }
        });
      } catch (IOException e) {
        LOG.warn("{} will not start a guest by itself: {}", qemu.process, e.getMessage());
        unrestored = true;
      }
    }
  }

  private String achieved(Prepared qemu) {
    return running
        ? "The guest runs in %s.".formatted(qemu.process)
        : "The guest is in %s, paused as it was at the source.".formatted(qemu.process);
  }

  /** Ends a QEMU that has loaded something, if need be by killing it. */
  private void end(Prepared qemu) {
    try {
      Ask.regardless(qemu.monitor::quit);
    } catch (IOException e) {
      LOG.debug("{} at its end: {}", qemu.process, e.getMessage());
    }
    try {
      Ask.regardless(() -> {
        if (!qemu.process.awaitEnd(patience.ending())) {
          LOG.warn("{} did not end by itself, and is killed", qemu.process);
          qemu.process.kill();
          var _ = qemu.process.awaitEnd(patience.ending());
        }
      });
    } catch (IOException e) {
      LOG.warn("{} at its end: {}", qemu.process, e.getMessage());
    }
  }

  @Override
  public void leaveAnswers() {
    answersLeft = mayAsk;
  }

  @Override
  public String machine() {
    Prepared qemu = prepared;
    return qemu == null ? "the QEMU at " + address : qemu.process.toString();
  }

  /** Gives up unless the guest was started, and releases everything. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!started) {
      LOG.debug("{}", abandon(false));
    }
    if (loading != null) {
      loading.stream.close();
      loading.events.close();
      loading.messages.close();
    }
    if (prepared != null) {
      prepared.monitor.qmp().close();
      boolean toRestore = doubtful || (unrestored && prepared.process.isAlive());
      if (answersLeft && !toRestore) {
        note(prepared.process, prepared.guard::restored);
      }
      if (answersLeft || toRestore) {
        // The guard tries for longer, and answers.
        prepared.guard.takeOver();
      }
      prepared.guard.close();
    }
    if (ram != null) {
      ram.close();
    }
    guards.close();
  }
}
