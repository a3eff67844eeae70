// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvQPInitAttr;
import java.io.IOException;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.common.Undo;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** What a queue pair is made of. Its objects stay in use until the queue pair is destroyed. */
record NewQueuePair(
    NativeProtectionDomain domain,
    NativeCompletionQueue send,
    NativeCompletionQueue receive,
    QueuePairCapacity capacity) {

  /** Makes the object of a native queue pair. */
  interface Factory {
    NativeQueuePair create(
        NativeConnection connection,
        NativeProtectionDomain domain,
        NativeCompletionQueue send,
        NativeCompletionQueue receive,
        long address)
        throws NativeCallException;
  }

  NativeQueuePair create(NativeConnection connection, ConnectionId id, Factory factory)
      throws IOException {
    var undo = new Undo();
    try (undo) {
      domain.use();
      undo.add(domain::release);
      send.use();
      undo.add(send::release);
      receive.use();
      undo.add(receive::release);
      long address = id.createQueuePair(domain.domain(), attributes());
      NativeQueuePair created = adopted(address, connection, id, factory);
      undo.forget();
      return created;
    }
  }

  private IbvQPInitAttr attributes() {
    var attributes = new IbvQPInitAttr();
    attributes.setQp_type(NativeQueuePair.TYPE_RELIABLE_CONNECTED);
    attributes.setSend_cq(send.queue());
    attributes.setRecv_cq(receive.queue());
    attributes.cap().setMax_send_wr(capacity.maxSendRequests());
    attributes.cap().setMax_recv_wr(capacity.maxReceiveRequests());
    return attributes;
  }

  /** The object of a new native queue pair, which is destroyed when that fails. */
  private NativeQueuePair adopted(
      long address, NativeConnection connection, ConnectionId id, Factory factory)
      throws NativeCallException {
    try {
      return factory.create(connection, domain, send, receive, address);
    } catch (NativeCallException | RuntimeException | Error e) {
      try {
        Ibverbs.DESTROY_QP.call(address);
        id.forgetQueuePair();
      } catch (NativeCallException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }
}
