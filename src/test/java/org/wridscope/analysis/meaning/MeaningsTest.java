// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;

final class MeaningsTest {

  private static List<String> names(String query) {
    return Meanings.explain(query).meanings().stream().map(Meaning::name).toList();
  }

  @ParameterizedTest
  @EnumSource
  void status_everyConstant_hasAnEntryWithItsValueAndText(WorkCompletionStatus status) {
    Meaning meaning = Meanings.of(status);
    assertThat(meaning.name()).isEqualTo("IBV_WC_" + status.name());
    assertThat(meaning.phrases()).contains(status.text());
    assertThat(names(status.name())).containsExactly(meaning.name());
    assertThat(names("status " + status.value())).containsExactly(meaning.name());
  }

  @ParameterizedTest
  @EnumSource
  void asyncEvent_everyConstant_hasAnEntry(AsyncEventType type) {
    assertThat(Meanings.of(type).name()).isEqualTo("IBV_EVENT_" + type.name());
    assertThat(names(type.name())).contains(Meanings.of(type).name());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSITIVE")
  void negativeAcknowledgement_everyOne_hasAnEntryWithItsSyndrome(Syndrome.Answer answer) {
    Meaning meaning = Meanings.of(answer).orElseThrow();
    assertThat(meaning.phrases()).containsExactly(answer.text());
    assertThat(names("nak " + meaning.value())).containsExactly(meaning.name());
    assertThat(names(meaning.name())).containsExactly(meaning.name());
  }

  @ParameterizedTest
  @EnumSource
  void connectionEvent_everyConstant_hasAnEntry(ConnectionEvent.Type type) {
    assertThat(Meanings.of(type).name()).isEqualTo("RDMA_CM_EVENT_" + type.name());
  }

  @ParameterizedTest
  @EnumSource
  void errno_everyConstant_hasAnEntryWithItsValue(Errno errno) {
    assertThat(Meanings.of(errno).name()).isEqualTo(errno.name());
    assertThat(names(errno.name())).containsExactly(errno.name());
    assertThat(names("-" + errno.value())).containsExactly(errno.name());
  }

  @Test
  void everyEntry_hasSentencesAndASource_andItsNumberOnce() {
    assertThat(Meanings.all())
        .allSatisfy(meaning -> {
          assertThat(meaning.means()).as(meaning.title()).endsWith(".");
          assertThat(meaning.causes()).as(meaning.title()).matches("|.*\\.");
          assertThat(meaning.next()).as(meaning.title()).matches("|.*\\.");
          assertThat(meaning.source()).as(meaning.title()).isNotBlank();
        });
    for (Kind kind : Kind.values()) {
      if (kind != Kind.VENDOR_ERROR) {
        assertThat(Meanings.all())
            .filteredOn(meaning -> meaning.kind() == kind)
            .extracting(Meaning::value)
            .doesNotHaveDuplicates();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status 12",
        "STATUS: 12",
        "status=0xc",
        "wc 12",
        "completion status #12",
        "Failed status 12",
        "IBV_WC_RETRY_EXC_ERR",
        "ibv_wc_retry_exc_err",
        "RETRY_EXC_ERR",
        "retry-exc-err",
        "retry exc err",
        " Retry_Exc_Err\n",
        "status RETRY_EXC_ERR",
        "transport retry counter exceeded",
        "\"Transport Retry Counter Exceeded\"",
      })
  void anySpelling_isFound(String query) {
    assertThat(names(query)).containsExactly("IBV_WC_RETRY_EXC_ERR");
  }

  @ParameterizedTest
  @CsvSource({
    "QP_FATAL, IBV_EVENT_QP_FATAL",
    "local work queue catastrophic error, IBV_EVENT_QP_FATAL",
    "async 18, IBV_EVENT_GID_CHANGE",
    "ENOMEM, ENOMEM",
    "cannot allocate memory, ENOMEM",
    "errno 110, ETIMEDOUT",
    "RDMA_CM_EVENT_UNREACHABLE, RDMA_CM_EVENT_UNREACHABLE",
    "unreachable, RDMA_CM_EVENT_UNREACHABLE",
    "cm event 8, RDMA_CM_EVENT_REJECTED",
    "reject 8, IB_CM_REJ_INVALID_SERVICE_ID",
    "reject reason 28, IB_CM_REJ_CONSUMER_DEFINED",
    "stale conn, IB_CM_REJ_STALE_CONN",
    "0x5700000001, WRITE RDMA block 0 chunk 348",
    "wrid 0x440000001, WRITE RDMA block 0 chunk 17",
    "write block 3 chunk 17, WRITE RDMA block 3 chunk 17",
    "CONTROL SEND (2000), CONTROL SEND",
    "wrid 0x1000007d0, CONTROL SEND",
    "control send, CONTROL SEND",
    "CONTROL RECV 1, CONTROL RECV 1",
    "CONTROL RECV (4000), CONTROL RECV 0",
  })
  void query_findsOneEntry(String query, String name) {
    assertThat(names(query)).containsExactly(name);
  }

  @Test
  void number_thatMayBeSeveralThings_listsAll() {
    assertThat(Meanings.explain("12").meanings())
        .extracting(Meaning::name)
        .containsExactly(
            "IBV_WC_RETRY_EXC_ERR",
            "IBV_EVENT_PKEY_CHANGE",
            "ENOMEM",
            "RDMA_CM_EVENT_MULTICAST_JOIN",
            "IB_CM_REJ_INVALID_GID");
    assertThat(names("event 4"))
        .containsExactly("IBV_EVENT_COMM_EST", "RDMA_CM_EVENT_CONNECT_REQUEST");
    assertThat(names("retry counter exceeded"))
        .containsExactly("IBV_WC_RETRY_EXC_ERR", "IBV_WC_RNR_RETRY_EXC_ERR");
  }

  @Test
  void lineOfPerftest_explainsEachNumberInIt() {
    assertThat(Meanings.explain("Failed status 12: wr_id 0 syndrom 0x81").meanings())
        .extracting(Meaning::kind)
        .containsExactly(Kind.COMPLETION_STATUS, Kind.VENDOR_ERROR);
  }

  @ParameterizedTest
  @ValueSource(ints = {55, 66, 80})
  void answer_isLaidOut_forLinesOfAnyWidth(int width) {
    ExplanationText.Answer answer = ExplanationText.ofPasted("wc status 12").orElseThrow();
    assertThat(answer.text(width).lines())
        .allMatch(line -> line.length() <= width)
        .anyMatch(line -> line.length() > width - 10);
  }

  @Test
  void vendorError_namesItsVendor() {
    assertThat(Meanings.findVendorErrors("0x81"))
        .singleElement()
        .satisfies(meaning -> {
          assertThat(meaning.title()).contains("0x81", "mlx4 and mlx5");
          assertThat(meaning.means()).contains("status 12, IBV_WC_RETRY_EXC_ERR");
        });
    assertThat(Meanings.findVendorErrors("129")).isEqualTo(Meanings.findVendorErrors("0x81"));
    assertThat(Meanings.findVendorErrors("4"))
        .extracting(Meaning::name)
        .anyMatch(name -> name.contains("software device"))
        .anyMatch(name -> name.contains("mlx5"));
  }

  @Test
  void statusOfAConnectionEvent_isAnErrnoOrARejectReason() {
    assertThat(Meanings.ofConnectionStatus(-110)).map(Meaning::name).contains("ETIMEDOUT");
    assertThat(Meanings.ofConnectionStatus(28))
        .map(Meaning::name)
        .contains("IB_CM_REJ_CONSUMER_DEFINED");
    assertThat(Meanings.ofConnectionStatus(0)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "err",
        "bogus",
        "0xdeadbee0",
        "99999999999999999999",
        "write block 99999 chunk 1",
        "write block 1 chunk 99999999999",
        "\u001b[31m",
        "-2147483648"
      })
  void unknown_isEmpty(String query) {
    assertThat(Meanings.explain(query).meanings()).isEmpty();
  }

  @Test
  void everySentence_hasSentencesAndASource_andIsFoundInItsOwnLine() {
    assertThat(Messages.all())
        .allSatisfy(sentence -> {
          Meaning meaning = sentence.meaning();
          assertThat(meaning.means()).as(meaning.title()).endsWith(".");
          assertThat(meaning.causes()).as(meaning.title()).matches("|.*\\.");
          assertThat(meaning.next()).as(meaning.title()).matches("|.*[.\\d]");
          assertThat(meaning.source()).as(meaning.title()).isNotBlank();
          String text = meaning.name().replaceAll("^[^\"]*\"|\"$", "").replace("...", " 5 ");
          String line = "2026-01-01 host program[12]: " + text + " (qemu)";
          assertThat(Messages.in(line, new Words(line))).as(line).isPresent();
        });
    assertThat(Messages.all())
        .extracting(sentence -> sentence.meaning().name())
        .doesNotHaveDuplicates();
  }

  @Test
  void longText_isCutOff() {
    assertThat(Meanings.explain("x ".repeat(1_000_000)).meanings()).isEmpty();
  }
}
