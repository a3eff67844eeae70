// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.help;

/** The words of the field, as QEMU, rdma-core and the InfiniBand specification use them. */
final class Glossary {
  private Glossary() {}

  /** In alphabetical order. */
  static Topic page() {
    return Topic.of(
        "Glossary",
        "asynchronous event",
        "Something that a device reports by itself, such as QP_FATAL or a port that went down;"
            + " not the completion of a request (ibv_get_async_event).",
        "chunk",
        "1 MiB of a RAM block (RDMA_REG_CHUNK_SHIFT is 20): the unit in which QEMU registers"
            + " RAM without pin-all, and in which a wrid names RAM.",
        "completion",
        "What a device puts into a completion queue when it has finished a work request: its"
            + " wrid and a status. The first error of a queue pair flushes all its other"
            + " requests.",
        "completion queue",
        "Where completions are polled. QEMU before 6.2 has one for sends and receives, in which"
            + " a wait for one completion drops the others; since then each has its own."
            + " \"Shared\" means one for both.",
        "COMPRESS",
        "The control message that announces memory of one repeated byte, in practice zero, so"
            + " that it need not be written. It has nothing to do with QEMU's compression.",
        "convergence",
        "Rounds get shorter until the rest can be sent within the downtime limit. A guest that"
            + " writes faster than the link sends never converges.",
        "dirty",
        "Written by the guest after it was sent, and so to be sent again.",
        "downtime",
        "The time in which the guest runs at neither end: from its pause at the source to its"
            + " start at the destination.",
        "key",
        "The number under which a device knows a registration: lkey for its own requests, rkey"
            + " for the RDMA WRITEs of the peer, which gets it in REGISTER RESULT.",
        "memlock limit",
        "How much memory a process may lock, and so register, without privileges"
            + " (RLIMIT_MEMLOCK; ulimit -l).",
        "pin-all",
        "The option to register all RAM before the first round. Then no keys are asked for"
            + " during rounds, but all RAM stays in physical memory, and the set-up takes"
            + " longer (QEMU: rdma-pin-all).",
        "QEMU FILE",
        "The control message that carries bytes of QEMU's migration stream: device state, and"
            + " the headers of RAM.",
        "queue pair",
        "One end of a connection: a send queue and a receive queue at a device.",
        "RAM block",
        "A piece of guest memory with a name, such as pc.ram. Both ends must have the same ones"
            + " with the same lengths (RAM BLOCKS REQUEST and RESULT).",
        "READY",
        "The control message by which the receiver permits one more message: QEMU's sender"
            + " waits for READY before each control message, so that a receive is always"
            + " posted.",
        "registration",
        "Telling a device about memory so that it may access it (ibv_reg_mr). The memory is"
            + " pinned and gets keys.",
        "REGISTER REQUEST",
        "The control message that asks the destination to register chunks; REGISTER RESULT has"
            + " the keys. REGISTER FINISHED ends a round.",
        "ring",
        "A buffer whose end continues at its beginning. The event ring holds the engine's"
            + " newest events until the window reads them; the ring of send contexts is what"
            + " limits outstanding requests; a virtqueue has two, of available and of used"
            + " buffers.",
        "RNR",
        "Receiver not ready: a SEND arrived where no receive was posted. The sender's device"
            + " repeats it after a timer, as often as the connection allows, and then fails the"
            + " request with RNR_RETRY_EXC_ERR.",
        "round",
        "One pass over the RAM that was dirty when it began. Round 1 sends everything.",
        "send context",
        "What the engine keeps for a posted request until a completion covers it. With none"
            + " left it waits. The Linux kernel's xprtrdma does the same.",
        "signaled",
        "A request that is to have a completion of its own. One that is unsignaled is covered"
            + " by a later completion of the same send queue.",
        "switch-over",
        "The guest is paused at the source, the rest is sent, and the guest starts at the"
            + " destination.",
        "UNREGISTER REQUEST",
        "The control message that asks the destination to release the registration of chunks."
            + " QEMU has the code, but does not use it by default.",
        "work request",
        "What a program posts to a queue: SEND, RDMA WRITE, or a receive with a buffer.",
        "wrid",
        "The 64-bit number that a program gives to a work request, and gets back in its"
            + " completion. QEMU's has the kind in bits 0 to 15 (1 an RDMA WRITE, 2000 a"
            + " control SEND, 4000 and more a control receive with the number of its buffer),"
            + " for writes the index of the RAM block in bits 16 to 29, and the chunk in bits"
            + " 30 to 63.");
  }
}
