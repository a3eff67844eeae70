// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.protocol.WorkRequestId;

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

  private static final String NUMBER =
      "(-?(?:0x[0-9a-f]{1,16}|[0-9]{1,19}))(?![0-9a-z_]|\\.[0-9])"
          + "(?! *(?:times|retries|attempts|sec|ms\\b|bytes|pages|entries|packets|errors|of\\b|/|%))";
  private static final String GAP = "[ :=#(\\[\"']{0,4}";
  private static final String IS = GAP + "(?:is|was|of|code|number|no)?" + GAP;

  private static final Pattern FIRMWARE =
      Pattern.compile(
          "([a-z0-9_]+)\\((0x[0-9a-f]+)\\) op_mod\\(0x[0-9a-f]+\\) failed, status [^(]*"
              + "\\((0x[0-9a-f]{1,4})\\), syndrome \\((0x[0-9a-f]+)\\)(?:, err\\((-?[0-9]{1,5})\\))?");

  /** A command that DPDK's driver of mlx5 sent through the kernel (DevX). */
  private static final Pattern DEVX =
      Pattern.compile(
          "devx (.{1,60}?) failed errno=([0-9]{1,5}) status=(0x[0-9a-f]{1,4}) syndrome=(0x[0-9a-f]+)");

  private static final Pattern HARDWARE_SYNDROME =
      Pattern.compile("hw[ _]?(?:err[ _])?synd\\w*[ :=]*[0-9a-fx/]+");
  private static final Pattern VENDOR =
      Pattern.compile(
          "(?:vendor|vend)[ _]?(?:err(?:or)?)?[ _]?(?:synd(?:rome)?)?(?:[ _]code)?"
              + IS
              + "(0x[0-9a-f]{1,8}|[0-9a-f]{1,8})(?![0-9a-z_])");
  private static final Pattern STATUS_AND_VENDOR =
      Pattern.compile("\\([0-9]{1,2}/(0x[0-9a-f]{1,4})\\)");
  private static final Pattern SYNDROME =
      Pattern.compile(
          "(?<![a-z_])synd(?:rome?)?" + GAP + "(0x[0-9a-f]{1,8}|[0-9]{1,3})(?![0-9a-z_])");

  /** A completion of hns, whose driver prints the syndrome and not the status. */
  private static final Pattern HNS =
      Pattern.compile("hns.*error cqe status(?: is)?:? ?(0x[0-9a-f]{1,2})(?![0-9a-f])");

  private static final Pattern PROVIDER =
      Pattern.compile("prov(?:ider)?[ _]?err(?:no|or)?" + IS + NUMBER);
  private static final Pattern WRID =
      Pattern.compile("(?<![a-z0-9])(?:wrid|wr[_ ]id|work request id)" + IS + NUMBER);
  private static final Pattern TRACED_WRID =
      Pattern.compile("(?:write rdma|control send|control recv) ?\\(([0-9]{1,19})\\)");
  private static final Pattern ASYNC_NUMBER =
      Pattern.compile(
          "(?:async(?:hronous)?[ _](?:(?:qp|cq|srq|port|device)[ _])?event(?:[ _]type)?|event_type)"
              + IS
              + NUMBER);
  private static final Pattern CM_NUMBER =
      Pattern.compile(
          "(?:cm|cma|connection manager|acceptor|connector)[ _](?:event|handler)(?:[ _]type|:? event)?"
              + "(?: bl blka)?"
              + IS
              + NUMBER);
  private static final Pattern EVENT_NUMBER = Pattern.compile("(?<![a-z_])event" + GAP + NUMBER);
  private static final Pattern EVENT_TYPE = Pattern.compile("event_type" + IS + NUMBER);
  private static final Pattern REASON =
      Pattern.compile("(?:(?:reject(?:ed|ion)?[ _])?reason|cm reject)" + IS + NUMBER);
  private static final Pattern ERRNO =
      Pattern.compile("(?<![a-z_])(?:errno|os error)" + IS + NUMBER);
  private static final Pattern NEGATIVE =
      Pattern.compile("(?<![0-9a-z.)-])-([0-9]{1,3})(?![0-9a-z_.:-]*[0-9a-z])");
  private static final Pattern COMPLETION_NUMBER =
      Pattern.compile(
          "(?<![a-z_])(?:wc|completion|work completion|cqe|op)(?:[ ._]|->)(?:status|error|err)"
              + IS
              + "(?:-- )?"
              + NUMBER);
  private static final Pattern STATUS =
      Pattern.compile("(?<![a-z_])status" + IS + "(?:-- )?" + NUMBER);
  private static final Pattern ERROR =
      Pattern.compile("(?<![a-z_])(?:error|err)(?: code)?" + IS + NUMBER);
  private static final Pattern RETURN =
      Pattern.compile(
          "(?<![a-z_])(?:ret(?:urn(?:ed|s)?)?(?: value| code)?|rc|res(?:ult)?)" + IS + NUMBER);
  private static final Pattern FAILED =
      Pattern.compile(
          "(?<![a-z_])fail(?:ed|ure)?(?:[^0-9]{0,40} with)?[ :=(\\[]{1,3}"
              + NUMBER
              + "(?=\\s*(?:$|[,;.)\\]:(]))");

  /** A number in parentheses, or at the end, behind what a program could not do. */
  private static final Pattern COULD_NOT =
      Pattern.compile(
          "(?:couldn't|could not|cannot|can't|unable to|failed to)[^()0-9]{1,80}"
              + "(?:\\(|: )(-?[0-9]{1,3})(?:\\)|\\.?$)");

  /** A number at the end, behind the function that returned it. */
  private static final Pattern RETURNED =
      Pattern.compile("(?:ibv|rdma|fi)_\\w+(?:\\(\\))?[,:=] ?(-?[0-9]{1,3})\\.?$");

  /** A negative errno as an unsigned number of 32 bits. */
  private static final Pattern UNSIGNED = Pattern.compile("0xffffff([0-9a-f]{2})(?![0-9a-f])");

  private static final Pattern FAILURE =
      Pattern.compile(
          "fail|err|unreach|ret(?:urn|\\b)|rc\\b|status|abort|could not|cannot|can't|couldn't|unable|refused"
              + "|reject|unexpected|timed? ?out|wait|clos|lost|disconnect|invalid|bad\\b|down\\b");
  private static final Pattern COMPLETION =
      Pattern.compile(
          "\\bcompletions?\\b|complete\\b|\\bcqe?\\b|\\bwc\\b|\\bwc_|\\bwr_?id\\b|net/ib|\\bpoll(?:ed|ing)?\\b"
              + "|work request|\\bvendor|\\bvend\\b|\\bvend_|\\bsynd|\\bioctx\\b|kiblnd_[rt]x|\\b[rt]x\\b");
  private static final Pattern FUNCTION =
      Pattern.compile(
          "\\b(?:spdk_)?(?:ibv|rdma|ib|fi|mlx[45]dv|efadv|ucp|uct|nccl)_(?!wc_|qps_|mtu_|(?:read|write|send|srpt?)\\b|\\w*(?:poll|cq_s?read|cqe"
              + "|compl|_wc|event|handle|process|_str))\\w++(?!\\.[a-z])|get_cm_event");
  private static final Pattern CALL =
      Pattern.compile(
          "\\b(?:creat|regist|alloc|modif|resolv|bind|listen|accept|destroy|dereg|quer[yi]|mmap|pin"
              + "|post|connect|init|open|reg|map|get)(?:\\w{0,8})\\b");
  private static final Pattern CM =
      Pattern.compile("\\bcma?\\b|cm[ _]event|rdma_cm|\\bcm_|connection manager|cma_handler");
  private static final Pattern REJECTED =
      Pattern.compile("rejected|reject reason|cm reject|\\brej\\b|ib_cm_rej|\\breject\\b *:");
  private static final Pattern REJECTING = Pattern.compile("\\breject(?:ing|s)?\\b");
  private static final Pattern ASYNC = Pattern.compile("\\basync|ibv_event|event_type|ib[ _]event");

  /** Before what did not happen, or is not what happened. */
  private static final Pattern EXPECTED =
      Pattern.compile(
          "(?:\\bexpect(?:s|ed|ing)?|\\bwait(?:ed|ing)? for|instead of|[!=]=|\\bnot)[: ]+"
              + "(?:an? )?(?:cm )?(?:event )?[\"'(]?$");

  private static final Pattern QEMU = Pattern.compile("qemu|wridscope|control (?:send|recv)");
  private static final Pattern OUR_DEVICE = Pattern.compile("wridscope|software device");
  private static final Pattern OTHER_DEVICE =
      Pattern.compile(
          "bnxt|irdma|i40iw|\\befa|\\brxe|rdma_rxe|\\bsiw|hns_|\\bhns|erdma|qedr|cxgb4|\\bmana|ionic"
              + "|ocrdma|broadcom|chelsio");
  private static final Pattern OTHER_PROVIDER =
      Pattern.compile("\\b(?:efa|tcp|sockets|psm[23x]?|opx|cxi|shm|gni|usnic)\\b");
  private static final Pattern RDMA =
      Pattern.compile(
          "rdma|\\bib|ibv_|verbs|infiniband|\\broce|mlx[45]|\\bqp|queue pair|\\bhca|nvme|nvmf|ucx"
              + "|\\bfi_|libfabric|net/ib"
              + "|\\bmr\\b|memory region|register|\\bcq\\b|post(?:ing)?(?: \\w+)? (?:recv|receive|send)");

  /** A line without any of these, and without a name, has no number that could mean something. */
  private static final List<String> MAY_HAVE_NUMBERS =
      List.of(
          "err",
          "fail",
          "status",
          "vend",
          "synd",
          "wrid",
          "wr_id",
          "wr id",
          "request id",
          "reason",
          "event ",
          " rc",
          "return",
          "ret ",
          "ret=",
          "ret:",
          "code",
          "result",
          " res=",
          "wc",
          "could",
          "cannot",
          "can't",
          "unable",
          "reject",
          "clos",
          "lost",
          "invalid",
          "bad ",
          " down",
          " with",
          "0xffffff");

  private static final int LAST_STATUS = 23;

  private final String lower;

  /** The line, with spaces instead of the numbers that have been read. */
  private String rest;

  private final LinkedHashSet<Meaning> meanings = new LinkedHashSet<>();
  private final List<String> remarks = new ArrayList<>();
  private @Nullable Meaning status;
  private @Nullable Meaning succeeded;
  private boolean rejected;

  private LineReader(String line) {
    lower = line.toLowerCase(Locale.ROOT);
    rest = lower;
  }

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
    var reader = new LineReader(line);
    sentence.ifPresent(said -> reader.meanings.add(said.meaning()));
    reader.read(words, sentence.isPresent());
    return new Explanation(
        List.copyOf(reader.meanings),
        reader.remarks,
        sentence.map(said -> said.meaning().weight()).orElseGet(reader::weight),
        sentence.map(Messages.Sentence::end).orElse(null));
  }

  private void read(Words words, boolean sentence) {
    if (firmware()) {
      return;
    }
    List<Terms.Found> found = TERMS.in(words);
    tracedWrids();
    if (found.isEmpty() && !mayHaveNumbers()) {
      return;
    }
    if (sentence) {
      connectionEvents(found.stream().filter(term -> !term.weak()).toList());
      errnos(found);
      if (!has(Kind.ERRNO)) {
        each("", ERROR, this::errno);
      }
      return;
    }
    statuses(found);
    connectionEvents(found);
    asynchronousEvents(found);
    errnos(found);
    vendorErrors();
    rejectReasons(found);
    acknowledgements(found);
    wrids();
    numbers();
    if (meanings.isEmpty() && succeeded != null) {
      meanings.add(succeeded);
    }
    aboutTheStatus();
  }

  // ------------------------------------------------------------------------- names and sentences

  private boolean mayHaveNumbers() {
    for (String part : MAY_HAVE_NUMBERS) {
      if (lower.contains(part)) {
        return true;
      }
    }
    return !lower.isEmpty()
        && Character.isDigit(lower.charAt(lower.length() - 1))
        && RETURNED.matcher(lower).find();
  }

  private boolean firmware() {
    if (lower.contains(" op_mod(")) {
      Matcher command = FIRMWARE.matcher(lower);
      if (command.find()) {
        refusal(
            "the command %s (%s)"
                .formatted(command.group(1).toUpperCase(Locale.ROOT), command.group(2)),
            command.group(3),
            command.group(4),
            command.group(5));
        return true;
      }
    }
    Matcher devx = DEVX.matcher(lower);
    if (lower.contains("devx") && devx.find()) {
      refusal("a command of DevX", devx.group(3), devx.group(4), devx.group(2));
      return true;
    }
    return false;
  }

  private void refusal(String command, String statusOfIt, String syndrome, @Nullable String err) {
    long number = Long.parseLong(statusOfIt.substring(2), 16);
    Meanings.numbered(Kind.FIRMWARE_STATUS, number).forEach(meanings::add);
    if (meanings.isEmpty()) {
      remarks.add("The status %#x of the firmware is not known.".formatted(number));
    }
    if (err != null) {
      errno(Math.abs(Long.parseLong(err)));
    }
    remarks.add(
        "The firmware of the device refused %s. The syndrome %s is a code of the"
                .formatted(command, syndrome)
            + " firmware for the exact reason, which its maker can look up: no completion status.");
  }

  private void statuses(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.COMPLETION_STATUS
          && (!term.weak() || COMPLETION.matcher(lower).find())
          && !EXPECTED.matcher(lower.substring(0, term.start())).find()) {
        if (term.meaning().value() == 0) {
          succeeded = term.meaning();
        } else {
          status(term.meaning());
        }
        skip(Pattern.compile("\\s*[(\\[]?\\s*" + term.meaning().value() + "\\b"), term.end());
      }
    }
  }

  private void status(Meaning meaning) {
    meanings.add(meaning);
    if (status == null) {
      status = meaning;
    }
  }

  /** Leaves out what follows a name directly: its own number. */
  private void skip(Pattern number, int from) {
    Matcher behind = number.matcher(rest).region(from, rest.length());
    if (behind.lookingAt()) {
      blank(behind.start(), behind.end());
    }
  }

  private void blank(int start, int end) {
    rest = rest.substring(0, start) + " ".repeat(end - start) + rest.substring(end);
  }

  private void connectionEvents(List<Terms.Found> found) {
    boolean spoken = (lower.contains("cm") || lower.contains("conn")) && CM.matcher(lower).find();
    List<Terms.Found> events =
        found.stream()
            .filter(term -> term.meaning().kind() == Kind.CM_EVENT)
            .filter(term -> !term.weak() || spoken)
            .toList();
    List<Terms.Found> happened =
        events.stream()
            .filter(term -> !EXPECTED.matcher(lower.substring(0, term.start())).find())
            .toList();
    for (Terms.Found term : happened.isEmpty() ? events : happened) {
      meanings.add(term.meaning());
    }
    for (Terms.Found term : events) {
      skip(Pattern.compile("\\s*[(\\[]\\s*" + term.meaning().value() + "\\s*[)\\]]"), term.end());
    }
    each("event", CM_NUMBER, number -> event(number, events.isEmpty()));
    if (spoken) {
      each("event_type", EVENT_TYPE, number -> event(number, events.isEmpty()));
      each("event", EVENT_NUMBER, number -> event(number, events.isEmpty()));
    }
    rejected =
        meanings.stream().anyMatch(meaning -> meaning.name().equals("RDMA_CM_EVENT_REJECTED"))
            || (lower.contains("rej") && REJECTED.matcher(lower).find());
  }

  private void event(long number, boolean only) {
    if (only) {
      Meanings.numbered(Kind.CM_EVENT, number).forEach(meanings::add);
    }
  }

  private void asynchronousEvents(List<Terms.Found> found) {
    boolean any = false;
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.ASYNC_EVENT
          && (!term.weak() || isOfEvent(term.meaning()))) {
        meanings.add(term.meaning());
        any = true;
        skip(Pattern.compile("\\s*[(\\[]?\\s*" + term.meaning().value() + "\\b"), term.end());
      }
    }
    boolean named = any;
    each(
        "event",
        ASYNC_NUMBER,
        number -> {
          if (!named) {
            Meanings.numbered(Kind.ASYNC_EVENT, number).forEach(meanings::add);
          }
        });
  }

  /** "CQ error" may be said of a completion, and the others of anything. */
  private boolean isOfEvent(Meaning event) {
    return ASYNC.matcher(lower).find()
        ? status == null
        : event.value() != 0 && RDMA.matcher(lower).find();
  }

  private void errnos(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.ERRNO && !isClassOfLibvirt(term)) {
        meanings.add(term.meaning());
        skip(Pattern.compile("\\s*[(\\[]?\\s*-?" + term.meaning().value() + "\\b"), term.end());
      }
    }
    each(
        "",
        ERRNO,
        number -> {
          if (!has(Kind.ERRNO)) {
            errno(Math.abs(number));
          }
        });
  }

  /** libvirt begins its messages with the class of the error: "error: invalid argument: ...". */
  private boolean isClassOfLibvirt(Terms.Found term) {
    String before = lower.substring(0, term.start());
    return (before.endsWith("error: ") || before.endsWith("error : "))
        && lower.startsWith(": ", term.end());
  }

  private void rejectReasons(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.REJECT_REASON
          && (lower.startsWith("ib_cm_rej", term.start())
              || (rejected && isSaidOfReject(lower.substring(0, term.start()))))) {
        meanings.add(term.meaning());
      }
    }
  }

  /** Not behind the number of another protocol, such as "nvme status 6 (". */
  private static boolean isSaidOfReject(String before) {
    return SAID.matcher(before).find() && !OTHER_STATUS.matcher(before).find();
  }

  private void acknowledgements(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.ACKNOWLEDGEMENT && status == null) {
        meanings.add(term.meaning());
      }
    }
  }

  // ------------------------------------------------------------------------------------- numbers

  private interface Use {
    void of(long number);
  }

  /**
   * Uses each number that a pattern finds, and leaves it out of the rest.
   *
   * @param part what every text has that the pattern finds
   */
  private void each(String part, Pattern pattern, Use use) {
    if (!rest.contains(part)) {
      return;
    }
    Matcher pair = pattern.matcher(rest);
    int at = 0;
    while (pair.find(at)) {
      Long number = parsed(pair.group(1));
      at = pair.end();
      blank(pair.start(), pair.end());
      pair = pattern.matcher(rest);
      if (number != null) {
        use.of(number);
      }
      if (at >= rest.length()) {
        break;
      }
    }
  }

  private static @Nullable Long parsed(String number) {
    boolean negative = number.startsWith("-");
    String digits = negative ? number.substring(1) : number;
    try {
      long value =
          digits.startsWith("0x")
              ? Long.parseUnsignedLong(digits.substring(2), 16)
              : Long.parseUnsignedLong(digits);
      return negative ? -value : value;
    } catch (NumberFormatException e) {
      // More than 64 bits.
      return null;
    }
  }

  private void vendorErrors() {
    if (lower.contains("hns")) {
      for (String number : taken(HNS)) {
        syndromeOfHns(number);
      }
    }
    boolean syndrome = lower.contains("synd");
    if (syndrome) {
      remove(HARDWARE_SYNDROME);
    }
    List<String> vendors = new ArrayList<>();
    if (lower.contains("vend")) {
      vendors.addAll(taken(VENDOR));
    }
    if (status != null) {
      vendors.addAll(taken(STATUS_AND_VENDOR));
    }
    for (String number : syndrome ? taken(SYNDROME) : List.<String>of()) {
      Long value = parsed(number);
      boolean perftest = lower.contains("syndrom 0x") && lower.contains("wr_id");
      Optional<String> meant =
          value == null || perftest || value > 0xff || OTHER_DEVICE.matcher(lower).find()
              ? Optional.empty()
              : VendorErrors.statusOf(value.intValue());
      if (value != null && value > 0xff) {
        remarks.add(
            "The syndrome %s is a code of the device's firmware, which its maker can look up."
                .formatted(number));
      } else if (meant.isEmpty()) {
        vendors.add(number);
      } else if (status == null) {
        status(named("IBV_WC_" + meant.get()));
        remarks.add("The driver makes this status of the syndrome %s.".formatted(number));
      }
    }
    if (status == null) {
      // A completion's number decides how its vendor error is read.
      numbersOfCompletions();
    }
    vendors.forEach(this::vendorError);
  }

  private void syndromeOfHns(String number) {
    VendorErrors.statusOf(Integer.parseInt(number.substring(2), 16))
        .ifPresentOrElse(
            name -> {
              status(named("IBV_WC_" + name));
              remarks.add("The driver makes this status of the device's %s.".formatted(number));
            },
            () -> remarks.add("The status %s is the device's own.".formatted(number)));
  }

  private static Meaning named(String name) {
    return Meanings.all().stream()
        .filter(meaning -> meaning.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void remove(Pattern pattern) {
    Matcher matcher = pattern.matcher(rest);
    while (matcher.find()) {
      blank(matcher.start(), matcher.end());
    }
  }

  private List<String> taken(Pattern pattern) {
    var taken = new ArrayList<String>();
    Matcher matcher = pattern.matcher(rest);
    while (matcher.find()) {
      taken.add(matcher.group(1));
      blank(matcher.start(), matcher.end());
    }
    return taken;
  }

  private void vendorError(String number) {
    boolean hexadecimal = number.startsWith("0x") || !number.matches("[0-9]+");
    var values = new LinkedHashSet<Long>();
    String digits = number.startsWith("0x") ? number.substring(2) : number;
    if (!hexadecimal) {
      values.add(Long.parseLong(digits));
    }
    values.add(Long.parseLong(digits, 16));
    if (values.contains(0L)) {
      return;
    }
    if (OUR_DEVICE.matcher(lower).find()) {
      Meanings.numbered(Kind.VENDOR_ERROR, values.iterator().next())
          .filter(meaning -> !VendorErrors.isSyndrome(meaning) && !VendorErrors.isReported(meaning))
          .forEach(meanings::add);
      return;
    }
    List<Meaning> known =
        OTHER_DEVICE.matcher(lower).find()
            ? List.of()
            : values.stream().flatMap(value -> VendorErrors.reported(value, status).stream()).toList();
    meanings.addAll(known);
    if (known.size() > 1) {
      remarks.add(
          "The vendor error %s may be a decimal or a hexadecimal number; the decimal one is told"
                  .formatted(number)
              + " first.");
    } else if (known.isEmpty()) {
      remarks.add(
          "The vendor error %s is the device's own code; no public meaning of it is known%s."
              .formatted(number, status == null ? "" : " for this status"));
    }
  }

  private void tracedWrids() {
    if (!lower.contains("control ") && !lower.contains("write rdma")) {
      return;
    }
    Matcher traced = TRACED_WRID.matcher(lower);
    while (traced.find()) {
      Long wrid = parsed(traced.group(1));
      if (wrid != null) {
        Meanings.ofWrid(wrid).ifPresent(meanings::add);
      }
    }
  }

  private void wrids() {
    if (!lower.contains("wr")) {
      return;
    }
    boolean ours = QEMU.matcher(lower).find();
    each(
        "wr",
        WRID,
        number -> {
          boolean chunk =
              WorkRequestId.type(number) == WorkRequestId.RDMA_WRITE
                  && WorkRequestId.chunk(number) > 0;
          if (ours || (chunk && status == null && !COMPLETION.matcher(rest).find())) {
            Meanings.ofWrid(number).ifPresent(meanings::add);
          }
        });
  }

  private boolean has(Kind kind) {
    return meanings.stream().anyMatch(meaning -> meaning.kind() == kind);
  }

  /** Numbers that can only be those of a completion, or are because the line speaks of one. */
  private void numbersOfCompletions() {
    each("", COMPLETION_NUMBER, this::status);
    each("prov", PROVIDER, this::providersError);
    if (isOfCompletion()) {
      each("status", STATUS, this::statusOrErrno);
      each("", ERROR, this::statusOrErrno);
      each("", FAILED, this::statusOrErrno);
    }
  }

  private void status(long number) {
    if (number < 0) {
      negative(-number);
    } else if (number > 0 && number <= LAST_STATUS) {
      Meanings.numbered(Kind.COMPLETION_STATUS, number).forEach(this::status);
    } else if (number > 0) {
      remarks.add(
          "%d is no completion status (they are 0 to %d); it may be the program's own number."
              .formatted(number, LAST_STATUS));
    }
  }

  private void statusOrErrno(long number) {
    if (status == null || number < 0) {
      status(number);
    }
  }

  private void providersError(long number) {
    if (OTHER_PROVIDER.matcher(lower).find()) {
      remarks.add("%d is the provider's own number.".formatted(number));
    } else if (status == null) {
      status(number);
    }
  }

  /** Whether the line speaks of a completion before, or rather than, a call that failed. */
  private boolean isOfCompletion() {
    if (rejected || has(Kind.CM_EVENT) || isOfCall()) {
      return false;
    }
    return COMPLETION.matcher(lower).find();
  }

  private boolean isOfCall() {
    if (FUNCTION.matcher(lower).find()) {
      return true;
    }
    Matcher completion = COMPLETION.matcher(lower);
    Matcher call = CALL.matcher(lower);
    return call.find() && (!completion.find() || call.start() < completion.start());
  }

  private void numbers() {
    if (status != null) {
      each("prov", PROVIDER, this::providersError);
    }
    if (FAILURE.matcher(lower).find()) {
      negatives();
    }
    if (rejected) {
      each("re", REASON, this::rejectReason);
      each("status", STATUS, this::rejectReason);
      each("", ERROR, this::rejectReason);
      each("(", IN_PARENTHESES, this::rejectReason);
      if (has(Kind.REJECT_REASON)) {
        // UCX and others print the text of a general errno with it.
        meanings.removeIf(meaning -> meaning.kind() == Kind.ERRNO);
      }
      return;
    }
    if (status != null || has(Kind.ERRNO)) {
      return;
    }
    numbersOfCompletions();
    if (status != null) {
      return;
    }
    each("status", STATUS, has(Kind.ASYNC_EVENT) ? this::statusOrErrno : this::statusAlone);
    if (has(Kind.ASYNC_EVENT)) {
      return;
    }
    each("", ERROR, this::errorOfCall);
    if (isOfCall()) {
      each("r", RETURN, this::errorAlone);
    }
    each("", FAILED, this::errorAlone);
    each("", COULD_NOT, this::errorAlone);
    each("_", RETURNED, this::negative);
  }

  private void negatives() {
    Matcher unsigned = UNSIGNED.matcher(rest);
    if (unsigned.find() && !has(Kind.ERRNO)) {
      errno(0x100 - Long.parseLong(unsigned.group(1), 16));
    }
    Matcher negative = NEGATIVE.matcher(rest);
    while (negative.find()) {
      long number = Long.parseLong(negative.group(1));
      if (!has(Kind.ERRNO)) {
        negative(number);
      }
      blank(negative.start(), negative.end());
    }
  }

  /** Before the text of a reason. */
  private static final Pattern SAID = Pattern.compile("(?:[:(\"']|reason(?: is)?|as) ?$");

  private static final Pattern OTHER_STATUS = Pattern.compile("nvme status [0-9]{1,5} \\($");

  private static final Pattern IN_PARENTHESES =
      Pattern.compile("(?:status|error|reason|refused|rejected)[^()0-9]{0,40}\\(([0-9]{1,2})\\)");

  private void rejectReason(long number) {
    if (number < 0) {
      negative(-number);
    } else if (!has(Kind.REJECT_REASON)) {
      Meanings.numbered(Kind.REJECT_REASON, number).forEach(meanings::add);
    }
  }

  /** A negative number: an errno, except -1, which says only that a call failed. */
  private void negative(long number) {
    if (number > 1) {
      errno(number);
    } else {
      remarks.add("-1 says only that the call failed: it is no errno.");
    }
  }

  private void errno(long number) {
    Meanings.numbered(Kind.ERRNO, number).forEach(meanings::add);
  }

  /** A status in a line that does not say of what. */
  private void statusAlone(long number) {
    boolean call = isOfCall() || has(Kind.CM_EVENT);
    if (REJECTING.matcher(lower).find()) {
      remarks.add(
          "%d is the number with which the program rejected somebody: its own, neither a completion"
                  .formatted(number)
              + " status nor an errno.");
    } else if (call || number > LAST_STATUS) {
      errno(number);
      if (!has(Kind.ERRNO) && number > 0) {
        remarks.add(
            "%d is no number that is known here: perhaps the program's own.".formatted(number));
      }
    } else if (number > 0 && RDMA.matcher(lower).find()) {
      Meanings.numbered(Kind.COMPLETION_STATUS, number).forEach(this::status);
      errno(number);
      if (has(Kind.ERRNO)) {
        remarks.add(
            "%d is a completion status or an errno; the likelier one is told first."
                .formatted(number));
      }
    } else if (number > 0) {
      remarks.add("%d may be the program's own number.".formatted(number));
    }
  }

  /** An error in a line that may speak of a call that has nothing to do with RDMA. */
  private void errorOfCall(long number) {
    if (isOfCall() && !RDMA.matcher(lower).find() && number > 1 && !has(Kind.CM_EVENT)) {
      errno(number);
      if (has(Kind.ERRNO)) {
        remarks.add("%d is an errno if the program prints those.".formatted(number));
      }
    } else {
      errorAlone(number);
    }
  }

  /** An error in a line that does not say of what. */
  private void errorAlone(long number) {
    if (number <= 1 || has(Kind.ERRNO) || status != null) {
      return;
    }
    if (!FUNCTION.matcher(lower).find() && !has(Kind.CM_EVENT) && !RDMA.matcher(lower).find()) {
      remarks.add("%d may be the program's own number.".formatted(number));
      return;
    }
    errno(number);
    if (!isOfCall()
        && !has(Kind.CM_EVENT)
        && has(Kind.ERRNO)
        && number <= LAST_STATUS
        && RDMA.matcher(lower).find()) {
      Meanings.numbered(Kind.COMPLETION_STATUS, number).forEach(meanings::add);
      remarks.add(
          "%d is an errno or a completion status; the likelier one is told first."
              .formatted(number));
    }
  }

  private static final Pattern OPCODE = Pattern.compile("opcode|byte_len|\\blen\\b");
  private static final Pattern RECEIVE = Pattern.compile("\\brecv\\b|\\breceive\\b");

  private void aboutTheStatus() {
    Meaning known = status;
    if (known == null || known.value() == 0) {
      return;
    }
    if (OPCODE.matcher(lower).find()) {
      remarks.add(
          "Opcode and length of a completion with an error are not valid; only wr_id, status, queue"
              + " pair and vendor error are (ibv_poll_cq(3)).");
    }
    if (known.name().endsWith("RETRY_EXC_ERR") && RECEIVE.matcher(lower).find()) {
      remarks.add(
          "Retries run out for requests that are sent: that the line speaks of a receive is"
              + " doubtful.");
    }
  }

  // -------------------------------------------------------------------------------------- weight

  private Weight weight() {
    if (meanings.isEmpty()) {
      return Weight.NOTICE;
    }
    Meaning first = meanings.getFirst();
    if (first.kind() == Kind.ERRNO && !RDMA.matcher(lower).find()) {
      return Weight.GENERAL;
    }
    return first.weight();
  }
}
