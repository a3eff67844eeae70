// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * A queue pair of a process, as the program {@code rdma} reads it from the kernel; what that does
 * not tell is null. See the kernel's {@code fill_res_qp_entry} and iproute2's {@code res-qp.c}.
 *
 * @param device the name of its device
 * @param number {@code ibv_qp.qp_num}, 24 bits
 * @param type such as {@code RC}
 * @param state {@code RESET}, {@code INIT}, {@code RTR}, {@code RTS}, {@code SQD}, {@code SQE} or
 *     {@code ERR}
 * @param remote the number of the peer's queue pair, 24 bits; only of types that have one
 * @param sendPsn packet sequence number of the send queue, 24 bits
 * @param receivePsn that of the receive queue; only of types that have one
 */
record QueuePairReading(
    long pid,
    String device,
    long number,
    @Nullable String type,
    @Nullable String state,
    @Nullable Long remote,
    @Nullable Long sendPsn,
    @Nullable Long receivePsn) {
  /** Numbers of queue pairs and of packets have 24 bits. */
  private static final long MAX_NUMBER = (1 << 24) - 1;

  private static final int MAX_TEXT = 64;

  /** States in which a queue pair has a peer. */
  private static final List<String> CONNECTED = List.of("RTR", "RTS", "SQD", "SQE", "ERR");

  private static final List<String> NOT_CONNECTED = List.of("RESET", "INIT");

  private static final List<String> FAILED = List.of("SQE", "ERR");

  /** Which queue pair of a process it is: those of two devices may have the same number. */
  record Key(String device, long number) {}

  /**
   * The queue pairs of all processes of this machine, as far as this user may see them.
   *
   * @throws IOException if they cannot be listed; one sentence
   */
  static List<QueuePairReading> list() throws IOException, InterruptedException {
    return parse(RdmaTool.showDetails("qp"));
  }

  /** Reads what {@code rdma -j -d resource show qp} prints; those of the kernel are left out. */
  static List<QueuePairReading> parse(String json) throws IOException {
    return RdmaTool.objects(json).stream()
        .filter(each -> RdmaTool.number(each, "pid").orElse(0) > 0)
        .map(QueuePairReading::of)
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<QueuePairReading> of(JsonObject each) {
    return key(each).map(key -> of(key, each));
  }

  private static QueuePairReading of(Key key, JsonObject each) {
    return new QueuePairReading(
        RdmaTool.number(each, "pid").orElseThrow(),
        key.device,
        key.number,
        text(each, "type"),
        text(each, "state"),
        number(each, "rqpn"),
        number(each, "sq-psn"),
        number(each, "rq-psn"));
  }

  /** The queue pair of a resource. */
  static Optional<Key> key(JsonObject resource) {
    Long number = number(resource, "lqpn");
    String device = text(resource, "ifname");
    return number == null
        ? Optional.empty()
        : Optional.of(new Key(device == null ? "?" : device, number));
  }

  /** A number that can be one; null if there is none. */
  private static @Nullable Long number(JsonObject of, String member) {
    OptionalLong number = RdmaTool.number(of, member);
    return number.isPresent() && number.getAsLong() >= 0 && number.getAsLong() <= MAX_NUMBER
        ? number.getAsLong()
        : null;
  }

  private static @Nullable String text(JsonObject of, String member) {
    return of.get(member) instanceof JsonPrimitive text && text.isString()
        ? Legible.of(text.getAsString(), MAX_TEXT)
        : null;
  }

  Key key() {
    return new Key(device, number);
  }

  /** Whether it has been connected to a peer. */
  boolean isConnected() {
    return state != null && CONNECTED.contains(state);
  }

  /** Whether it is in a state before it is connected. */
  boolean isNotConnected() {
    return state != null && NOT_CONNECTED.contains(state);
  }

  /** Whether it is in a state after an error. */
  boolean hasFailed() {
    return state != null && FAILED.contains(state);
  }

  /** The peer's queue pair, whose host the kernel does not tell. */
  String remoteName() {
    return "QP %d (its host is not known)".formatted(remote);
  }
}
