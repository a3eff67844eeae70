// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.protocol.WorkRequestId;

/** Reads what a line says of completions: statuses, vendor errors, wrids. */
final class CompletionReader {
  private static final Pattern HARDWARE_SYNDROME =
      Pattern.compile("hw[ _]?(?:err[ _])?synd\\w*[ :=]*[0-9a-fx/]+");
  private static final Pattern VENDOR =
      Pattern.compile(
          "(?:vendor|vend)[ _]?(?:err(?:or)?)?[ _]?(?:synd(?:rome)?)?(?:[ _]code)?"
              + Reading.IS
              + "(0x[0-9a-f]{1,8}|[0-9a-f]{1,8})(?![0-9a-z_])");
  private static final Pattern STATUS_AND_VENDOR =
      Pattern.compile("\\([0-9]{1,2}/(0x[0-9a-f]{1,4})\\)");
  private static final Pattern SYNDROME =
      Pattern.compile(
          "(?<![a-z_])synd(?:rome?)?" + Reading.GAP + "(0x[0-9a-f]{1,8}|[0-9]{1,3})(?![0-9a-z_])");

  /** A completion of hns, whose driver prints the syndrome and not the status. */
  private static final Pattern HNS =
      Pattern.compile("hns.*error cqe status(?: is)?:? ?(0x[0-9a-f]{1,2})(?![0-9a-f])");

  private static final Pattern PROVIDER =
      Pattern.compile("prov(?:ider)?[ _]?err(?:no|or)?" + Reading.IS + Reading.NUMBER);
  private static final Pattern WRID =
      Pattern.compile(
          "(?<![a-z0-9])(?:wrid|wr[_ ]id|work request id)" + Reading.IS + Reading.NUMBER);
  private static final Pattern TRACED_WRID =
      Pattern.compile("(?:write rdma|control send|control recv) ?\\(([0-9]{1,19})\\)");
  private static final Pattern COMPLETION_NUMBER =
      Pattern.compile(
          "(?<![a-z_])(?:wc|completion|work completion|cqe|op)(?:[ ._]|->)(?:status|error|err)"
              + Reading.IS
              + "(?:-- )?"
              + Reading.NUMBER);
  private static final Pattern QEMU = Pattern.compile("qemu|wridscope|control (?:send|recv)");
  private static final Pattern OUR_DEVICE = Pattern.compile("wridscope|software device");
  private static final Pattern OTHER_DEVICE =
      Pattern.compile(
          "bnxt|irdma|i40iw|\\befa|\\brxe|rdma_rxe|\\bsiw|hns_|\\bhns|erdma|qedr|cxgb4|\\bmana|ionic"
              + "|ocrdma|broadcom|chelsio");
  private static final Pattern OTHER_PROVIDER =
      Pattern.compile("\\b(?:efa|tcp|sockets|psm[23x]?|opx|cxi|shm|gni|usnic)\\b");
  private static final Pattern OPCODE = Pattern.compile("opcode|byte_len|\\blen\\b");
  private static final Pattern RECEIVE = Pattern.compile("\\brecv\\b|\\breceive\\b");
  static final int LAST_STATUS = 23;

  // AETH syndromes of NAKs: 0b011 in bits 7 to 5, and a code; 4 is of reliable datagrams.
  private static final int FIRST_NAK = 0x60;
  private static final int LAST_NAK = 0x63;

  private final Reading line;
  private @Nullable Meaning succeeded;

  CompletionReader(Reading line) {
    this.line = line;
  }

  void statuses(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.COMPLETION_STATUS
          && (!term.weak() || line.has(Reading.COMPLETION))
          && !Reading.EXPECTED.matcher(line.lower.substring(0, term.start())).find()) {
        if (term.meaning().value() == 0) {
          succeeded = term.meaning();
        } else {
          line.status(term.meaning());
        }
        line.skip(Pattern.compile("\\s*[(\\[]?\\s*" + term.meaning().value() + "\\b"), term.end());
      }
    }
  }

  void vendorErrors() {
    if (line.lower.contains("hns")) {
      for (String number : line.taken(HNS)) {
        syndromeOfHns(number);
      }
    }
    boolean syndrome = line.lower.contains("synd");
    if (syndrome) {
      line.remove(HARDWARE_SYNDROME);
    }
    List<String> vendors = new ArrayList<>();
    List<String> naks = new ArrayList<>();
    if (line.lower.contains("vend")) {
      vendors.addAll(line.taken(VENDOR));
    }
    if (line.status != null) {
      vendors.addAll(line.taken(STATUS_AND_VENDOR));
    }
    for (String number : syndrome ? line.taken(SYNDROME) : List.<String>of()) {
      Long value = Reading.parsed(number);
      boolean perftest = line.lower.contains("syndrom 0x") && line.lower.contains("wr_id");
      Optional<String> meant =
          value == null || perftest || value > 0xff || line.has(OTHER_DEVICE)
              ? Optional.empty()
              : VendorErrors.statusOf(value.intValue());
      if (value != null && value > 0xff) {
        line.firmware = true;
        line.remarks.add(
            "The syndrome %s is a code of the device's firmware, which its maker can look up."
                .formatted(number));
      } else if (!perftest && isOfNak(value)) {
        naks.add(number);
      } else if (meant.isEmpty()) {
        vendors.add(number);
      } else if (line.status == null) {
        line.status(named("IBV_WC_" + meant.get()));
        line.remarks.add("The driver makes this status of the syndrome %s.".formatted(number));
      }
    }
    if (line.status == null) {
      // A completion's number decides how its vendor error is read.
      numbers();
    }
    vendors.forEach(this::vendorError);
    naks.forEach(line.status == null ? this::acknowledgement : this::vendorError);
  }

  /** Whether a syndrome is one of a negative acknowledgement, if the line is of no completion. */
  private boolean isOfNak(@Nullable Long syndrome) {
    return syndrome != null
        && syndrome >= FIRST_NAK
        && syndrome <= LAST_NAK
        && !line.lower.contains("vend");
  }

  private void acknowledgement(String syndrome) {
    Long value = Reading.parsed(syndrome);
    if (value != null) {
      Meanings.numbered(Kind.ACKNOWLEDGEMENT, value).forEach(line.meanings::add);
      line.remarks.add(
          "%s is the syndrome of a negative acknowledgement in a packet (AETH); of a completion it"
                  .formatted(syndrome)
              + " would be the device's own code.");
    }
  }

  private void syndromeOfHns(String number) {
    VendorErrors.statusOf(Integer.parseInt(number.substring(2), 16))
        .ifPresentOrElse(
            name -> {
              line.status(named("IBV_WC_" + name));
              line.remarks.add(
                  "The driver makes this status of the device's %s.".formatted(number));
            },
            () -> line.remarks.add("The status %s is the device's own.".formatted(number)));
  }

  private static Meaning named(String name) {
    return Meanings.all().stream()
        .filter(meaning -> meaning.name().equals(name))
        .findFirst()
        .orElseThrow();
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
    if (line.has(OUR_DEVICE)) {
      Meanings.numbered(Kind.VENDOR_ERROR, values.iterator().next())
          .filter(meaning -> !VendorErrors.isSyndrome(meaning) && !VendorErrors.isReported(meaning))
          .forEach(line.meanings::add);
      return;
    }
    List<Meaning> known =
        line.has(OTHER_DEVICE)
            ? List.of()
            : values.stream()
                .flatMap(value -> VendorErrors.reported(value, line.status).stream())
                .toList();
    line.meanings.addAll(known);
    if (known.size() > 1) {
      line.remarks.add(
          "The vendor error %s may be a decimal or a hexadecimal number; the decimal one is told"
                  .formatted(number)
              + " first.");
    } else if (known.isEmpty()) {
      line.remarks.add(
          "The vendor error %s is the device's own code; no public meaning of it is known%s."
              .formatted(number, line.status == null ? "" : " for this status"));
    }
  }

  void tracedWrids() {
    if (!line.lower.contains("control ") && !line.lower.contains("write rdma")) {
      return;
    }
    Matcher traced = TRACED_WRID.matcher(line.lower);
    while (traced.find()) {
      Long wrid = Reading.parsed(traced.group(1));
      if (wrid != null) {
        Meanings.ofWrid(wrid).ifPresent(line.meanings::add);
      }
    }
  }

  void wrids() {
    if (!line.lower.contains("wr")) {
      return;
    }
    boolean ours = line.has(QEMU);
    line.each(
        "wr",
        WRID,
        number -> {
          boolean chunk =
              WorkRequestId.type(number) == WorkRequestId.RDMA_WRITE
                  && WorkRequestId.chunk(number) > 0;
          if (ours
              || (chunk && line.status == null && !Reading.COMPLETION.matcher(line.rest).find())) {
            Meanings.ofWrid(number).ifPresent(line.meanings::add);
          }
        });
  }

  /** Numbers that can only be those of a completion, or are because the line speaks of one. */
  void numbers() {
    line.each("", COMPLETION_NUMBER, this::statusNumber);
    line.each("prov", PROVIDER, this::providersError);
    if (isOfCompletion()) {
      line.each("status", Reading.STATUS, this::statusOrErrno);
      line.each("", Reading.ERROR, this::statusOrErrno);
      line.each("", Reading.FAILED, this::statusOrErrno);
    }
  }

  private void statusNumber(long number) {
    if (number < 0) {
      line.negative(-number);
    } else if (number > 0 && number <= LAST_STATUS) {
      Meanings.numbered(Kind.COMPLETION_STATUS, number).forEach(line::status);
    } else if (number > 0) {
      line.remarks.add(
          "%d is no completion status (they are 0 to %d); it may be the program's own number."
              .formatted(number, LAST_STATUS));
    }
  }

  void statusOrErrno(long number) {
    if (line.status == null || number < 0) {
      statusNumber(number);
    }
  }

  /** Numbers of a provider of libfabric beside a status that is known. */
  void providersErrors() {
    if (line.status != null) {
      line.each("prov", PROVIDER, this::providersError);
    }
  }

  private void providersError(long number) {
    if (line.has(OTHER_PROVIDER)) {
      line.remarks.add("%d is the provider's own number.".formatted(number));
    } else if (line.status == null) {
      statusNumber(number);
    }
  }

  /** Whether the line speaks of a completion before, or rather than, a call that failed. */
  private boolean isOfCompletion() {
    if (line.rejected
        || line.firmware
        || line.has(Kind.CM_EVENT)
        || line.has(Reading.OTHER_LIST)
        || line.isOfCall()) {
      return false;
    }
    return line.has(Reading.COMPLETION);
  }

  /** Adds what is known when all of the line was read. */
  void finish() {
    if (line.meanings.isEmpty() && succeeded != null) {
      line.meanings.add(succeeded);
    }
    Meaning known = line.status;
    if (known == null || known.value() == 0) {
      return;
    }
    if (line.has(OPCODE)) {
      line.remarks.add(
          "Opcode and length of a completion with an error are not valid; only wr_id, status, queue"
              + " pair and vendor error are (ibv_poll_cq(3)).");
    }
    if (known.name().endsWith("RETRY_EXC_ERR") && line.has(RECEIVE)) {
      line.remarks.add(
          "Retries run out for requests that are sent: that the line speaks of a receive is"
              + " doubtful.");
    }
  }
}
