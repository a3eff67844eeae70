// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.analysis.PolledQueues.Polled;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.text.Format;
import org.wridscope.verbs.QueuePairAttributes;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletionStatus;

/** What a program that is not ours did with its queues, in words, and what is wrong with it. */
public final class ProgramAnalysis {
  /** Failures that are told one by one. */
  private static final int MOST_STEPS = 12;

  private static final int MOST_QUEUES = 6;

  /** Refused calls that a finding tells. */
  private static final int MOST_CALLS = 3;

  /** A wait that a person notices, and that is as long as some thousands of round trips. */
  private static final long LONG_RNR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** From how many completions in each poll on a program is said to poll rarely. */
  private static final int LARGE_BATCH = 8;

  /** Polls after which the average of a batch means something. */
  private static final int FEWEST_POLLS = 10;

  /** Fewer registrations between requests are those of a connection or of a cache that fills. */
  private static final int MANY_BETWEEN = 100;

  /** A program that registers its buffers once has many more requests than registrations. */
  private static final int REQUESTS_EACH = 4;

  /**
   * How long a program must have done nothing before it is said to stand still. One that ends at
   * once after its last request is healthy: many never poll the completions of their last posts.
   */
  private static final long STILL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Requests requests;
  private final long nowNanos;
  private final List<Finding> found = new ArrayList<>();

  private ProgramAnalysis(Requests requests, long nowNanos) {
    this.requests = requests;
    this.nowNanos = nowNanos;
  }

  /**
   * Explains what was seen.
   *
   * @param requests up to date
   * @param outcome how the attachment ended, a sentence; empty while it lasts
   * @param failed whether it ended too early
   */
  public static Explanation explain(Requests requests, String outcome, boolean failed) {
    Marks marks = requests.marks();
    long posted = requests.sends().end() + requests.receives().end();
    var steps = new ArrayList<Step>();
    String remedy = "";
    for (long mark = marks.first(); mark < marks.end() && steps.size() < MOST_STEPS; mark++) {
      if (marks.kind(mark) == Marks.Kind.FAILED) {
        if (steps.isEmpty()) {
          remedy = advice(requests, mark);
        }
        steps.add(step(requests, mark, steps.isEmpty()));
      }
    }
    requests.troubles().forEach(each -> steps.add(each.step(requests)));
    requests.queuePairs().refusals().stream()
        .limit(MOST_STEPS)
        .forEach(each -> steps.add(step(requests, each)));
    steps.sort(Comparator.comparingLong(Step::nanos));
    // Also those of which it is not known whose they are.
    long errors =
        all(requests)
            .flatMap(queue -> queue.polled().entrySet().stream())
            .filter(each -> each.getKey() != WorkCompletionStatus.SUCCESS)
            .mapToLong(Map.Entry::getValue)
            .sum();
    String headline =
        "%s on %s%s."
            .formatted(
                Format.counted(posted, "request"),
                Format.counted(queues(requests), "queue"),
                outcomes(errors));
    return new Explanation(state(outcome, failed, errors), headline, outcome, steps, remedy);
  }

  private static String outcomes(long errors) {
    return errors == 0 ? "; none failed" : "; %s failed".formatted(Format.count(errors));
  }

  private static State state(String outcome, boolean failed, long errors) {
    if (failed) {
      return State.FAILED;
    }
    return errors > 0 ? State.UNSOUND : outcome.isEmpty() ? State.RUNNING : State.COMPLETED;
  }

  private static String advice(Requests requests, long mark) {
    Marks marks = requests.marks();
    WorkRequests all = requests.of(marks.queue(mark));
    long id = marks.request(mark);
    return all.has(id) ? Meanings.of(all.status(id)).advice() : "";
  }

  private static Step step(Requests requests, long mark, boolean first) {
    Marks marks = requests.marks();
    WorkRequests all = requests.of(marks.queue(mark));
    long id = marks.request(mark);
    String what =
        all.has(id)
            ? "%s completed with %s: %s"
                .formatted(
                    RequestFacts.name(all, id), all.status(id), Meanings.of(all.status(id)).means())
            : "a request failed that is no longer kept.";
    return new Step(requests.role(), marks.nanos(mark), marks.event(mark), what, first);
  }

  private static Step step(Requests requests, QueuePairs.Refusal refusal) {
    return new Step(
        requests.role(), refusal.nanos(), refusal.event(), refused(requests, refusal) + ".", false);
  }

  private static String refused(Requests requests, QueuePairs.Refusal refusal) {
    return "%s: %s"
        .formatted(
            requests.nameOf(refusal.change().queue()),
            QueuePairText.refusal(refusal, requests.telemetry()));
  }

  private static long queues(Requests requests) {
    return all(requests).map(QueueCounts::id).distinct().count();
  }

  private static Stream<QueueCounts> all(Requests requests) {
    return Stream.of(requests.sends(), requests.receives())
        .map(WorkRequests::queues)
        .flatMap(Collection::stream);
  }

  /**
   * What is noteworthy, the most severe first.
   *
   * @param requests up to date
   * @param nowNanos the moment that is shown, or the end
   */
  public static List<Finding> findings(Requests requests, long nowNanos) {
    var analysis = new ProgramAnalysis(requests, nowNanos);
    analysis.failures();
    analysis.refused();
    analysis.fullOfUnsignaled();
    analysis.transitions();
    analysis.longRnrWaits();
    analysis.noTimeout();
    analysis.refusedRegistrations();
    analysis.growingMemory();
    analysis.registeredForFew();
    analysis.open();
    analysis.shared();
    analysis.rarelyPolled();
    analysis.unmatched();
    analysis.ambiguous();
    analysis.found.addAll(requests.wireFindings());
    analysis.unseen();
    analysis.found.sort(Comparator.comparing(Finding::severity).reversed());
    return List.copyOf(analysis.found);
  }

  private void add(
      Severity severity, String title, String seen, String why, String advice, Evidence evidence) {
    found.add(new Finding(severity, title, seen, why, advice, evidence));
  }

  private void failures() {
    var counts = new TreeMap<WorkCompletionStatus, Long>();
    all(requests)
        .flatMap(queue -> queue.polled().entrySet().stream())
        .filter(each -> each.getKey() != WorkCompletionStatus.SUCCESS)
        .forEach(each -> counts.merge(each.getKey(), each.getValue(), Long::sum));
    for (Map.Entry<WorkCompletionStatus, Long> each : counts.entrySet()) {
      Meaning meaning = Meanings.of(each.getKey());
      boolean flushed = each.getKey() == WorkCompletionStatus.WR_FLUSH_ERR;
      add(
          flushed ? Severity.INFO : Severity.ERROR,
          each.getKey().name(),
          "%s with this status, on %s."
              .formatted(
                  Format.counted(each.getValue(), "completion"),
                  names(queue -> queue.polled().getOrDefault(each.getKey(), 0L))),
          meaning.means(),
          meaning.advice(),
          new Evidence.Marked(Set.of(Marks.Kind.FAILED), each.getKey()));
    }
  }

  private void refused() {
    long count = sum(QueueCounts::refused);
    if (count > 0) {
      add(
          Severity.WARNING,
          "posts refused",
          "%s refused by the post function, on %s; up to %s in these queues had not completed."
              .formatted(
                  Format.counted(count, "request"),
                  names(QueueCounts::refused),
                  Format.count(
                      all(requests)
                          .filter(queue -> queue.refused() > 0)
                          .mapToLong(QueueCounts::mostOpen)
                          .max()
                          .orElse(0))),
          "The queue was full, or the request or the state of the queue pair was not valid.",
          "Look at the errno of the events in the Log: ENOMEM is a full queue, so poll more often"
              + " or make it deeper.",
          new Evidence.Whole());
    }
  }

  private void fullOfUnsignaled() {
    List<String> queues =
        requests.sends().queues().stream()
            .filter(QueueCounts::isFullOfUnsignaled)
            .map(queue -> requests.nameOf(queue.id()))
            .toList();
    if (!queues.isEmpty()) {
      add(
          Severity.WARNING,
          "send queue full of unsignaled requests",
          "A post was refused with ENOMEM while no request in the queue was signaled, on %s."
              .formatted(Format.listed(queues, MOST_QUEUES)),
          "A place in a send queue becomes free when the completion of its request, or of a later one,"
              + " is polled. Without a signaled request there is none, so that the queue stays full.",
          "Set IBV_SEND_SIGNALED at least once for as many requests as the queue has places, and poll"
              + " the completion before the queue is full.",
          new Evidence.Whole());
    }
  }

  private void transitions() {
    QueuePairs all = requests.queuePairs();
    if (all.refused() > 0) {
      List<String> calls =
          all.refusals().stream().map(refusal -> refused(requests, refusal)).distinct().toList();
      add(
          Severity.WARNING,
          "queue pairs refused a change",
          "%s: %s."
              .formatted(
                  Format.counted(all.refused(), "call") + " of ibv_modify_qp",
                  String.join("; ", calls.subList(0, Math.min(calls.size(), MOST_CALLS)))),
          "The queue pair stays in the state that it had; what is posted to it is refused or never"
              + " sent.",
          "EINVAL: compare the parameters with ibv_modify_qp(3) and the port: its number, its active"
              + " MTU, its GID index. ETIMEDOUT, ENETUNREACH, EHOSTUNREACH: the peer's address has"
              + " no neighbor or no route.",
          new Evidence.Whole());
    }
  }

  /**
   * The timer is what this end's device asks its peer to wait; the retries are those of this end
   * when its peer asks for that. Programs usually set both ends alike.
   */
  private void longRnrWaits() {
    List<QueueId> of =
        queuePairs(set ->
            set.has(QueuePairAttributes.MIN_RNR_TIMER)
                && set.has(QueuePairAttributes.RNR_RETRY)
                && set.rnrRetries() == QueuePairAttributes.WITHOUT_LIMIT
                && QueuePairAttributes.isRnrTimer(set.minRnrTimer())
                && QueuePairAttributes.rnrTimerNanos(set.minRnrTimer()) >= LONG_RNR_NANOS);
    if (of.isEmpty()) {
      return;
    }
    String timers =
        of.stream()
            .map(requests.queuePairs()::attributes)
            .filter(Objects::nonNull)
            .map(set -> QueuePairText.rnrTimer(set.minRnrTimer()))
            .distinct()
            .collect(Collectors.joining(", "));
    add(
        of.stream().anyMatch(this::waits) ? Severity.WARNING : Severity.INFO,
        "RNR waits are long, and without limit",
        "%s, RNR retries without limit, on %s: it can stall without an error."
            .formatted(capitalized(timers), Format.listed(names(of), MOST_QUEUES)),
        "When a message finds no receive here, this end asks its peer to wait at least so long before"
            + " it sends again. When this end's message finds none at the peer, it waits as long as"
            + " the peer asks, usually the same, and tries again for ever: no completion tells it.",
        "Post receives before the peer sends. Set min_rnr_timer at the end that receives (0 means"
            + " 655 ms, and is what librdmacm leaves; 12 means 0.64 ms; ibv_modify_qp also takes it"
            + " in RTS), and rnr_retry below 7 at the end that sends.",
        new Evidence.Whole());
  }

  /** Whether the request that is open longest is of this queue pair, and was not completed. */
  private boolean waits(QueueId queue) {
    WorkRequests sends = requests.sends();
    long oldest = sends.knowsOpen() ? sends.oldestOpen() : WorkRequests.NONE;
    return oldest != WorkRequests.NONE
        && sends.queueId(oldest).equals(queue)
        && nowNanos - sends.postedNanos(oldest) >= STILL_NANOS;
  }

  private void refusedRegistrations() {
    Map<String, Long> refusals = requests.regions().refusals();
    if (!refusals.isEmpty()) {
      add(
          Severity.WARNING,
          "registrations refused",
          "%s were refused: %s."
              .formatted(
                  Format.counted(
                      refusals.values().stream().mapToLong(Long::longValue).sum(), "call"),
                  refusals.entrySet().stream()
                      .map(each -> "%s %s".formatted(Format.count(each.getValue()), each.getKey()))
                      .collect(Collectors.joining("; "))),
          "Memory that is not registered cannot be sent or received into.",
          "ENOMEM: the limit of locked memory (ulimit -l, LimitMEMLOCK of systemd) or the device's"
              + " limit of regions. EFAULT, EINVAL: the address is not mapped, or not writable."
              + " EOPNOTSUPP: the device lacks that kind of memory or access. EBUSY: a memory window"
              + " is bound to the region.",
          new Evidence.Whole());
    }
  }

  private void growingMemory() {
    Regions.Growth growth = requests.regions().growth(nowNanos);
    if (growth != null && requests.missed() + requests.unseen().lost() == 0) {
      add(
          Severity.WARNING,
          "registered memory grows",
          "In %s %s more, of %s in all: %s registered, %s deregistered."
              .formatted(
                  Format.duration(growth.nanos()),
                  Format.counted(growth.regions(), "region"),
                  Format.bytes(Math.max(0, growth.bytes())),
                  Format.count(growth.registered()),
                  Format.count(growth.deregistered())),
          "It grew from the first quarter of the time since the first request to the end, in each"
              + " quarter, and almost nothing was deregistered. Registered memory is locked: it is"
              + " not given back until it is deregistered, and the limits of locked memory and of"
              + " regions end it.",
          "Look for a registration without its ibv_dereg_mr, or for a cache without a limit; the"
              + " group of registrations in the Log tells addresses and lengths.",
          new Evidence.Lasting(growth.fromNanos(), growth.fromNanos() + growth.nanos()));
    }
  }

  private void registeredForFew() {
    Regions regions = requests.regions();
    if (regions.between() >= MANY_BETWEEN
        && regions.between() * REQUESTS_EACH >= regions.posted()) {
      add(
          Severity.INFO,
          "memory registered in the loop",
          "%s were registered between requests, for %s in all; %s for a single one."
              .formatted(
                  Format.counted(regions.between(), "region"),
                  Format.counted(regions.posted(), "request"),
                  Format.count(regions.forOne())),
          "Registering is a call of the kernel that pins pages and tells the device of them; it takes"
              + " longer than most requests.",
          "Register buffers once and use them again, keep registrations in a cache, or copy small"
              + " data into a registered buffer.",
          new Evidence.Whole());
    }
  }

  private void noTimeout() {
    List<QueueId> of =
        queuePairs(set -> set.has(QueuePairAttributes.TIMEOUT) && set.timeout() == 0);
    if (!of.isEmpty()) {
      add(
          Severity.WARNING,
          "no timeout for acknowledgements",
          "Timeout 0 on %s.".formatted(Format.listed(names(of), MOST_QUEUES)),
          "0 means to wait without end: a packet that is lost is not sent again, the request never"
              + " completes, and no error tells it.",
          "Set a timeout, such as 14 (67 ms), with the transition to RTS.",
          new Evidence.Whole());
    }
  }

  /** The queue pairs in RTS of which something is set. */
  private List<QueueId> queuePairs(Predicate<QueuePairChange> wanted) {
    QueuePairs all = requests.queuePairs();
    return all.known().stream()
        .filter(queue -> {
          QueuePairChange set = all.attributes(queue);
          return set != null && set.isTo(QueuePairState.RTS.ordinal()) && wanted.test(set);
        })
        .toList();
  }

  private List<String> names(List<QueueId> of) {
    return of.stream().map(requests::nameOf).toList();
  }

  private static String capitalized(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private void open() {
    long count = requests.sends().queues().stream().mapToLong(QueueCounts::open).sum();
    if (count > 0 && requests.sends().knowsOpen() && requests.telemetry().status().isEnd()) {
      long oldest = requests.sends().oldestOpen();
      long waited = oldest < 0 ? 0 : nowNanos - requests.sends().postedNanos(oldest);
      boolean missed = waited >= STILL_NANOS;
      add(
          missed ? Severity.WARNING : Severity.INFO,
          missed ? "requests never completed" : "requests open at the end",
          "%s to send queues without a completion, on %s%s."
              .formatted(
                  Format.counted(count, "request"),
                  names(requests.sends().queues(), QueueCounts::open),
                  missed
                      ? "; the oldest signaled one was posted %s before the end"
                          .formatted(Format.duration(waited))
                      : ""),
          missed
              ? "Its completion was not polled for so long, or did not come. Buffers of open requests"
                  + " may not be used again, and they keep their places in the queue."
              : "The program ended, or was left, before it polled the last completions; unsignaled"
                  + " requests after the last signaled one have none.",
          missed ? "Look at what the program waited for, and at the peer." : "",
          new Evidence.Open());
    }
  }

  /** The mistake for which QEMU has separate completion queues since version 6.2. */
  private void shared() {
    List<Polled> shared = polled(Polled::isShared);
    if (!shared.isEmpty()) {
      boolean standsStill =
          shared.stream()
              .anyMatch(
                  queue -> queue.endsCrossing() && nowNanos - queue.lastNanos() >= STILL_NANOS);
      long crossing = sum(shared, Polled::crossing);
      add(
          standsStill ? Severity.WARNING : Severity.INFO,
          "completion queue shared by sends and receives",
          "%s: %s of sends and %s of receives; %s %s polled while a send of the same queue pair had not completed.%s"
              .formatted(
                  numbers(shared),
                  Format.counted(sum(shared, Polled::sends), "completion"),
                  Format.count(sum(shared, Polled::receives)),
                  Format.counted(crossing, "receive"),
                  crossing == 1 ? "was" : "were",
                  standsStill
                      ? " The last completion is such a receive, and nothing was posted after it."
                      : ""),
          "A program that waits for one request polls the others with it. If it drops them, it"
              + " later waits for them forever, as QEMU did before version 6.2.",
          "Handle each completion that is polled, also one that is not waited for; or use one completion"
              + " queue for sends and another one for receives.",
          new Evidence.Whole());
    }
  }

  private void rarelyPolled() {
    List<Polled> rarely =
        polled(queue ->
            queue.polls() >= FEWEST_POLLS
                && queue.sends() + queue.receives() >= LARGE_BATCH * queue.polls());
    if (!rarely.isEmpty()) {
      add(
          Severity.INFO,
          "completions polled rarely",
          "%s: %s in %s, up to %s at once."
              .formatted(
                  numbers(rarely),
                  Format.counted(
                      sum(rarely, queue -> queue.sends() + queue.receives()), "completion"),
                  Format.counted(sum(rarely, Polled::polls), "poll"),
                  Format.count(rarely.stream().mapToLong(Polled::mostAtOnce).max().orElse(0))),
          "They waited in the completion queue until the program polled. Requests keep their places"
              + " in the send queue for so long, receives are posted again later, so that the peer"
              + " may have to try again (RNR), and a completion queue that overflows ends its queue"
              + " pairs.",
          "Poll more often, or wait for the events of the completion channel.",
          new Evidence.Whole());
    }
  }

  private List<Polled> polled(Predicate<Polled> wanted) {
    return requests.polledQueues().all().stream().filter(wanted).toList();
  }

  private static long sum(List<Polled> queues, ToLongFunction<Polled> count) {
    return queues.stream().mapToLong(count).sum();
  }

  /** Such as {@code Completion queues 1, 2 and 3 more}. */
  private static String numbers(List<Polled> queues) {
    return "Completion queue%s %s"
        .formatted(
            queues.size() == 1 ? "" : "s",
            Format.listed(
                queues.stream().map(queue -> Integer.toString(queue.number())).toList(),
                MOST_QUEUES));
  }

  private void unmatched() {
    long count = sum(QueueCounts::unmatched);
    if (count > 0) {
      add(
          Severity.INFO,
          "completions whose post was not seen",
          "%s, on %s."
              .formatted(Format.counted(count, "completion"), names(QueueCounts::unmatched)),
          "Their requests were posted before the attachment, or in a way that is not seen.",
          "See docs/attach.md for what is not seen.",
          new Evidence.Whole());
    }
  }

  private void ambiguous() {
    long count = sum(QueueCounts::ambiguous);
    if (count > 0) {
      add(
          Severity.INFO,
          "completions that several requests may have had",
          "%s, on %s."
              .formatted(Format.counted(count, "completion"), names(QueueCounts::ambiguous)),
          "The program was running already, and its wr_ids repeat: requests from before have the"
              + " same. So it is not known which have completed, nor how long they took.",
          "Start the program with 'attach -- COMMAND' to see it from its beginning.",
          new Evidence.Whole());
    }
  }

  private void unseen() {
    Unseen unseen = requests.unseen();
    long count =
        unseen.requests()
            + unseen.completions()
            + unseen.lost()
            + unseen.refused()
            + unseen.early()
            + requests.missed();
    if (count > 0) {
      add(
          Severity.WARNING,
          "not everything was seen",
          "%s of chains, %s of long batches or read in part, %s lost while tracing, %s not kept%s%s."
              .formatted(
                  Format.counted(unseen.requests(), "request"),
                  Format.counted(unseen.completions(), "completion"),
                  Format.counted(unseen.lost(), "event"),
                  Format.counted(requests.missed(), "event"),
                  unseen.refused() == 0
                      ? ""
                      : "; %s refused with the one before, not posted"
                          .formatted(Format.count(unseen.refused())),
                  unseen.early() == 0
                      ? ""
                      : "; %s before all probes were in place, counted only"
                          .formatted(Format.counted(unseen.early(), "event"))),
          "Requests near a gap may look as if they had not completed.",
          unseen.lost() + requests.missed() > 0
              ? "Attach to one program instead of all on a device."
              : "What is at the end of long chains and batches is only counted, see docs/attach.md.",
          new Evidence.Whole());
    }
  }

  private long sum(ToLongFunction<QueueCounts> count) {
    return all(requests).mapToLong(count).sum();
  }

  private String names(ToLongFunction<QueueCounts> count) {
    return names(all(requests).toList(), count);
  }

  /** The queues of which there is something, such as {@code QP 17, QP 18 and 3 more}. */
  private String names(Collection<QueueCounts> of, ToLongFunction<QueueCounts> count) {
    List<String> names =
        of.stream()
            .filter(queue -> count.applyAsLong(queue) > 0)
            .map(queue -> requests.nameOf(queue.id()))
            .distinct()
            .toList();
    return Format.listed(names, MOST_QUEUES);
  }
}
