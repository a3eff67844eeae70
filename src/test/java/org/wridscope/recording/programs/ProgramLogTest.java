// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Requests;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;

/** The log of somebody's program becomes the events that it tells, or says why not. */
final class ProgramLogTest {
  private static final String CSV =
      """
      event,time_s,queue_pair,context,shared_receive_queue,queue,wr_id,opcode,flags,length,\
      remote_address,key,status,vendor_error,completion_queue,error,address,direction,text
      post,1.000000001,17,,,,0xffffffffffffffff,RDMA_WRITE,,4096,0x7f00,0x12,,,,,,,
      post,1.1,17,2,,send,1,IBV_WR_SEND,FENCE|IBV_SEND_INLINE,,,,,,,,,,
      post,1.2,17,,,receive,2,,,64,,,,,,,,,
      post,1.3,,,5,,3,,,64,,,,,,,,,
      completion,1.4,17,,,,0xffffffffffffffff,1,,,,,,,9,,,,
      completion,1.5,17,2,,send,1,,,,,,IBV_WC_RNR_RETRY_EXC_ERR,0x81,,,,,
      completion,1.6,17,,,receive,2,RECV,,33,,,SUCCESS,,,,,,
      refused,1.7,18,,,receive,4,,,,,,,,,12,,,
      register,1.8,,,,,,,,8192,,7,,,,,0x1000,,
      message,1.9,17,,,,,,,10,,,,,,,,received,HELLO
      wait,2.0,,,,,2,,,,,,,,,,,,"the peer's ""READY""\"
      wait_end,2.5,,,,,,,,,,,,,,,,,
      unseen,3,,,,,,,,5,,,,,,,,,lost
      """;

  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static List<Event> events(Recording recording) throws IOException {
    var events = new ArrayList<Event>();
    recording
        .sessions()
        .getFirst()
        .forEachEvent(event -> {
          if (event.kind() != EventKind.STATUS) {
            events.add(event);
          }
        });
    return events;
  }

  private static String text(Event event) {
    return "%d %s %x %d %x %x"
        .formatted(
            event.nanos(),
            event.kind(),
            event.detail(),
            event.length(),
            event.wrid(),
            event.argument());
  }

  private static List<String> texts(Recording recording) throws IOException {
    return events(recording).stream().map(ProgramLogTest::text).toList();
  }

  @Test
  void everyKindOfLine_isAnEvent() throws IOException {
    try (Recording recording = Recording.open("file", file("own.csv", CSV))) {
      assertThat(recording.notes()).isEmpty();
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.migrates()).isFalse();
      assertThat(session.ownName()).isEqualTo("own.csv");
      assertThat(session.isTimed()).isFalse();
      long second = QueueId.ofQueuePair(1, 17).argument();
      long shared = QueueId.ofSharedReceiveQueue(5).argument();
      assertThat(texts(recording))
          .containsExactly(
              "1000000001 PROGRAM_POST 200 4096 ffffffffffffffff 11",
              "1000000001 PROGRAM_TARGET 0 18 ffffffffffffffff 7f00",
              "1100000000 PROGRAM_POST 902 0 1 %x".formatted(second),
              "1200000000 PROGRAM_RECEIVE 0 64 2 11",
              "1300000000 PROGRAM_RECEIVE 0 64 3 %x".formatted(shared),
              "1400000000 PROGRAM_COMPLETION 100 0 ffffffffffffffff 900000011",
              "1500000000 PROGRAM_COMPLETION 10d 129 1 %x".formatted(second),
              "1600000000 PROGRAM_COMPLETION 8000 33 2 11",
              "1700000000 PROGRAM_REFUSED c 0 4 100000012",
              "1800000000 PROGRAM_REGISTERED 0 7 1000 2000",
              "1900000000 PROGRAM_MESSAGE 0 10 0 100000011",
              "2000000000 WAIT_BEGIN 1 0 2 0",
              "2500000000 WAIT_END 1 0 0 1dcd6500",
              "3000000000 PROGRAM_UNSEEN 2 5 0 0");
      assertThat(EventText.wait(1, session.telemetry())).isEqualTo("the peer's \"READY\"");
      Requests requests = new Requests(session.telemetry()).readAll();
      assertThat(requests.sends().end()).isEqualTo(2);
      assertThat(requests.sends().failed(1)).isTrue();
      assertThat(requests.waits().end()).isOne();
    }
  }

  @Test
  void linesOfJson_areTheSame() throws IOException {
    String json =
        """
        {"time_s": 1.000000001, "event": "post", "queue_pair": 17, "wr_id": "0xffffffffffffffff", \
        "opcode": "RDMA_WRITE", "length": 4096, "remote_address": "0x7f00", "key": 18}

        {"time_s": "1.4", "event": "completion", "queue_pair": "0x11", \
        "wr_id": "18446744073709551615", "opcode": "RDMA_WRITE", "completion_queue": 9, "x": null}
        """;
    try (Recording recording = Recording.open("file", file("own.jsonl", json))) {
      assertThat(recording.notes()).isEmpty();
      assertThat(texts(recording))
          .containsExactly(
              "1000000001 PROGRAM_POST 200 4096 ffffffffffffffff 11",
              "1000000001 PROGRAM_TARGET 0 18 ffffffffffffffff 7f00",
              "1400000000 PROGRAM_COMPLETION 100 0 ffffffffffffffff 900000011");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x,post,1,1,SEND | time_s is x and not a number of seconds",
        "1e99,post,1,1,SEND | time_s is 1e99 and not a number of seconds",
        "1,jump,1,1,SEND | there is no event jump",
        "1,post,,1,SEND | it has no queue_pair",
        "1,post,0x1000000,1,SEND | queue_pair is 0x1000000 and not a number from 0 to 2^24 - 1",
        "1,post,-1,1,SEND | queue_pair is -1 and not a number",
        "1,post,1,,SEND | it has no wr_id",
        "1,post,1,18446744073709551616,SEND | wr_id is 18446744073709551616 and not",
        "1,post,1,1, | it has no opcode",
        "1,post,1,1,FLY | opcode is FLY and not",
        "1,post,1,1 | it has another number of fields than the first line",
        "1,wait,1,1, | it has no text",
      })
  void aBadLine_isLeftOut_andSaid(String line, String why) throws IOException {
    String text =
        "time_s,event,queue_pair,wr_id,opcode\n1,post,1,1,SEND\n%s\n2,post,1,2,SEND\n"
            .formatted(line);
    try (Recording recording = Recording.open("file", file("own.csv", text))) {
      assertThat(events(recording)).hasSize(2);
      assertThat(recording.notes())
          .singleElement()
          .asString()
          .startsWith(
              "1 of 3 lines could not be read and were left out; the first is line 3: " + why);
    }
  }

  @Test
  void unknownColumns_andLinesOutOfOrder_areSaid() throws IOException {
    String text = "time_s,event,colour,text\n2,wait,red,one\n1,wait,,two\n3,wait_end,,\n";
    try (Recording recording = Recording.open("file", file("own.csv", text))) {
      assertThat(recording.notes())
          .containsExactly(
              "These columns are not known and were ignored: colour.",
              "1 lines are earlier than the one before, and are shown at its time; sort the file by"
                  + " time_s.");
      assertThat(texts(recording).get(2)).startsWith("2000000000 WAIT_BEGIN 1");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"time_s,event\n", "time_s,event\n1,jump\n", "{\"time_s\":1,\"event\":\"x\"}"})
  void aFileWithoutAnyGoodLine_isRefused(String text) throws IOException {
    Path file = file("own.csv", text);
    assertThatIOException()
        .isThrownBy(() -> Recording.open("file", file))
        .withMessageMatching(
            ".* cannot be opened\\. (It has a header and no lines|None of its lines could be read;"
                + " line \\d+: there is no event .*)\\.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "\n\n", "time,event\n1,post\n", "{\"event\":\"post\"}", "{", "\"time_s,event"})
  void anotherFile_isNoSuchLog(String text) throws IOException {
    Path file = file("other", text);
    assertThat(ProgramLog.of(file)).isEmpty();
  }

  @Test
  void theManual_namesEveryColumn() throws IOException {
    String manual = Files.readString(Path.of("docs/import.md"));
    assertThat(ProgramLogLine.COLUMNS)
        .allSatisfy(column -> assertThat(manual).contains("`" + column + "`"));
  }
}
