// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Doubt;
import org.wridscope.control.Endings;
import org.wridscope.control.Session;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.OtherEnd;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.qmp.Arguments;
import org.wridscope.qmp.Command;
import org.wridscope.qmp.CommandException;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Legible;

/**
 * Wridscope's own commands about its sessions, of which each has a name; without a name they mean
 * the session that QEMU's commands mean.
 */
final class SessionCommands {
  static final String SESSION = "session";
  static final String CANCEL = "x-wridscope-cancel";
  static final String PROCEED = "x-wridscope-continue";
  static final String SET_LIMITS = "x-wridscope-set-limits";
  static final String UNREGISTER = "x-wridscope-unregister";
  static final String RESOLVE = "x-wridscope-resolve";
  static final String BANDWIDTH = MigrationSetting.BANDWIDTH.qmp();
  static final String DOWNTIME = "downtime-nanoseconds";

  /** Longest wait of a client for a deregistration. */
  private static final long MAX_WAIT_MILLIS = 60_000;

  private final Supplier<List<Session>> sessions;
  private final PresentSession present;
  private final GuestControl guest;

  SessionCommands(Supplier<List<Session>> sessions, PresentSession present, GuestControl guest) {
    this.sessions = sessions;
    this.present = present;
    this.guest = guest;
  }

  Map<String, Command> queries() {
    return Map.of(
        "x-wridscope-query-sessions", this::list,
        "x-wridscope-query-report", this::report,
        "x-wridscope-query-chunks", this::chunks,
        "x-wridscope-explain", this::explain);
  }

  Map<String, Command> actions() {
    return Map.of(
        CANCEL,
        this::cancel,
        PROCEED,
        this::proceed,
        "x-wridscope-stop",
        this::stop,
        "x-wridscope-cont",
        this::cont,
        SET_LIMITS,
        this::setLimits,
        UNREGISTER,
        this::unregister,
        RESOLVE,
        this::resolve);
  }

  private Session session(Arguments arguments) throws CommandException {
    Optional<String> name = arguments.text(SESSION);
    if (name.isEmpty()) {
      return present
          .now()
          .orElseThrow(() -> new CommandException("There is no migration in this process yet."));
    }
    return sessions.get().stream()
        .filter(session -> session.name().equals(name.get()))
        .findFirst()
        .orElseThrow(() ->
            new CommandException(
                "There is no session '%s'; x-wridscope-query-sessions lists them."
                    .formatted(Legible.of(name.get(), 60))));
  }

  // ----------------------------------------------------------------------------------- queries

  private JsonElement list(Arguments arguments) throws CommandException {
    arguments.requireNoMore();
    var list = new JsonArray();
    for (Session session : sessions.get()) {
      JsonObject each = Json.of("name", session.name());
      each.addProperty("role", session.role().text());
      each.addProperty("uri", session.uri());
      each.addProperty("device", session.device());
      each.addProperty("status", session.status().qemuName());
      each.addProperty("guest-running", session.guestRunning());
      add(each, "outcome", session.outcome());
      Wait waits = session.telemetry().waitingFor();
      add(each, "waiting-for", waits == null ? null : waits.text());
      each.addProperty("events", session.telemetry().log().size());
      each.addProperty("events-left-out", session.telemetry().eventsLeftOut());
      list.add(each);
    }
    return list;
  }

  private static void add(JsonObject to, String member, @Nullable String value) {
    if (value != null) {
      to.addProperty(member, value);
    }
  }

  private JsonElement report(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    return Json.GSON.toJsonTree(session.report());
  }

  /** The chunks of each RAM block as runs of equal state, in order. */
  private JsonElement chunks(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    var blocks = new JsonArray();
    for (ChunkTable table : session.telemetry().blocks()) {
      JsonObject block = Json.of("block", table.name());
      block.addProperty("length", table.length());
      block.addProperty("chunk-size", ChunkTable.CHUNK_SIZE);
      block.add("runs", runs(table));
      blocks.add(block);
    }
    return blocks;
  }

  private static JsonArray runs(ChunkTable table) {
    var runs = new JsonArray();
    int from = 0;
    while (from < table.chunkCount()) {
      ChunkState state = table.state(from);
      int to = from + 1;
      while (to < table.chunkCount() && table.state(to) == state) {
        to++;
      }
      JsonObject run = Json.of("state", state.name().toLowerCase(Locale.ROOT).replace('_', '-'));
      run.addProperty("chunks", to - from);
      runs.add(run);
      from = to;
    }
    return runs;
  }

  /** What Explain and the findings say of a session and, if it is here, its other end. */
  private JsonElement explain(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    Session other =
        sessions.get().stream()
            .filter(each -> each.role() != session.role() && each.uri().equals(session.uri()))
            .findFirst()
            .orElse(null);
    Session source = session.role() == Role.SOURCE ? session : other;
    Session destination = session.role() == Role.SOURCE ? other : session;
    Requests ofSource = requests(source);
    Requests ofDestination = requests(destination);
    Explanation explanation =
        Explainer.explain(
            ofSource, ofDestination, System.nanoTime(), Endings.of(source, destination));
    JsonObject answer = Json.of("verdict", explanation.state().name().toLowerCase(Locale.ROOT));
    answer.addProperty("headline", explanation.headline());
    answer.addProperty("summary", explanation.summary());
    answer.addProperty("remedy", explanation.remedy());
    var steps = new JsonArray();
    for (Explanation.Step step : explanation.steps()) {
      JsonObject each = Json.of("end", step.role().text());
      each.addProperty("nanoseconds", step.nanos() - session.originNanos());
      each.addProperty("text", step.text());
      each.addProperty("key", step.isKey());
      steps.add(each);
    }
    answer.add("steps", steps);
    var findings = new JsonArray();
    findings(findings, source, ofSource);
    findings(findings, destination, ofDestination);
    answer.add("findings", findings);
    return answer;
  }

  private static @Nullable Requests requests(@Nullable Session session) {
    return session == null ? null : new Requests(session.telemetry()).readAll();
  }

  private static void findings(
      JsonArray into, @Nullable Session session, @Nullable Requests requests) {
    if (session == null || requests == null) {
      return;
    }
    for (Finding finding : Findings.of(requests, session.report().downtimePhases())) {
      JsonObject each = Json.of("end", session.role().text());
      each.addProperty("severity", finding.severity().text());
      each.addProperty("title", finding.title());
      each.addProperty("seen", finding.seen());
      each.addProperty("why", finding.why());
      each.addProperty("advice", finding.advice());
      into.add(each);
    }
  }

  // ----------------------------------------------------------------------------------- actions

  private JsonElement cancel(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    session.cancel();
    return Json.nothing();
  }

  private JsonElement proceed(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    session.permitSwitchover();
    return Json.nothing();
  }

  private JsonElement stop(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    return guest.stop(session);
  }

  private JsonElement cont(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    arguments.requireNoMore();
    return guest.proceed(session);
  }

  /**
   * Asks the destination of an undecided source again, or takes a statement about it. Answers what
   * followed, and the statements of both ends and of the operator.
   */
  private JsonElement resolve(Arguments arguments) throws CommandException, InterruptedException {
    Session session = session(arguments);
    Optional<String> otherEnd = arguments.text("other-end");
    arguments.requireNoMore();
    Doubt doubt =
        session
            .doubt()
            .orElseThrow(() ->
                new CommandException(
                    "%s is not undecided; see its outcome.".formatted(session.name())));
    try {
      String result = otherEnd.isEmpty() ? doubt.ask() : doubt.settle(otherEnd(otherEnd.get()));
      JsonObject answer = Json.of("result", result);
      answer.addProperty("status", MigrationAnswer.status(session.status()));
      answer.addProperty("destination", doubt.destination());
      var said = new JsonArray();
      for (Doubt.Statement statement : doubt.statements()) {
        JsonObject each = Json.of("when", statement.when().toString());
        each.addProperty("who", statement.who());
        each.addProperty("what", statement.what());
        said.add(each);
      }
      answer.add("said", said);
      return answer;
    } catch (GuestException e) {
      throw new CommandException(Legible.of(String.valueOf(e.getMessage())));
    }
  }

  private static OtherEnd otherEnd(String word) throws CommandException {
    return OtherEnd.of(word)
        .orElseThrow(
            () -> new CommandException("Parameter 'other-end' expects " + OtherEnd.words(" or ")));
  }

  private JsonElement setLimits(Arguments arguments) throws CommandException {
    Session session = session(arguments);
    OptionalLong bandwidth = arguments.number(BANDWIDTH);
    OptionalLong downtime = arguments.number(DOWNTIME);
    arguments.requireNoMore();
    if (bandwidth.orElse(0) < 0) {
      throw new CommandException("A bandwidth limit is not negative.");
    }
    if (downtime.isPresent()
        && !MigrationSetting.isDowntimeLimit(Duration.ofNanos(downtime.getAsLong()))) {
      throw new CommandException("A downtime limit is 1 ms to 2000 s.");
    }
    bandwidth.ifPresent(session::setBandwidthLimit);
    downtime.ifPresent(nanos -> session.setDowntimeLimit(Duration.ofNanos(nanos)));
    return Json.nothing();
  }

  /** Without a wait, a hint; with one, at once. Answers the number of registrations given back. */
  private JsonElement unregister(Arguments arguments)
      throws CommandException, InterruptedException {
    Session session = session(arguments);
    String block = arguments.requiredText("block");
    List<Long> range = new ArrayList<>();
    for (String each : List.of("offset", "length")) {
      range.add(
          arguments
              .number(each)
              .orElseThrow(
                  () -> new CommandException("Parameter '%s' is missing".formatted(each))));
    }
    OptionalLong wait = arguments.number("wait");
    arguments.requireNoMore();
    try {
      if (wait.isEmpty()) {
        session.hintUnregister(block, range.getFirst(), range.getLast());
        return Json.nothing();
      }
      Duration limit = Duration.ofMillis(Math.clamp(wait.getAsLong(), 0, MAX_WAIT_MILLIS));
      return Json.of(
          "registrations", session.unregister(block, range.getFirst(), range.getLast(), limit));
    } catch (IllegalArgumentException | StillRegisteredException e) {
      throw new CommandException(Legible.of(String.valueOf(e.getMessage())));
    }
  }
}
