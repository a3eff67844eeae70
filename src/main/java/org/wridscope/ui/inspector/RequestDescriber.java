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
            Format.wrid(facts.wrid()),
            means.isEmpty() ? "chosen by the program, and not decoded" : "chosen by the program"));
    if (!means.isEmpty()) {
      fields.add(new Field("means", means, "the bits of the wr_id"));
    }
    fields.add(new Field("request", facts.text(), "operation, wr_id and queue"));
  }

  /**
   * @param origin the time that moments are counted from
   */
  static Description describe(Selected.WorkRequest request, long origin) {
    RequestFacts facts = request.facts();
    SessionTelemetry telemetry = request.session().telemetry();
    var fields = new ArrayList<Field>();
    fields.add(new Field("session", request.session().name(), ""));
    fields.add(
        new Field("number", Format.count(facts.id()), "in its queue, counted from 0 by post"));
    if (request.session().migrates()) {
      EventDescriber.wrid(fields, facts.wrid(), telemetry);
    } else {
      ofProgram(fields, facts, telemetry);
    }
    if (facts.controlType() != 0) {
      fields.add(new Field("message", EventText.control(facts.controlType()), "control message"));
    }
    fields.add(new Field("length", Format.bytes(facts.length()), ""));
    fields.add(
        new Field(
            "signaled",
            facts.signaled() == null ? "not known" : facts.signaled() ? "yes" : "no",
            "whether it asked for a completion of its own"));
    fields.add(
        new Field("state", facts.state(), "ibv_wc_status %s".formatted(facts.status().value())));
    if (!facts.isOpen()) {
      fields.add(
          new Field(
              "took", Format.duration(facts.endedNanos() - facts.postedNanos()), "post to poll"));
    }
    var way = new ArrayList<Field>();
    for (RequestFacts.Station station : facts.history()) {
      way.add(
          new Field(
              station.what(),
              Format.moment(station.nanos() - origin) + "  " + station.text(),
              "event %s".formatted(Format.count(station.event())),
              station.nanos()));
    }
    var sections = new ArrayList<Section>();
    sections.add(new Section("", fields));
    if (!facts.isOpen() && facts.status() != WorkCompletionStatus.SUCCESS) {
      sections.add(Section.of(Meanings.of(facts.status())));
    }
    sections.add(new Section("History", way));
    return new Description(
        facts.kind() == RequestKind.RECEIVE ? "Receive" : facts.kind().text(),
        "A work request of the %s queue, from its post to its end.".formatted(facts.queue().text()),
        sections);
  }
}
