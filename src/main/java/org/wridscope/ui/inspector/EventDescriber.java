// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.meaning.CounterMeaning;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.control.Session;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.text.Format;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;

/** Describes events, field by field. */
final class EventDescriber {
  private EventDescriber() {}

  /**
   * @param origin the time that moments are counted from
   */
  static Description describe(Session session, Event event, long origin) {
    SessionTelemetry telemetry = session.telemetry();
    var when =
        List.of(
            new Field("session", session.name(), ""),
            new Field("number", Format.count(event.number()), "counted from 0"),
            new Field("time", Format.moment(event.nanos() - origin), "since the migration began"));
    var sections = new ArrayList<Section>();
    sections.add(new Section("", when));
    sections.add(new Section("Decoded", decoded(event, telemetry)));
    meanings(event).map(Section::of).forEach(sections::add);
    sections.add(raw(event));
    return new Description(
        EventText.kind(event.kind()), EventText.explanation(event.kind()), sections);
  }

  /** What the values of an event mean, as far as they need an explanation. */
  private static Stream<Meaning> meanings(Event event) {
    return switch (event.kind()) {
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          event.detail() == WorkCompletionStatus.SUCCESS.value()
              ? Stream.empty()
              : Stream.of(Meanings.of(WorkCompletionStatus.of(event.detail())));
      case ASYNC -> constant(AsyncEventType.values(), event.detail()).map(Meanings::of);
      case CONNECTION ->
          Stream.concat(
              constant(ConnectionEvent.Type.values(), event.detail()).map(Meanings::of),
              Meanings.ofConnectionStatus(event.argument()).stream());
      case WIRE_NAK -> Meanings.of(new Syndrome(WirePacket.of(event).what()).answer()).stream();
      default -> Stream.empty();
    };
  }

  private static <T> Stream<T> constant(T[] all, int ordinal) {
    return ordinal < all.length ? Stream.of(all[ordinal]) : Stream.empty();
  }

  private static List<Field> decoded(Event event, SessionTelemetry telemetry) {
    var fields = new ArrayList<Field>();
    switch (event.kind()) {
      case POST_SEND -> {
        fields.add(new Field("message", EventText.control(event.detail()), "control message"));
        fields.add(new Field("length", Format.bytes(event.length()), "header and payload"));
        wrid(fields, event, telemetry);
      }
      case POST_WRITE -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("length", Format.bytes(event.length()), ""));
        fields.add(
            new Field(
                "remote address", Format.address(event.argument()), "where it goes at the peer"));
      }
      case POST_RECEIVE -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("offered", Format.bytes(event.length()), "size of the buffer"));
      }
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE -> {
        fields.add(
            new Field(
                "status",
                EventText.completionStatus(event.detail()),
                "ibv_wc_status %s".formatted(event.detail())));
        wrid(fields, event, telemetry);
      }
      case CONTROL_SENT, CONTROL_RECEIVED -> {
        fields.add(
            new Field(
                "type",
                EventText.control(event.detail()),
                "value on the wire: %s".formatted(event.detail())));
        fields.add(new Field("payload", Format.bytes(event.length()), "without the header"));
        if (event.argument() != 0) {
          fields.add(new Field("repeat", Format.count(event.argument()), "entries in the payload"));
        }
      }
      case REGISTERED, DEREGISTERED -> {
        run(fields, event, telemetry, "covered by the key");
        fields.add(new Field("key", Format.key((int) event.argument()), ""));
      }
      case UNREGISTER -> {
        place(fields, event, telemetry);
        fields.add(new Field("chunks", Format.count(event.length()), "of the registration"));
        fields.add(new Field("step", EventText.unregisterStep(event.detail()), ""));
      }
      case ZERO -> {
        place(fields, event, telemetry);
        fields.add(new Field("bytes", Format.bytes(event.argument()), "all zero"));
      }
      case ROUND_BEGIN -> {
        fields.add(new Field("round", Format.count(event.detail()), ""));
        fields.add(new Field("to send", Format.bytes(event.argument()), "dirty when it began"));
      }
      case ROUND_END -> {
        fields.add(new Field("round", Format.count(event.detail()), ""));
        fields.add(new Field("processed", Format.bytes(event.argument()), "sent, or zero"));
      }
      case STATUS -> fields.add(new Field("status", EventText.status(event.detail()), ""));
      case CONNECTION -> {
        fields.add(new Field("type", EventText.connection(event.detail()), ""));
        if (event.argument() != 0) {
          fields.add(
              new Field(
                  "status",
                  Long.toString(event.argument()),
                  "a negative errno, or a reject reason"));
        }
      }
      case ASYNC -> {
        fields.add(new Field("type", EventText.async(event.detail()), ""));
        if (event.argument() != 0) {
          fields.add(new Field("queue pair", Long.toString(event.argument()), "its number"));
        }
      }
      case GUEST_PAUSED -> fields.add(new Field("guest", "paused", ""));
      case GUEST_RESUMED -> fields.add(new Field("guest", "runs", ""));
      case OPERATED ->
          fields.add(
              new Field(
                  "event",
                  EventText.operatorAct(event),
                  "stop, cont or migrate-set-parameters of QEMU's machine protocol"));
      case WAIT_BEGIN -> {
        fields.add(new Field("waits for", EventText.wait(event.detail(), telemetry), ""));
        if (event.wrid() != 0) {
          wrid(fields, event, telemetry);
        }
      }
      case WAIT_END -> {
        fields.add(new Field("waited for", EventText.wait(event.detail(), telemetry), ""));
        fields.add(new Field("waited", Format.duration(event.argument()), ""));
      }
      case COMPLETION_DROPPED -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("dropped by", EventText.wait(event.detail(), telemetry), "a wait"));
      }
      case ESTABLISHED ->
          fields.add(new Field("agreed", EventText.agreement(event.detail()), "capabilities"));
      case DISCONNECTING -> fields.add(new Field("end", "this one", "the other end is told"));
      case DEVICE_OPENED -> banner(fields, telemetry.banner());
      case KEY_REQUESTED -> run(fields, event, telemetry, "to be covered by the key");
      case KEY_GIVEN -> {
        run(fields, event, telemetry, "covered by the key");
        fields.add(new Field("key", Format.key((int) event.argument()), "the destination's"));
      }
      case SENT_AGAIN -> {
        wrid(fields, event, telemetry);
        fields.add(new Field("request", Format.count(event.argument()), "on its send queue"));
        fields.add(new Field("length", Format.bytes(event.length()), ""));
        fields.add(new Field("sent", EventText.sentAgain(event.detail()), "compared by a digest"));
      }
      case COMPLETION_MET -> {
        wrid(fields, event, telemetry);
        fields.add(
            new Field(
                "met by",
                EventText.wait(event.detail(), telemetry),
                "a wait for another completion, which handled this one"));
      }
      case WIRE_RETRANSMISSION, WIRE_NAK, WIRE_CNP ->
          packet(fields, event.kind(), WirePacket.of(event), telemetry);
      case DEVICE_COUNTED -> counted(fields, event, telemetry);
      case PROGRAM_POST,
          PROGRAM_TARGET,
          PROGRAM_IMMEDIATE,
          PROGRAM_RECEIVE,
          PROGRAM_COMPLETION,
          PROGRAM_REFUSED -> {
        fields.add(new Field("event", EventText.summary(event, telemetry), "of a program"));
        String means = telemetry.wrids().text(event.wrid());
        if (!means.isEmpty()) {
          fields.add(new Field("wr_id", means, "as the program or a file says"));
        }
      }
      case PROGRAM_UNSEEN,
          PROGRAM_MESSAGE,
          PROGRAM_REGISTERED,
          PROGRAM_DEREGISTERED,
          PROGRAM_PEER,
          PROGRAM_MODIFIED,
          PROGRAM_PATH,
          PROGRAM_REGIONS,
          PROGRAM_REGION_REFUSED,
          PROGRAM_POLLED_EMPTY ->
          fields.add(new Field("event", EventText.summary(event, telemetry), "of a program"));
    }
    return fields;
  }

  private static void counted(List<Field> fields, Event event, SessionTelemetry telemetry) {
    DeviceCounter counter = EventText.counter(event.detail(), telemetry);
    fields.add(
        new Field("counter", EventText.wait(event.detail(), telemetry), CountedByDevice.WHOSE));
    fields.add(new Field("counted", EventText.summary(event, telemetry), ""));
    if (counter != null) {
      CounterMeaning.of(counter.name())
          .ifPresent(meaning -> fields.add(new Field("means", meaning.means(), "")));
    }
  }

  private static void packet(
      List<Field> fields, EventKind kind, WirePacket packet, SessionTelemetry telemetry) {
    fields.add(
        new Field(
            "queue pair",
            packet.queuePair().text(),
            kind == EventKind.WIRE_CNP ? "that is to slow down" : "of the requester"));
    if (kind == EventKind.WIRE_CNP) {
      return;
    }
    fields.add(new Field("request", EventText.work(packet, telemetry), "inferred from packets"));
    fields.add(
        new Field(
            "PSN",
            Integer.toString(packet.psn()),
            kind == EventKind.WIRE_NAK
                ? "packet sequence number that the acknowledgement names"
                : "packet sequence number of the first packet that was sent again"));
    if (kind == EventKind.WIRE_NAK) {
      var syndrome = new Syndrome(packet.what());
      fields.add(
          new Field(
              "answer", EventText.answer(syndrome), "syndrome 0x%02x".formatted(syndrome.value())));
    } else {
      fields.add(
          new Field(
              "data",
              packet.isChanged() ? "other than before" : "the same, as far as it was captured",
              "only that of SENDs is compared"));
    }
  }

  private static void banner(List<Field> fields, @Nullable Banner banner) {
    if (banner == null) {
      fields.add(new Field("device", "not recorded", ""));
      return;
    }
    DeviceIdentity device = banner.device();
    fields.add(new Field("device", device.name(), "the kernel's name, or the program's"));
    if (device.isKernels()) {
      fields.add(new Field("uverbs", device.uverbsName(), "below /dev/infiniband"));
      fields.add(new Field("verbs class", device.uverbsPath(), "class device infiniband_verbs"));
      fields.add(new Field("class", device.classPath(), "class device infiniband"));
    }
    fields.add(
        new Field(
            "link layer",
            EventText.linkLayer(banner.route().linkLayer()),
            "of the port; none for a software device"));
    fields.add(new Field("source GID", banner.route().sourceGid(), "of this end"));
    fields.add(new Field("destination GID", banner.route().destinationGid(), "of the peer"));
  }

  private static void wrid(List<Field> fields, Event event, SessionTelemetry telemetry) {
    wrid(fields, event.wrid(), telemetry);
  }

  /** Adds a work request id, and the chunk that an id of an RDMA WRITE names. */
  static void wrid(List<Field> fields, long wrid, SessionTelemetry telemetry) {
    String means = Meanings.ofWrid(wrid).map(Meaning::means).orElse("");
    fields.add(
        new Field(
            "wrid",
            Format.wrid(wrid),
            "work request ID, chosen by the program that posts it\n%s".formatted(means).strip()));
    fields.add(new Field("wrid type", WorkRequestId.describe(wrid).replaceAll(" block.*", ""), ""));
    if (WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE) {
      place(fields, wrid, telemetry);
    }
  }

  private static void run(
      List<Field> fields, Event event, SessionTelemetry telemetry, String meaning) {
    place(fields, event, telemetry);
    fields.add(new Field("chunks", Format.count(event.length()), meaning));
  }

  private static void place(List<Field> fields, Event event, SessionTelemetry telemetry) {
    place(fields, event.wrid(), telemetry);
  }

  private static void place(List<Field> fields, long wrid, SessionTelemetry telemetry) {
    int block = WorkRequestId.block(wrid);
    fields.add(
        new Field("block", EventText.block(block, telemetry), "RAM block %s".formatted(block)));
    fields.add(new Field("chunk", Format.count(WorkRequestId.chunk(wrid)), "the first, from 0"));
  }

  private static Section raw(Event event) {
    return new Section(
        "As recorded",
        List.of(
            new Field("kind", event.kind().name(), ""),
            new Field("detail", Integer.toString(event.detail()), "16 bits"),
            new Field("length", Integer.toString(event.length()), "32 bits"),
            new Field("wrid", Format.wrid(event.wrid()), "64 bits"),
            new Field("argument", Format.address(event.argument()), "64 bits")));
  }
}
