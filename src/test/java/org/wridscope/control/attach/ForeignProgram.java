// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A program that uses verbs, and how it is run: a server, and a client that ends.
 *
 * @param name unique
 * @param environment of both
 * @param debianPackage that it is of
 */
record ForeignProgram(
    String name,
    String debianPackage,
    List<String> server,
    List<String> client,
    Map<String, String> environment) {
  private static final int ROUNDS = 50;

  ForeignProgram {
    server = List.copyOf(server);
    client = List.copyOf(client);
    environment = Map.copyOf(environment);
  }

  /**
   * All of them.
   *
   * @param scripts the folder with the programs for pyverbs and MPI
   * @param device the RDMA device
   * @param address its address
   */
  static List<ForeignProgram> all(Path scripts, String device, String address) {
    var all = new ArrayList<ForeignProgram>();
    all.add(
        new ForeignProgram(
            "pyverbs",
            "python3-pyverbs",
            List.of("sleep", "600"),
            List.of(
                "python3",
                scripts.resolve("verbs.py").toString(),
                device,
                Integer.toString(ROUNDS)),
            Map.of()));
    String common = "-d %s -g 1 -n %d".formatted(device, ROUNDS);
    for (String options : List.of("rc", "rc -e", "rc -c", "uc", "ud", "srq -q 4", "srq -q 4 -e")) {
      int space = options.indexOf(' ');
      String kind = space < 0 ? options : options.substring(0, space);
      String rest = space < 0 ? "" : options.substring(space);
      String server = "ibv_%s_pingpong %s%s".formatted(kind, common, rest);
      all.add(of("ibverbs-utils", server, server + " 127.0.0.1"));
    }
    all.add(
        of(
            "rdmacm-utils",
            "rping -s -a %s -C %d".formatted(address, ROUNDS),
            "rping -c -a %s -C %d".formatted(address, ROUNDS)));
    all.add(
        of(
            "rdmacm-utils",
            "ucmatose -b %s -c 3 -C 20".formatted(address),
            "ucmatose -s %s -c 3 -C 20".formatted(address)));
    all.add(
        of(
            "rdmacm-utils",
            "udaddy -b %s -c 2 -C 20".formatted(address),
            "udaddy -s %s -c 2 -C 20".formatted(address)));
    all.add(of("rdmacm-utils", "rdma_server", "rdma_client -s %s".formatted(address)));
    all.add(
        of(
            "rdmacm-utils",
            "rstream -b %s -I 20 -C 20 -S 4096".formatted(address),
            "rstream -s %s -I 20 -C 20 -S 4096".formatted(address)));
    all.add(
        of(
            "rdmacm-utils",
            "riostream -b %s -I 20 -C 20 -S 4096".formatted(address),
            "riostream -s %s -I 20 -C 20 -S 4096".formatted(address)));
    for (String perftest :
        List.of(
            "ib_send_lat",
            "ib_send_bw -q 4",
            "ib_send_bw -e",
            "ib_send_bw -c UD",
            "ib_send_bw -c UC",
            "ib_send_bw --use-srq",
            "ib_send_bw -r 64 -t 16",
            "ib_write_lat",
            "ib_write_bw -q 2",
            "ib_write_bw -l 10",
            "ib_write_bw -I 64 -s 64",
            "ib_write_bw -R",
            "ib_read_lat",
            "ib_read_bw",
            "ib_atomic_lat",
            "ib_atomic_bw -A CMP_AND_SWAP")) {
      String server = "%s -F -d %s -n %d".formatted(perftest, device, 100);
      all.add(of("perftest", server, server + " " + address));
    }
    for (String test : List.of("rc_lat", "rc_rdma_write_lat", "rc_rdma_read_lat")) {
      String client = "qperf %s -cm 1 -t 1 %s".formatted(address, test);
      all.add(new ForeignProgram(client, "qperf", words("qperf"), words(client), Map.of()));
    }
    for (String verb : List.of("write", "read", "send")) {
      String job = "fio --name=job --ioengine=rdma --port=18515 --bs=4k --size=256k --iodepth=8";
      // The end that writes is the client, also if its requests read.
      String client = "%s --rw=write --hostname=%s --verb=%s".formatted(job, address, verb);
      String server = job + " --rw=read" + (verb.equals("send") ? " --verb=recv" : "");
      all.add(new ForeignProgram(client, "fio", words(server), words(client), Map.of()));
    }
    all.add(
        of(
            "libfabric-bin",
            "fi_pingpong -p verbs -e msg -I 50",
            "fi_pingpong -p verbs -e msg -I 50 " + address));
    String rxm = "fi_pingpong -p verbs;ofi_rxm -e rdm -I 50";
    all.add(
        new ForeignProgram(
            rxm,
            "libfabric-bin",
            words(rxm),
            words(rxm + " " + address),
            // For more peers its completion queue would be larger than rxe allows.
            Map.of("FI_UNIVERSE_SIZE", "8")));
    // Connects over TCP: its wait for UD is too short for an emulated machine.
    var ucx = Map.of("UCX_TLS", "\\rc_verbs,tcp,self", "UCX_NET_DEVICES", device + ":1,eth0");
    for (String test : List.of("tag_lat", "ucp_put_lat", "ucp_get", "ucp_am_lat")) {
      String server = "ucx_perftest -P 0 -t %s -n %d -w 5".formatted(test, ROUNDS);
      all.add(
          new ForeignProgram(
              server, "ucx-utils", words(server), words(server + " " + address), ucx));
    }
    var ofMpi = new HashMap<>(ucx);
    ofMpi.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
    ofMpi.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    ofMpi.put("HOME", "/tmp");
    String mpirun = "mpirun -np 2 --oversubscribe --mca pml ucx python3 ";
    all.add(
        new ForeignProgram(
            "mpirun -np 2 --mca pml ucx",
            "openmpi-bin",
            List.of("sleep", "600"),
            words(mpirun + scripts.resolve("mpi.py") + " " + ROUNDS),
            ofMpi));
    return all;
  }

  private static ForeignProgram of(String debianPackage, String server, String client) {
    return new ForeignProgram(server, debianPackage, words(server), words(client), Map.of());
  }

  private static List<String> words(String command) {
    return Arrays.asList(command.split(" "));
  }
}
