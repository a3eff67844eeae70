// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.wridscope.Slow;
import org.wridscope.host.Processor;

/**
 * Compares every offset and size with what a C compiler makes of the installed headers of
 * rdma-core, for this machine's processor and, with a cross compiler, for the other one.
 */
@Slow("it runs compilers")
final class StructHeadersTest {
  private static final Path INCLUDE = Path.of("/usr/include");

  /** Added to each value, so that the assembler code has it as a positive number. */
  private static final long BASE = 1L << 32;

  private static final Pattern VALUE = Pattern.compile("\\s\\.(?:quad|xword|dword)\\s+(\\d+)\\s*");

  /** The structure that each class describes, in verbs.h. */
  private static final Map<Class<?>, String> VERBS =
      Map.ofEntries(
          Map.entry(Struct.Device.class, "struct ibv_device"),
          Map.entry(Struct.Context.class, "struct ibv_context"),
          Map.entry(Struct.DeviceAttr.class, "struct ibv_device_attr"),
          Map.entry(Struct.PortAttr.class, "struct ibv_port_attr"),
          Map.entry(Struct.GidEntry.class, "struct ibv_gid_entry"),
          Map.entry(Struct.Gid.class, "union ibv_gid"),
          Map.entry(Struct.ProtectionDomain.class, "struct ibv_pd"),
          Map.entry(Struct.MemoryRegion.class, "struct ibv_mr"),
          Map.entry(Struct.CompletionChannel.class, "struct ibv_comp_channel"),
          Map.entry(Struct.CompletionQueue.class, "struct ibv_cq"),
          Map.entry(Struct.WorkCompletion.class, "struct ibv_wc"),
          Map.entry(Struct.QueuePair.class, "struct ibv_qp"),
          Map.entry(Struct.ExtendedQueuePair.class, "struct ibv_qp_ex"),
          Map.entry(Struct.ExtendedCompletionQueue.class, "struct ibv_cq_ex"),
          Map.entry(Struct.CompletionQueueInitAttr.class, "struct ibv_cq_init_attr_ex"),
          Map.entry(Struct.DataBuffer.class, "struct ibv_data_buf"),
          Map.entry(Struct.ExtendedQueuePairInitAttr.class, "struct ibv_qp_init_attr_ex"),
          Map.entry(Struct.SharedReceiveQueue.class, "struct ibv_srq"),
          Map.entry(Struct.QueuePairInitAttr.class, "struct ibv_qp_init_attr"),
          Map.entry(Struct.QueuePairAttr.class, "struct ibv_qp_attr"),
          Map.entry(Struct.ScatterGatherElement.class, "struct ibv_sge"),
          Map.entry(Struct.SendRequest.class, "struct ibv_send_wr"),
          Map.entry(Struct.ReceiveRequest.class, "struct ibv_recv_wr"),
          Map.entry(Struct.AsyncEvent.class, "struct ibv_async_event"));

  /** The same for rdma_cma.h. */
  private static final Map<Class<?>, String> CONNECTION_MANAGER =
      Map.of(
          Struct.EventChannel.class, "struct rdma_event_channel",
          Struct.ConnectionId.class, "struct rdma_cm_id",
          Struct.ConnectionEvent.class, "struct rdma_cm_event",
          Struct.ConnectionParam.class, "struct rdma_conn_param");

  /** Members that are not at the top of their structure. */
  private static final Map<String, String> INNER =
      Map.ofEntries(
          Map.entry("ibv_context.poll_cq", "ops.poll_cq"),
          Map.entry("ibv_context.req_notify_cq", "ops.req_notify_cq"),
          Map.entry("ibv_context.post_srq_recv", "ops.post_srq_recv"),
          Map.entry("ibv_context.post_send", "ops.post_send"),
          Map.entry("ibv_context.post_recv", "ops.post_recv"),
          Map.entry("ibv_qp_init_attr.max_send_wr", "cap.max_send_wr"),
          Map.entry("ibv_qp_init_attr.max_recv_wr", "cap.max_recv_wr"),
          Map.entry("ibv_qp_init_attr.max_send_sge", "cap.max_send_sge"),
          Map.entry("ibv_qp_init_attr.max_recv_sge", "cap.max_recv_sge"),
          Map.entry("ibv_qp_init_attr.max_inline_data", "cap.max_inline_data"),
          Map.entry("ibv_qp_attr.max_send_wr", "cap.max_send_wr"),
          Map.entry("ibv_qp_attr.max_recv_wr", "cap.max_recv_wr"),
          Map.entry("ibv_qp_attr.dgid", "ah_attr.grh.dgid"),
          Map.entry("ibv_qp_attr.dlid", "ah_attr.dlid"),
          Map.entry("ibv_qp_attr.is_global", "ah_attr.is_global"),
          Map.entry("ibv_send_wr.remote_addr", "wr.rdma.remote_addr"),
          Map.entry("ibv_send_wr.rkey", "wr.rdma.rkey"),
          Map.entry("ibv_send_wr.atomic_rkey", "wr.atomic.rkey"),
          Map.entry("rdma_cm_id.src_addr", "route.addr.src_addr"),
          Map.entry("rdma_cm_id.dst_addr", "route.addr.dst_addr"),
          Map.entry("rdma_cm_id.sgid", "route.addr.addr.ibaddr.sgid"),
          Map.entry("rdma_cm_id.dgid", "route.addr.addr.ibaddr.dgid"),
          Map.entry("rdma_cm_event.private_data", "param.conn.private_data"),
          Map.entry("rdma_cm_event.private_data_len", "param.conn.private_data_len"));

  /** What is not the offset of a member of its structure or the size of that. */
  private static final Map<String, String> OTHER =
      Map.of(
          "ibv_device.name_size",
          "sizeof(((struct ibv_device *)0)->name)",
          "ibv_device.path_size",
          "sizeof(((struct ibv_device *)0)->dev_path)",
          "ibv_device_attr.fw_ver_size",
          "sizeof(((struct ibv_device_attr *)0)->fw_ver)",
          "ibv_context.extended_size",
          inFront("sz"),
          "ibv_context.create_qp_ex",
          inFront("create_qp_ex"),
          "ibv_context.create_cq_ex",
          inFront("create_cq_ex"));

  /** Larger than the structure, which has grown at its end. */
  private static final Set<String> ROOMY = Set.of("ibv_port_attr.size");

  private static String inFront(String member) {
    return "offsetof(struct verbs_context, %s) - (long long)offsetof(struct verbs_context, context)"
        .formatted(member);
  }

  @Test
  void everyStructure_isCompared() {
    assertThat(Struct.class.getDeclaredClasses())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(VERBS.keySet().stream(), CONNECTION_MANAGER.keySet().stream()).toList());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "OTHER")
  void verbs_areWhereTheCompilerHasThem(Processor processor) throws Exception {
    Map<String, Long> ours = ours(VERBS, processor);
    ours.put(
        "offsetof(struct ibv_context, abi_compat)", (long) Struct.Context.abiCompat(processor));
    ours.put(
        "sizeof(struct verbs_context) - offsetof(struct verbs_context, create_qp_ex)",
        (long) Struct.Context.sizeWith(Struct.Context.CREATE_QP_EX, processor));
    compare(processor, "infiniband/verbs.h", "libibverbs-dev", ours);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "OTHER")
  void connectionManager_isWhereTheCompilerHasIt(Processor processor) throws Exception {
    compare(processor, "rdma/rdma_cma.h", "librdmacm-dev", ours(CONNECTION_MANAGER, processor));
  }

  /** Each number of these classes, with what it is in C. */
  private static Map<String, Long> ours(Map<Class<?>, String> classes, Processor processor)
      throws IllegalAccessException {
    Map<String, Long> ours = new LinkedHashMap<>();
    for (Map.Entry<Class<?>, String> entry : classes.entrySet()) {
      String structure = entry.getValue();
      if (entry.getKey().isEnum()) {
        for (Object member : entry.getKey().getEnumConstants()) {
          ours.put(
              expression(structure, member.toString()),
              (long) ((StructMember) member).offset(processor));
        }
        continue;
      }
      for (Field field : entry.getKey().getDeclaredFields()) {
        if (Modifier.isPublic(field.getModifiers())) {
          ours.put(expression(structure, field.getName()), (long) field.getInt(null));
        }
      }
    }
    return ours;
  }

  private static String expression(String structure, String constant) {
    String member = constant.toLowerCase(Locale.ROOT);
    String name = structure.substring(structure.indexOf(' ') + 1) + "." + member;
    if (OTHER.containsKey(name)) {
      return OTHER.get(name);
    }
    if (ROOMY.contains(name)) {
      return "(sizeof(%s) + 63) / 64 * 64".formatted(structure);
    }
    return member.equals("size")
        ? "sizeof(%s)".formatted(structure)
        : "offsetof(%s, %s)".formatted(structure, INNER.getOrDefault(name, member));
  }

  private static void compare(
      Processor processor, String header, String debianPackage, Map<String, Long> ours)
      throws Exception {
    assumeTrue(Files.exists(INCLUDE.resolve(header)), debianPackage + " is not installed");
    String compiler = compiler(processor);
    assumeTrue(isInstalled(compiler), compiler + " is not installed");

    assertThat(ours)
        .isNotEmpty()
        .containsExactlyEntriesOf(compile(compiler, header, List.copyOf(ours.keySet())));
  }

  private static String compiler(Processor processor) {
    return processor == Processor.HERE
        ? "gcc"
        : processor.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-linux-gnu-gcc";
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** The value of each expression, which the compiler writes as assembler code. */
  private static Map<String, Long> compile(String compiler, String header, List<String> expressions)
      throws IOException, InterruptedException {
    List<String> values =
        expressions.stream().map(text -> "%dLL + (long long)(%s)".formatted(BASE, text)).toList();
    String source =
        "#include <stddef.h>\n#include <%s>\nconst long long values[] = {\n%s\n};\n"
            .formatted(header, String.join(",\n", values));
    Process process =
        new ProcessBuilder(
                compiler, "-w", "-idirafter", INCLUDE.toString(), "-S", "-o", "-", "-xc", "-")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var in = process.getOutputStream()) {
      in.write(source.getBytes(US_ASCII));
    }
    List<Long> compiled = new ArrayList<>();
    for (String line :
        new String(process.getInputStream().readAllBytes(), US_ASCII).split("\n", -1)) {
      Matcher value = VALUE.matcher(line);
      if (value.matches()) {
        compiled.add(Long.parseLong(value.group(1)) - BASE);
      }
    }
    assertThat(process.waitFor()).as("the end of " + compiler).isZero();
    assertThat(compiled).hasSameSizeAs(expressions);
    Map<String, Long> named = new LinkedHashMap<>();
    for (int i = 0; i < compiled.size(); i++) {
      named.put(expressions.get(i), compiled.get(i));
    }
    return named;
  }
}
