// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.wridscope.process.ProcessMaps;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/**
 * {@code scripted.c}, a program that posts and polls on a device that does not exist, and writes
 * what it did to a file: it needs no RDMA, and what it posts may be anything.
 */
final class ScriptedProgram {
  static final String DEVICE = "scripted0";

  private static final Map<Verb, String> FUNCTIONS =
      Map.ofEntries(
          Map.entry(Verb.POST_SEND, "provider_post_send"),
          Map.entry(Verb.POST_RECV, "provider_post_recv"),
          Map.entry(Verb.POST_SRQ_RECV, "provider_post_srq_recv"),
          Map.entry(Verb.POLL_CQ, "provider_poll_cq"),
          Map.entry(Verb.START_POLL, "provider_start_poll"),
          Map.entry(Verb.NEXT_POLL, "provider_next_poll"),
          Map.entry(Verb.END_POLL, "provider_end_poll"),
          Map.entry(Verb.READ_OPCODE, "provider_read_opcode"),
          Map.entry(Verb.READ_VENDOR_ERR, "provider_read_vendor_err"),
          Map.entry(Verb.READ_BYTE_LEN, "provider_read_byte_len"),
          Map.entry(Verb.READ_QP_NUM, "provider_read_qp_num"),
          Map.entry(Verb.WR_SEND, "provider_wr_send"),
          Map.entry(Verb.WR_RDMA_WRITE, "provider_wr_rdma_write"),
          Map.entry(Verb.WR_SET_SGE, "provider_wr_set_sge"),
          Map.entry(Verb.WR_SET_SGE_LIST, "provider_wr_set_sge_list"),
          Map.entry(Verb.WR_SET_INLINE_DATA, "provider_wr_set_inline_data"),
          Map.entry(Verb.WR_SET_INLINE_DATA_LIST, "provider_wr_set_inline_data_list"),
          Map.entry(Verb.WR_COMPLETE, "provider_wr_complete"),
          Map.entry(Verb.WR_ABORT, "provider_wr_abort"),
          Map.entry(Verb.CONNECT, "provider_connect"),
          Map.entry(Verb.MODIFY_QP, "provider_modify_qp"),
          Map.entry(Verb.REG_MR, "provider_reg_mr"),
          Map.entry(Verb.REG_MR_IOVA2, "provider_reg_mr_iova2"),
          Map.entry(Verb.CMD_REG_MR, "provider_cmd_reg_mr"),
          Map.entry(Verb.REREG_MR, "provider_rereg_mr"),
          Map.entry(Verb.DEREG_MR, "provider_dereg_mr"),
          Map.entry(Verb.CLOSE_DEVICE, "provider_close_device"));

  private final Path program;
  private final Path library;

  private ScriptedProgram(Path program, Path library) {
    this.program = program;
    this.library = library;
  }

  /** Compiles it with this machine's compiler. */
  static ScriptedProgram compiled(Path folder) throws Exception {
    for (String name : List.of("provider.c", "provider.h", "scripted.c")) {
      try (InputStream resource = ScriptedProgram.class.getResourceAsStream(name)) {
        Files.copy(Objects.requireNonNull(resource), folder.resolve(name));
      }
    }
    Path library = folder.resolve("libprovider.so");
    Path program = folder.resolve("scripted");
    KnownProgram.run("gcc", "-O1", "-fPIC", "-shared", "-o", library + "", folder + "/provider.c");
    KnownProgram.run("gcc", "-O1", "-o", program + "", folder + "/scripted.c", library + "");
    return new ScriptedProgram(program, library.toRealPath());
  }

  /** Where its functions are. */
  @SuppressWarnings("restricted")
  List<Probe> places() throws Exception {
    var places = new ArrayList<Probe>();
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
      ProcessMaps maps = ProcessMaps.read(ProcessHandle.current().pid());
      for (Map.Entry<Verb, String> function : FUNCTIONS.entrySet()) {
        long address = symbols.findOrThrow(function.getValue()).address();
        ProcessMaps.FilePlace place = maps.codeAt(address).orElseThrow();
        places.add(new Probe(function.getKey(), place.file(), place.offset()));
      }
    }
    return places;
  }

  /** The words that start it in a shell. */
  String shellCommand(Path file, long seed, int rounds) {
    return "'%s' '%s' %d %d".formatted(program, file, seed, rounds);
  }

  /** Starts it; its arguments are in {@code scripted.c}. */
  Process start(String file, long seed, int rounds) throws Exception {
    return new ProcessBuilder(program + "", file, seed + "", rounds + "")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
