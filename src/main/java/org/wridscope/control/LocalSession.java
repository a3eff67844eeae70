// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.engine.DestinationSession;
import org.wridscope.engine.MigrationParameters;
import org.wridscope.engine.MigrationSession;
import org.wridscope.engine.SourceSession;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.MemoryHints;
import org.wridscope.guest.SavedGuest;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.RamBlock;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.verbs.common.Uninterrupted;

/** A session whose engine runs in this process, on its own thread. */
final class LocalSession implements Session {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSession.class);

  private static final Duration SLICE = Duration.ofMillis(100);

  private final String name;
  private final String uri;
  private final SessionGuest guest;
  private final MigrationParameters parameters;
  private final List<Attempt> attempts;
  private final Duration waitLimit;
  private final Sampler sampler;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private volatile Attempt current;
  private volatile boolean cancelled;
  private volatile boolean nobodyCame;
  private volatile @Nullable Kill kill;

  /** Guarded by {@link #ended}; null until it is asked for. */
  private @Nullable Doubt doubt;

  private volatile Runnable atEnd = () -> {};
  private volatile boolean closed;

  /** Null until it is started. */
  private volatile @Nullable CounterSampler counters;

  /**
   * An attempt to connect to one address of the peer, or the only attempt to wait for it. All
   * attempts of a session share the telemetry.
   *
   * @param address of the peer, or the local address of the listener
   */
  record Attempt(InetSocketAddress address, Devices.Selected selected, MigrationSession engine) {}

  /**
   * @param attempts at least one; a source that cannot connect tries the next one
   * @param waitLimit how long a destination waits for a source; zero for no limit
   */
  LocalSession(
      String name,
      String uri,
      SessionGuest guest,
      MigrationParameters parameters,
      List<Attempt> attempts,
      Duration waitLimit,
      Sampler sampler) {
    this.name = name;
    this.uri = uri;
    this.guest = guest;
    this.parameters = parameters;
    this.attempts = List.copyOf(attempts);
    this.waitLimit = waitLimit;
    this.sampler = sampler;
    current = attempts.getFirst();
  }

  void start(CounterSampler ofDevices) {
    counters = ofDevices;
    telemetry().metrics().set(Metric.BANDWIDTH_LIMIT, parameters.bandwidthLimit());
    telemetry().metrics().set(Metric.DOWNTIME_LIMIT, parameters.downtimeLimitNanos());
    sampler.add(telemetry());
    var _ = Time.start(name, this::run);
    if (waitLimit.isPositive()) {
      var _ = Time.start(name + " wait limit", this::enforceWaitLimit);
    }
  }

  private void run() {
    CounterSampler sampled = counters;
    if (sampled != null && attempts.stream().anyMatch(LocalSession::isOnKernels)) {
      sampled.begin(telemetry(), this::kernelDevice);
    }
    try {
      for (Attempt attempt : attempts) {
        telemetry().metrics().set(Metric.TOTAL_TIME, 0);
        current = attempt;
        attempt.engine().run();
        if (!neverConnected()) {
          break;
        }
        failures.add(
            attempt.address().getAddress().getHostAddress()
                + ": "
                + Objects.requireNonNull(attempt.engine().result(), "it has ended").reason());
      }
    } finally {
      try {
        if (sampled != null) {
          sampled.end(telemetry());
        }
        sampler.remove(telemetry());
        telemetry().closeRing();
      } finally {
        guest.ended(current.engine().custody());
        atEnd.run();
        ended.countDown();
      }
    }
  }

  /** Whether the kernel has counters of its device; those of software have none. */
  private static boolean isOnKernels(Attempt attempt) {
    return attempt.selected().device().identity().isKernels();
  }

  private List<String> kernelDevice() {
    return Stream.of(current)
        .filter(LocalSession::isOnKernels)
        .map(attempt -> attempt.selected().device().name())
        .toList();
  }

  /** Whether nothing was sent, so that another address of the peer may be tried. */
  private boolean neverConnected() {
    return role() == Role.SOURCE
        && status() == MigrationStatus.FAILED
        && !cancelled
        && telemetry().metrics().get(Metric.SENDS_POSTED) == 0;
  }

  private void enforceWaitLimit() {
    try {
      boolean over = await(waitLimit);
      // A caller that is being tried as the source may turn out to be none.
      while (!over && status() != MigrationStatus.NONE) {
        over = await(SLICE);
      }
      if (!over) {
        nobodyCame = true;
        cancel();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String uri() {
    return uri;
  }

  /** A destination listens on this machine, at whichever of its addresses. */
  @Override
  public Optional<String> host() {
    return role() == Role.DESTINATION ? Optional.empty() : UriHost.of(uri);
  }

  @Override
  public String device() {
    return current.selected().device().name();
  }

  @Override
  public String deviceReason() {
    return current.selected().reason();
  }

  @Override
  public SessionTelemetry telemetry() {
    return current.engine().telemetry();
  }

  /** Sets what is done at its end, which has not come yet, by its thread. */
  void atEnd(Runnable action) {
    atEnd = action;
  }

  /** Whether there is a process that can be killed. */
  boolean isKillable() {
    return kill == null && ended.getCount() > 0;
  }

  /** Its process was killed: nobody sees its guest or device any more, whatever its engine does. */
  void kill() {
    // A source measures its downtime when the destination has told that it runs the guest.
    boolean handedOver = role() == Role.SOURCE && telemetry().metrics().get(Metric.DOWNTIME) > 0;
    kill = new Kill(guest.isRunning(), handedOver);
  }

  private String lost(Kill killed) {
    if (killed.guestRan()) {
      return "The guest ran there, and is lost with it.";
    }
    if (role() == Role.DESTINATION) {
      return "The guest did not run there.";
    }
    return killed.handedOver()
        ? "It had handed the guest over."
        : "The guest was paused there, and is lost unless the destination runs it.";
  }

  @Override
  public Optional<Kill> killed() {
    return Optional.ofNullable(kill);
  }

  @Override
  public @Nullable SessionOutcome result() {
    String fate = guest.fate();
    SessionOutcome result = resultOfEngines();
    Kill killed = kill;
    if (killed != null && result != null) {
      return new SessionOutcome(
          "The process of the %s was killed.".formatted(role().text()),
          lost(killed),
          role() == Role.SOURCE ? Origin.HERE : Origin.UNKNOWN);
    }
    if (fate == null || result == null) {
      return result;
    }
    return result.since("The guest %s.".formatted(fate));
  }

  private @Nullable SessionOutcome resultOfEngines() {
    SessionOutcome last = current.engine().result();
    if (nobodyCame && last != null) {
      return new SessionOutcome(
          "No source connected within %s.".formatted(Format.duration(waitLimit.toNanos())),
          "The guest was not started here.",
          Origin.HERE);
    }
    if (last == null || attempts.size() == 1) {
      return last;
    }
    if (ended.getCount() > 0) {
      // This may be the outcome of an attempt that is not the last.
      return null;
    }
    return failures.size() < attempts.size()
        ? last
        : new SessionOutcome(
            "No destination could be reached at any of the %d addresses. %s"
                .formatted(attempts.size(), String.join(" ", failures)),
            last.guest(),
            Origin.HERE);
  }

  @Override
  public List<String> notes() {
    String callers = telemetry().turnedAway().counts().sentence();
    return callers.isEmpty() ? List.of() : List.of(callers);
  }

  @Override
  public boolean preparing() {
    return current.engine() instanceof DestinationSession destination && destination.isPreparing();
  }

  @Override
  public boolean guestRunning() {
    return kill == null && guest.isRunning();
  }

  @Override
  public boolean guestStopped() {
    return kill == null && guest.isStopped();
  }

  @Override
  public boolean stopGuest() throws GuestException {
    boolean awaited = guest.isAwaited();
    boolean ran = guest.stop();
    note(ran, OperatorAct.PAUSED, awaited, OperatorAct.TO_ARRIVE_PAUSED);
    return ran;
  }

  @Override
  public boolean continueGuest() throws GuestException {
    boolean awaited = guest.isAwaited();
    boolean stood = guest.proceed();
    note(stood, OperatorAct.CONTINUED, awaited, OperatorAct.TO_ARRIVE_RUNNING);
    return stood;
  }

  @Override
  public Optional<Doubt> doubt() {
    return status() == MigrationStatus.UNDECIDED
            && !closed
            && current.engine() instanceof SourceSession source
        ? Optional.of(doubt(source))
        : Optional.empty();
  }

  /** The same each time, since it has what was said. */
  private Doubt doubt(SourceSession source) {
    synchronized (ended) {
      Doubt known = doubt;
      if (known == null) {
        known = new Doubt(current.selected().device(), source, guest, ended);
        doubt = known;
      }
      return known;
    }
  }

  /** Records what was done at once, or is to be done when the guest arrives, if anything. */
  private void note(boolean atOnce, OperatorAct now, boolean awaited, OperatorAct later) {
    if (atOnce || awaited) {
      telemetry().operated(atOnce ? now : later);
    }
  }

  @Override
  public @Nullable String guestFate() {
    return guest.fate();
  }

  /** Shuts the guest down if the session has ended and nothing is lost by it, to free memory. */
  void makeRoom() {
    if (ended.getCount() == 0) {
      guest.makeRoom(current.engine().custody());
    }
  }

  @Override
  public Optional<CapturedFile> captured() {
    return guest.guest() instanceof CapturedGuest file && status() == MigrationStatus.COMPLETED
        ? Optional.of(new CapturedFile(file.target()))
        : Optional.empty();
  }

  @Override
  public Optional<MigrationReport.Machine> machine() {
    return guest.machine();
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return guest.virtio();
  }

  @Override
  public void cancel() {
    cancelled = true;
    attempts.forEach(attempt -> attempt.engine().cancel());
  }

  @Override
  public boolean mustFinish() {
    return ended.getCount() > 0 && current.engine().mustFinish();
  }

  @Override
  public void permitSwitchover() {
    if (current.engine() instanceof SourceSession source) {
      source.permitSwitchover();
    }
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    parameters.setBandwidthLimit(bytesPerSecond);
    telemetry().limitBandwidth(bytesPerSecond);
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    parameters.setDowntimeLimit(limit);
    telemetry().limitDowntime(limit);
  }

  @Override
  public void hintUnregister(String block, long offset, long length) {
    requireSource().notNeeded(requireRange(block, offset, length), offset, length);
  }

  @Override
  public int unregister(String block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException {
    MemoryHints source;
    int index;
    try {
      source = requireSource();
      index = requireRange(block, offset, length);
    } catch (IllegalArgumentException e) {
      throw new StillRegisteredException(String.valueOf(e.getMessage()));
    }
    return source.release(index, offset, length, limit);
  }

  /** The source that may have RAM registered. */
  private MemoryHints requireSource() {
    if (!(current.engine() instanceof SourceSession source)) {
      throw refusal("A destination registers what its source requests; use the source instead.");
    }
    if (guest.guest() instanceof SavedGuest) {
      throw refusal(
          "The guest is read from a file; its registrations are released once their memory has been"
              + " sent.");
    }
    if (parameters.get(MigrationSetting.PIN_ALL) && (source.agreed() == null || source.pinAll())) {
      throw refusal("With pin-all, RAM stays registered to the end; migrate without pin-all.");
    }
    return source;
  }

  /** The index of a RAM block that has the range, while it may be registered. */
  private int requireRange(String block, long offset, long length) {
    List<RamBlock> ram = guest.guest().ramBlocks();
    int index = 0;
    while (index < ram.size() && !ram.get(index).name().equals(block)) {
      index++;
    }
    if (index == ram.size()) {
      throw refusal(
          "The guest has no RAM block %s; it has %s."
              .formatted(block, String.join(", ", ram.stream().map(RamBlock::name).toList())));
    }
    long blockLength = ram.get(index).length();
    if (offset < 0 || length < 1 || offset >= blockLength || length > blockLength - offset) {
      throw refusal(
          "The range of %d bytes at offset %d is outside RAM block %s, which has %d bytes."
              .formatted(length, offset, block, blockLength));
    }
    switch (status()) {
      case ACTIVE, PRE_SWITCHOVER, DEVICE -> {}
      default -> throw refusal("The session is not sending RAM now, so no RAM is registered.");
    }
    return index;
  }

  private static IllegalArgumentException refusal(String sentence) {
    return new IllegalArgumentException(sentence);
  }

  @Override
  public MigrationReport report() {
    return Reports.of(this, current.engine());
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return Time.await(ended, timeout.toNanos());
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    cancel();
    if (awaitEnd()) {
      guest.close();
    } else {
      // The guest's memory and file stay, because the engine may still use them.
      LOG.warn(
          "session {} has not ended {} s after it was cancelled", name, END_PATIENCE.toSeconds());
    }
  }

  /** Waits for the end; gives up after {@link #END_PATIENCE} only if no guest can be lost. */
  private boolean awaitEnd() {
    long begin = Time.nanos();
    while (!Uninterrupted.await(ended, SLICE)) {
      if (Time.nanos() - begin >= END_PATIENCE.toNanos() && !mustFinish()) {
        return false;
      }
    }
    return true;
  }
}
