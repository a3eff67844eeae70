// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meaning.Kind;

/**
 * Reads a line of a log: what it speaks of first (a dumped completion, a command of a firmware, a
 * program's own sentence, a completion, the connection manager, an asynchronous event, a call that
 * failed), then its names and texts, then its numbers in that light.
 */
final class LineReader {
  /** The rest of a longer line is not read. */
  private static final int LONGEST = 4096;

  /** A sequence that selects a colour of a terminal, also where its first character was lost. */
  private static final Pattern COLOUR = Pattern.compile("\u001b?\\[[0-9;]{0,12}m");

  private static final Pattern SPACES = Pattern.compile("\\s+");

  private static final Terms TERMS = new Terms(Meanings.all());

  private static final Pattern ASYNC_NUMBER =
      Pattern.compile(
          "(?:async(?:hronous)?[ _](?:(?:qp|cq|srq|port|device)[ _])?event(?:[ _]type)?|event_type)"
              + Reading.IS
              + Reading.NUMBER);

  private static final Pattern FAILURE =
      Pattern.compile(
          "fail|err|unreach|ret(?:urn|\\b)|rc\\b|status|abort|could not|cannot|can't|couldn't|unable|refused"
              + "|rej\\b|reject|unexpected|timed? ?out|wait|clos|lost|disconnect|invalid|bad\\b"
              + "|down\\b");

  private static final Pattern ASYNC = Pattern.compile("\\basync|ibv_event|event_type|ib[ _]event");

  /** A line without any of these, and without a name, has no number that could mean something. */
  private static final List<String> MAY_HAVE_NUMBERS =
      List.of(
          ("err|fail|status|vend|synd|wrid|wr_id|wr id|request id|reason|event | rc|return|ret |ret=|ret:"
                  + "|code|result| res=|wc|could|cannot|can't|unable|reject|clos|lost|invalid|bad | down"
                  + "| with|0xffffff")
              .split("\\|"));

  private final Reading line;
  private final CompletionReader completions;
  private final ConnectionReader connections;
  private final CallReader calls;

  private LineReader(Reading line) {
    this.line = line;
    completions = new CompletionReader(line);
    connections = new ConnectionReader(line);
    calls = new CallReader(line);
  }

  /** What a line means, alone. */
  static Explanation read(String whole) {
    String start = whole.substring(0, Math.min(whole.length(), LONGEST));
    String line =
        start.contains("[") ? COLOUR.matcher(start).replaceAll("").strip() : start.strip();
    if (line.contains("  ") || line.contains("\t")) {
      Optional<Explanation> table = ErrorCqe.in(line, new Words(line));
      if (table.isPresent()) {
        return table.get();
      }
      line = SPACES.matcher(line).replaceAll(" ");
    }
    var words = new Words(line);
    Optional<Explanation> cqe = ErrorCqe.in(line, words);
    if (cqe.isPresent()) {
      return cqe.get();
    }
    Optional<Messages.Sentence> sentence = Messages.in(line, words);
    if (sentence.isPresent() && !sentence.get().numbers()) {
      return new Explanation(
          List.of(sentence.get().meaning()),
          List.of(),
          sentence.get().meaning().weight(),
          sentence.get().end());
    }
    var reading = new Reading(line);
    var reader = new LineReader(reading);
    sentence.ifPresent(said -> reading.meanings.add(said.meaning()));
    reader.read(words, sentence.isPresent());
    return new Explanation(
        List.copyOf(reading.meanings),
        reading.remarks,
        sentence.map(said -> said.meaning().weight()).orElseGet(reader::weight),
        sentence.map(Messages.Sentence::end).orElse(null));
  }

  private void read(Words words, boolean sentence) {
    if (FirmwareReader.read(line)) {
      return;
    }
    List<Terms.Found> found = TERMS.in(words);
    completions.tracedWrids();
    if (found.isEmpty() && !mayHaveNumbers()) {
      return;
    }
    if (sentence) {
      connections.events(found.stream().filter(term -> !term.weak()).toList());
      calls.errnos(found);
      if (!line.has(Kind.ERRNO)) {
        line.each("", Reading.ERROR, calls::errnoOf);
        calls.negatives();
      }
      return;
    }
    completions.statuses(found);
    connections.events(found);
    asynchronousEvents(found);
    calls.errnos(found);
    calls.providersWithOwnTexts(found);
    completions.vendorErrors();
    connections.rejectReasons(found);
    acknowledgements(found);
    completions.wrids();
    numbers(found);
    completions.finish();
  }

  private boolean mayHaveNumbers() {
    for (String part : MAY_HAVE_NUMBERS) {
      if (line.lower.contains(part)) {
        return true;
      }
    }
    return !line.lower.isEmpty()
        && Character.isDigit(line.lower.charAt(line.lower.length() - 1))
        && line.has(CallReader.RETURNED);
  }

  private void asynchronousEvents(List<Terms.Found> found) {
    boolean any = false;
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.ASYNC_EVENT
          && (!term.weak() || isOfEvent(term.meaning()))) {
        line.meanings.add(term.meaning());
        any = true;
        line.skip(Pattern.compile("\\s*[(\\[]?\\s*" + term.meaning().value() + "\\b"), term.end());
      }
    }
    boolean named = any;
    line.each(
        "event",
        ASYNC_NUMBER,
        number -> {
          if (!named) {
            Meanings.numbered(Kind.ASYNC_EVENT, number).forEach(line.meanings::add);
          }
        });
  }

  /** "CQ error" may be said of a completion, and the others of anything. */
  private boolean isOfEvent(Meaning event) {
    return line.has(ASYNC) ? line.status == null : event.value() != 0 && line.has(Reading.RDMA);
  }

  private void acknowledgements(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.ACKNOWLEDGEMENT && line.status == null) {
        line.meanings.add(term.meaning());
      }
    }
  }

  private void numbers(List<Terms.Found> found) {
    completions.providersErrors();
    if (line.has(FAILURE)) {
      calls.negatives();
    }
    if (line.rejected) {
      connections.numbers();
      return;
    }
    if (line.status != null || line.has(Kind.ERRNO)) {
      return;
    }
    completions.numbers();
    if (line.status != null) {
      return;
    }
    if (line.has(Kind.ASYNC_EVENT)) {
      line.each("status", Reading.STATUS, completions::statusOrErrno);
    } else {
      calls.withOwnTexts(found);
      calls.numbers();
    }
  }

  private Weight weight() {
    if (line.meanings.isEmpty()) {
      return Weight.NOTICE;
    }
    Meaning first = line.meanings.getFirst();
    if (first.kind() == Kind.ERRNO && !line.has(Reading.RDMA)) {
      return Weight.GENERAL;
    }
    return first.weight();
  }
}
