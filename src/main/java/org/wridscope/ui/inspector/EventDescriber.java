// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
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
import org.wridscope.ui.Texts;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
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
            new Field(Texts.of("session"), session.name(), ""),
            new Field(Texts.of("number"), Format.count(event.number()), Texts.of("counted from 0")),
            new Field(
                Texts.of("time"),
                Format.moment(event.nanos() - origin),
                Texts.of("since the migration began")));
    var sections = new ArrayList<Section>();
    sections.add(new Section("", when));
    sections.add(new Section(Texts.of("Decoded"), decoded(event, telemetry)));
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
        fields.add(
            new Field(
                Texts.of("message"),
                EventText.control(event.detail()),
                Texts.of("control message")));
        fields.add(
            new Field(
                Texts.of("length"), Format.bytes(event.length()), Texts.of("header and payload")));
        wrid(fields, event, telemetry);
      }
      case POST_WRITE -> {
        wrid(fields, event, telemetry);
        fields.add(new Field(Texts.of("length"), Format.bytes(event.length()), ""));
        fields.add(
            new Field(
                Texts.of("remote address"),
                Format.address(event.argument()),
                Texts.of("where it goes at the peer")));
      }
      case POST_RECEIVE -> {
        wrid(fields, event, telemetry);
        fields.add(
            new Field(
                Texts.of("offered"), Format.bytes(event.length()), Texts.of("size of the buffer")));
      }
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE -> {
        fields.add(
            new Field(
                Texts.of("status"),
                EventText.completionStatus(event.detail()),
                Texts.of("ibv_wc_status %s", event.detail())));
        wrid(fields, event, telemetry);
      }
      case CONTROL_SENT, CONTROL_RECEIVED -> {
        fields.add(
            new Field(
                Texts.of("type"),
                EventText.control(event.detail()),
                Texts.of("value on the wire: %s", event.detail())));
        fields.add(
            new Field(
                Texts.of("payload"), Format.bytes(event.length()), Texts.of("without the header")));
        if (event.argument() != 0) {
          fields.add(
              new Field(
                  Texts.of("repeat"),
                  Format.count(event.argument()),
                  Texts.of("entries in the payload")));
        }
      }
      case REGISTERED, DEREGISTERED -> {
        run(fields, event, telemetry, Texts.of("covered by the key"));
        fields.add(new Field(Texts.of("key"), Format.key((int) event.argument()), ""));
      }
      case UNREGISTER -> {
        place(fields, event, telemetry);
        fields.add(
            new Field(
                Texts.of("chunks"), Format.count(event.length()), Texts.of("of the registration")));
        fields.add(new Field(Texts.of("step"), EventText.unregisterStep(event.detail()), ""));
      }
      case ZERO -> {
        place(fields, event, telemetry);
        fields.add(
            new Field(Texts.of("bytes"), Format.bytes(event.argument()), Texts.of("all zero")));
      }
      case ROUND_BEGIN -> {
        fields.add(new Field(Texts.of("round"), Format.count(event.detail()), ""));
        fields.add(
            new Field(
                Texts.of("to send"),
                Format.bytes(event.argument()),
                Texts.of("dirty when it began")));
      }
      case ROUND_END -> {
        fields.add(new Field(Texts.of("round"), Format.count(event.detail()), ""));
        fields.add(
            new Field(
                Texts.of("processed"), Format.bytes(event.argument()), Texts.of("sent, or zero")));
      }
      case STATUS ->
          fields.add(new Field(Texts.of("status"), EventText.status(event.detail()), ""));
      case CONNECTION -> {
        fields.add(new Field(Texts.of("type"), EventText.connection(event.detail()), ""));
        if (event.argument() != 0) {
          fields.add(
              new Field(
                  Texts.of("status"),
                  Long.toString(event.argument()),
                  Texts.of("a negative errno, or a reject reason")));
        }
      }
      case ASYNC -> {
        fields.add(new Field(Texts.of("type"), EventText.async(event.detail()), ""));
        if (event.argument() != 0) {
          fields.add(
              new Field(
                  Texts.of("queue pair"), Long.toString(event.argument()), Texts.of("its number")));
        }
      }
      case GUEST_PAUSED -> fields.add(new Field(Texts.of("guest"), Texts.of("paused"), ""));
      case GUEST_RESUMED -> fields.add(new Field(Texts.of("guest"), Texts.of("runs"), ""));
      case GUEST_OPERATED ->
          fields.add(
              new Field(
                  Texts.of("event"),
                  EventText.operatorAct(event.detail()),
                  Texts.of("stop and cont of QEMU's machine protocol")));
      case WAIT_BEGIN -> {
        fields.add(new Field(Texts.of("waits for"), EventText.wait(event.detail(), telemetry), ""));
        if (event.wrid() != 0) {
          wrid(fields, event, telemetry);
        }
      }
      case WAIT_END -> {
        fields.add(
            new Field(Texts.of("waited for"), EventText.wait(event.detail(), telemetry), ""));
        fields.add(new Field(Texts.of("waited"), Format.duration(event.argument()), ""));
      }
      case COMPLETION_DROPPED -> {
        wrid(fields, event, telemetry);
        fields.add(
            new Field(
                Texts.of("dropped by"),
                EventText.wait(event.detail(), telemetry),
                Texts.of("a wait")));
      }
      case ESTABLISHED ->
          fields.add(
              new Field(
                  Texts.of("agreed"),
                  EventText.agreement(event.detail()),
                  Texts.of("capabilities")));
      case DISCONNECTING ->
          fields.add(
              new Field(Texts.of("end"), Texts.of("this one"), Texts.of("the other end is told")));
      case DEVICE_OPENED -> banner(fields, telemetry.banner());
      case KEY_REQUESTED -> run(fields, event, telemetry, Texts.of("to be covered by the key"));
      case KEY_GIVEN -> {
        run(fields, event, telemetry, Texts.of("covered by the key"));
        fields.add(
            new Field(
                Texts.of("key"),
                Format.key((int) event.argument()),
                Texts.of("the destination's")));
      }
      case SENT_AGAIN -> {
        wrid(fields, event, telemetry);
        fields.add(
            new Field(
                Texts.of("request"),
                Format.count(event.argument()),
                Texts.of("on its send queue")));
        fields.add(new Field(Texts.of("length"), Format.bytes(event.length()), ""));
        fields.add(
            new Field(
                Texts.of("sent"),
                EventText.sentAgain(event.detail()),
                Texts.of("compared by a digest")));
      }
      case COMPLETION_MET -> {
        wrid(fields, event, telemetry);
        fields.add(
            new Field(
                Texts.of("met by"),
                EventText.wait(event.detail(), telemetry),
                Texts.of("a wait for another completion, which handled this one")));
      }
      case WIRE_RETRANSMISSION, WIRE_NAK, WIRE_CNP ->
          packet(fields, event.kind(), WirePacket.of(event), telemetry);
      case PROGRAM_POST, PROGRAM_TARGET, PROGRAM_RECEIVE, PROGRAM_COMPLETION, PROGRAM_REFUSED -> {
        fields.add(
            new Field(
                Texts.of("event"), EventText.summary(event, telemetry), Texts.of("of a program")));
        String means = telemetry.wrids().text(event.wrid());
        if (!means.isEmpty()) {
          fields.add(new Field("wr_id", means, Texts.of("as the program or a file says")));
        }
      }
      case PROGRAM_UNSEEN,
          PROGRAM_MESSAGE,
          PROGRAM_REGISTERED,
          PROGRAM_DEREGISTERED,
          PROGRAM_PEER ->
          fields.add(
              new Field(
                  Texts.of("event"),
                  EventText.summary(event, telemetry),
                  Texts.of("of a program")));
    }
    return fields;
  }

  private static void packet(
      List<Field> fields, EventKind kind, WirePacket packet, SessionTelemetry telemetry) {
    fields.add(
        new Field(
            Texts.of("queue pair"),
            packet.queuePair().text(),
            kind == EventKind.WIRE_CNP
                ? Texts.of("that is to slow down")
                : Texts.of("of the requester")));
    if (kind == EventKind.WIRE_CNP) {
      return;
    }
    fields.add(
        new Field(
            Texts.of("request"),
            EventText.work(packet, telemetry),
            Texts.of("inferred from packets")));
    fields.add(
        new Field(
            Texts.of("PSN"),
            Integer.toString(packet.psn()),
            kind == EventKind.WIRE_NAK
                ? Texts.of("packet sequence number that the acknowledgement names")
                : Texts.of("packet sequence number of the first packet that was sent again")));
    if (kind == EventKind.WIRE_NAK) {
      var syndrome = new Syndrome(packet.what());
      fields.add(
          new Field(
              Texts.of("answer"),
              EventText.answer(syndrome),
              Texts.of("syndrome 0x%02x", syndrome.value())));
    } else {
      fields.add(
          new Field(
              Texts.of("data"),
              packet.isChanged()
                  ? Texts.of("other than before")
                  : Texts.of("the same, as far as it was captured"),
              Texts.of("only that of SENDs is compared")));
    }
  }

  private static void banner(List<Field> fields, @Nullable Banner banner) {
    if (banner == null) {
      fields.add(new Field(Texts.of("device"), Texts.of("not recorded"), ""));
      return;
    }
    DeviceIdentity device = banner.device();
    fields.add(
        new Field(
            Texts.of("device"), device.name(), Texts.of("the kernel's name, or the program's")));
    if (device.isKernels()) {
      fields.add(
          new Field(Texts.of("uverbs"), device.uverbsName(), Texts.of("below /dev/infiniband")));
      fields.add(
          new Field(
              Texts.of("verbs class"),
              device.uverbsPath(),
              Texts.of("class device infiniband_verbs")));
      fields.add(
          new Field(Texts.of("class"), device.classPath(), Texts.of("class device infiniband")));
    }
    fields.add(
        new Field(
            Texts.of("link layer"),
            EventText.linkLayer(banner.route().linkLayer()),
            Texts.of("of the port; none for a software device")));
    fields.add(
        new Field(Texts.of("source GID"), banner.route().sourceGid(), Texts.of("of this end")));
    fields.add(
        new Field(
            Texts.of("destination GID"), banner.route().destinationGid(), Texts.of("of the peer")));
  }

  private static void wrid(List<Field> fields, Event event, SessionTelemetry telemetry) {
    wrid(fields, event.wrid(), telemetry);
  }

  /** Adds a work request id, and the chunk that an id of an RDMA WRITE names. */
  static void wrid(List<Field> fields, long wrid, SessionTelemetry telemetry) {
    String means = Meanings.ofWrid(wrid).map(Meaning::means).orElse("");
    fields.add(
        new Field(
            Texts.of("wrid"),
            Format.address(wrid),
            Texts.of("work request ID, chosen by the program that posts it\n%s", means).strip()));
    fields.add(
        new Field(
            Texts.of("wrid type"), WorkRequestId.describe(wrid).replaceAll(" block.*", ""), ""));
    if (WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE) {
      place(fields, wrid, telemetry);
    }
  }

  private static void run(
      List<Field> fields, Event event, SessionTelemetry telemetry, String meaning) {
    place(fields, event, telemetry);
    fields.add(new Field(Texts.of("chunks"), Format.count(event.length()), meaning));
  }

  private static void place(List<Field> fields, Event event, SessionTelemetry telemetry) {
    place(fields, event.wrid(), telemetry);
  }

  private static void place(List<Field> fields, long wrid, SessionTelemetry telemetry) {
    int block = WorkRequestId.block(wrid);
    fields.add(
        new Field(
            Texts.of("block"), EventText.block(block, telemetry), Texts.of("RAM block %s", block)));
    fields.add(
        new Field(
            Texts.of("chunk"),
            Format.count(WorkRequestId.chunk(wrid)),
            Texts.of("the first, from 0")));
  }

  private static Section raw(Event event) {
    return new Section(
        Texts.of("As recorded"),
        List.of(
            new Field(Texts.of("kind"), event.kind().name(), ""),
            new Field(Texts.of("detail"), Integer.toString(event.detail()), Texts.of("16 bits")),
            new Field(Texts.of("length"), Integer.toString(event.length()), Texts.of("32 bits")),
            new Field(Texts.of("wrid"), Format.address(event.wrid()), Texts.of("64 bits")),
            new Field(
                Texts.of("argument"), Format.address(event.argument()), Texts.of("64 bits"))));
  }
}
