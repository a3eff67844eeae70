// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;

/** Everything that can be explained. */
public final class Meanings {
  private static final List<Meaning> ALL = all(MeaningsFile.read());

  private Meanings() {}

  private static List<Meaning> all(List<Meaning> written) {
    var all = new ArrayList<>(written);
    int last = all.stream().map(Meaning::kind).toList().lastIndexOf(Kind.VENDOR_ERROR);
    all.addAll(last + 1, VendorErrors.of(written));
    return List.copyOf(all);
  }

  /** Every meaning except those of work request ids, which are too many. */
  public static List<Meaning> all() {
    return ALL;
  }

  public static Meaning of(WorkCompletionStatus status) {
    return numbered(Kind.COMPLETION_STATUS, status.value()).findFirst().orElseThrow();
  }

  public static Meaning of(AsyncEventType type) {
    return named("IBV_EVENT_" + type.name());
  }

  public static Meaning of(ConnectionEvent.Type type) {
    return named("RDMA_CM_EVENT_" + type.name());
  }

  /** What a negative acknowledgement means; empty for a positive one. */
  public static Optional<Meaning> of(Syndrome.Answer answer) {
    return ALL.stream()
        .filter(meaning -> meaning.kind() == Kind.ACKNOWLEDGEMENT)
        .filter(meaning -> new Syndrome((int) meaning.value()).answer() == answer)
        .findFirst();
  }

  public static Meaning of(Errno errno) {
    return numbered(Kind.ERRNO, errno.value()).findFirst().orElseThrow();
  }

  /**
   * The status of a connection event; see {@code rdma_get_cm_event(3)}.
   *
   * @param status a negative errno or a reject reason
   * @return empty when it is unknown or 0
   */
  public static Optional<Meaning> ofConnectionStatus(long status) {
    return (status < 0 ? numbered(Kind.ERRNO, -status) : numbered(Kind.REJECT_REASON, status))
        .findFirst();
  }

  /** What a work request id means; empty when neither QEMU nor Wridscope uses its type. */
  public static Optional<Meaning> ofWrid(long wrid) {
    return Wrids.of(wrid);
  }

  /**
   * What a user asks for: a number, with or without the kind of value before it; a name, with or
   * without its prefix; the words that a program prints; or a line of a log, such as {@code Failed
   * status 12: wr_id 0 syndrom 0x81}, of which each name and number is read as what the line speaks
   * of.
   *
   * @return everything that it may be, the likeliest first; empty when nothing is known
   */
  public static Explanation explain(String query) {
    return MeaningQuery.find(query);
  }

  /** What a line of a log means, read as what it speaks of. */
  public static Explanation ofLine(String line) {
    return LineReader.read(line);
  }

  /** The vendor errors with this number, written in decimal or with {@code 0x}. */
  public static List<Meaning> findVendorErrors(String number) {
    return MeaningQuery.find("vendor " + number).meanings();
  }

  /** The devices whose vendor errors are known, separated by commas. */
  public static String devicesOfVendorErrors() {
    return VendorErrors.DEVICES;
  }

  static Stream<Meaning> numbered(Kind kind, long value) {
    return kind == Kind.WRID
        ? ofWrid(value).stream()
        : ALL.stream().filter(meaning -> meaning.kind() == kind && meaning.value() == value);
  }

  private static Meaning named(String name) {
    return ALL.stream().filter(meaning -> meaning.name().equals(name)).findFirst().orElseThrow();
  }
}
