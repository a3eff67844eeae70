// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.UriHost;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.qmp.QmpException;
import org.wridscope.recording.file.FedSession;
import org.wridscope.recording.file.FeedReplay;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.text.Format;

/** A session of another Wridscope, which goes on there whatever becomes of this one. */
final class RemoteSession extends FedSession {
  private final String name;
  private final RemoteWridscope wridscope;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String lost;

  RemoteSession(String name, FeedReplay feed, RemoteWridscope wridscope) {
    super(feed);
    this.name = name;
    this.wridscope = wridscope;
  }

  /** To be called when something has arrived. */
  void arrived() {
    if (feed.hasEnded()) {
      ended.countDown();
    }
  }

  /** To be called when nothing arrives any more. */
  void lost(String sentence) {
    if (!feed.hasEnded()) {
      lost = sentence;
      feed.leave();
      ended.countDown();
    }
  }

  /** Its name in the other process. */
  String nameThere() {
    return feed.name();
  }

  @Override
  public String name() {
    return name;
  }

  /** Its loopback address is not that of this machine. */
  @Override
  public Optional<String> host() {
    return wridscope.address().namedHost().filter(there -> !UriHost.isHere(there)).or(super::host);
  }

  @Override
  public @Nullable SessionOutcome result() {
    String sentence = lost;
    return sentence == null
        ? super.result()
        : new SessionOutcome(sentence, "", SessionOutcome.Origin.UNKNOWN);
  }

  @Override
  public List<String> notes() {
    var notes = new ArrayList<>(super.notes());
    if (feed.leftOut() > 0) {
      notes.add(
          "%s events were left out on the way from %s, because they came faster than they are sent; the counters are complete."
              .formatted(Format.count(feed.leftOut()), wridscope.address()));
    }
    String problem = wridscope.problem();
    if (problem != null) {
      notes.add(problem);
    }
    return notes;
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public boolean isWatched() {
    return !wridscope.isSteerable();
  }

  @Override
  public void cancel() {
    if (isWatched()) {
      leave();
    } else {
      steer(SessionCommands.CANCEL, new JsonObject());
    }
  }

  /** Does not wait for the end of ssh. */
  @Override
  public void leave() {
    Thread.ofPlatform().daemon().name("leave " + name).start(wridscope::close);
  }

  @Override
  public void permitSwitchover() {
    steer(SessionCommands.PROCEED, new JsonObject());
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    steer(SessionCommands.SET_LIMITS, Json.of(SessionCommands.BANDWIDTH, bytesPerSecond));
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    steer(
        SessionCommands.SET_LIMITS,
        Json.of(SessionCommands.DOWNTIME, TimeUnit.NANOSECONDS.convert(limit)));
  }

  private void steer(String command, JsonObject arguments) {
    wridscope.steer(command, addressed(arguments));
  }

  private JsonObject addressed(JsonObject arguments) {
    arguments.addProperty(SessionCommands.SESSION, feed.name());
    return arguments;
  }

  private JsonObject range(String block, long offset, long length) {
    var arguments = new JsonObject();
    arguments.addProperty("block", block);
    arguments.addProperty("offset", offset);
    arguments.addProperty("length", length);
    return addressed(arguments);
  }

  @Override
  public void hintUnregister(String block, long offset, long length) {
    if (isWatched()) {
      throw new IllegalArgumentException(wridscope.refusal());
    }
    wridscope.steer(SessionCommands.UNREGISTER, range(block, offset, length));
  }

  @Override
  public int unregister(String block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException {
    if (isWatched()) {
      throw new StillRegisteredException(wridscope.refusal());
    }
    JsonObject arguments = range(block, offset, length);
    arguments.addProperty("wait", limit.toMillis());
    try {
      return wridscope.unregister(arguments, limit);
    } catch (QmpException e) {
      throw new StillRegisteredException(
          e.kind() == QmpException.Kind.REFUSED ? e.desc() : String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new StillRegisteredException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public MigrationReport report() {
    return feed.report().orElseGet(() -> Reports.ofTelemetry(this, System.nanoTime()));
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends only what is shown here, of this one and of the others of the same connection. */
  @Override
  public void close() {
    if (ended.getCount() > 0) {
      wridscope.close();
    }
  }
}
