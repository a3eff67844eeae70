// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Texts;
import org.wridscope.ui.inspector.Description.Field;
import org.wridscope.ui.inspector.Description.Section;
import org.wridscope.verbs.WorkCompletionStatus;

/** Describes work requests, from post to end. */
final class RequestDescriber {
  private RequestDescriber() {}

  /** Only the program knows what it wrote into the wr_id, unless somebody has told it. */
  private static void ofProgram(
      List<Field> fields, RequestFacts facts, SessionTelemetry telemetry) {
    String means = telemetry.wrids().text(facts.wrid());
    fields.add(
        new Field(
            "wr_id",
            "0x" + Long.toHexString(facts.wrid()),
            means.isEmpty()
                ? Texts.of("chosen by the program, and not decoded")
                : Texts.of("chosen by the program")));
    if (!means.isEmpty()) {
      fields.add(new Field(Texts.of("means"), means, Texts.of("the bits of the wr_id")));
    }
    fields.add(
        new Field(Texts.of("request"), facts.text(), Texts.of("operation, wr_id and queue")));
  }

  /**
   * @param origin the time that moments are counted from
   */
  static Description describe(Selected.WorkRequest request, long origin) {
    RequestFacts facts = request.facts();
    SessionTelemetry telemetry = request.session().telemetry();
    var fields = new ArrayList<Field>();
    fields.add(new Field(Texts.of("session"), request.session().name(), ""));
    fields.add(
        new Field(
            Texts.of("number"),
            Format.count(facts.id()),
            Texts.of("in its queue, counted from 0 by post")));
    if (request.session().migrates()) {
      EventDescriber.wrid(fields, facts.wrid(), telemetry);
    } else {
      ofProgram(fields, facts, telemetry);
    }
    if (facts.controlType() != 0) {
      fields.add(
          new Field(
              Texts.of("message"),
              EventText.control(facts.controlType()),
              Texts.of("control message")));
    }
    fields.add(new Field(Texts.of("length"), Format.bytes(facts.length()), ""));
    fields.add(
        new Field(
            Texts.of("signaled"),
            facts.signaled() ? Texts.of("yes") : Texts.of("no"),
            Texts.of("whether it asked for a completion of its own")));
    fields.add(
        new Field(
            Texts.of("state"),
            facts.state(),
            Texts.of("ibv_wc_status %s", facts.status().value())));
    if (!facts.isOpen()) {
      fields.add(
          new Field(
              Texts.of("took"),
              Format.duration(facts.endedNanos() - facts.postedNanos()),
              Texts.of("post to poll")));
    }
    var way = new ArrayList<Field>();
    for (RequestFacts.Station station : facts.history()) {
      way.add(
          new Field(
              station.what(),
              Format.moment(station.nanos() - origin) + "  " + station.text(),
              Texts.of("event %s: %s", Format.count(station.event()), station.text())));
    }
    var sections = new ArrayList<Section>();
    sections.add(new Section("", fields));
    if (!facts.isOpen() && facts.status() != WorkCompletionStatus.SUCCESS) {
      sections.add(Section.of(Meanings.of(facts.status())));
    }
    sections.add(new Section(Texts.of("History"), way));
    return new Description(
        facts.kind() == RequestKind.RECEIVE ? Texts.of("Receive") : facts.kind().text(),
        Texts.of("A work request of the %s queue, from its post to its end.", facts.queue().text()),
        sections);
  }
}
