// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.RdmaLibraries;

/** Checks what RDMA needs on this machine, and explains what is missing. */
final class Installation {
  private static final Path CONNECTION_MANAGER_NODE = Path.of("/dev/infiniband/rdma_cm");
  private static final Path VERBS_NODES = Path.of("/dev/infiniband");

  private Installation() {}

  /**
   * Checks that the libraries are installed, and new enough, and that DiSNI uses this program's
   * dispatcher.
   *
   * @throws VerbsException with {@link Errno#ENOENT} or {@link Errno#ENOSYS} when not
   */
  static void require() throws VerbsException {
    var missing = RdmaLibraries.missing();
    if (missing.isPresent()) {
      throw new VerbsException(
          Errno.ENOENT,
          "%s is not installed on this machine; install rdma-core's user space (Debian: libibverbs1 librdmacm1 ibverbs-providers)"
              .formatted(missing.get()));
    }
    if (!Ibverbs.QUERY_GID_TABLE.isThere()) {
      throw new VerbsException(
          Errno.ENOSYS, "this machine's rdma-core is older than version 32; update it");
    }
    var foreign = new DisniClasses(Installation.class.getClassLoader()).foreignDispatcher();
    if (foreign.isPresent()) {
      throw new VerbsException(
          Errno.ENOENT,
          "DiSNI's own %s was found before ours, in %s; put wridscope's jar before DiSNI's on the class path"
              .formatted(DisniClasses.DISPATCHER, foreign.get()));
    }
  }

  /** Why the devices could not be listed. */
  static VerbsException noDeviceList(NativeCallException e) {
    return switch (Errno.of(e.errno())) {
      case ENOSYS ->
          new VerbsException(
              Errno.ENOSYS,
              "this machine's kernel has no RDMA loaded; load the adapter's driver and ib_uverbs"
                  + " and rdma_ucm (soft-RoCE: modprobe rdma_rxe ib_uverbs rdma_ucm)");
      case EPERM, EACCES ->
          new VerbsException(
              Errno.EACCES,
              "the RDMA devices may not be listed; give this user the right to read %s"
                  .formatted(VERBS_NODES));
      default -> failed("listing the RDMA devices", e);
    };
  }

  /** Why a device that is there could not be opened. */
  static VerbsException notOpened(String device, String verbsNode, int errno) {
    Path node = VERBS_NODES.resolve(verbsNode);
    if (!Files.exists(node)) {
      return new VerbsException(
          Errno.ENOENT,
          "the RDMA device %s cannot be opened: there is no %s; load the module ib_uverbs"
              .formatted(device, node));
    }
    if (!Files.isReadable(node) || !Files.isWritable(node)) {
      return new VerbsException(
          Errno.EACCES,
          "the RDMA device %s cannot be opened: this user may not read and write %s"
              .formatted(device, node));
    }
    return new VerbsException(
        Errno.of(errno),
        "the RDMA device %s cannot be opened (errno %d); the kernel's log may say more"
            .formatted(device, errno));
  }

  /** Why there is no event channel of the connection manager. */
  static VerbsException noEventChannel(NativeCallException e) {
    return switch (Errno.of(e.errno())) {
      case ENODEV ->
          new VerbsException(
              Errno.ENODEV,
              "this machine has no RDMA device; for soft-RoCE: rdma link add rxe0 type rxe netdev"
                  + " INTERFACE");
      case ENOENT, EACCES, EPERM ->
          Files.exists(CONNECTION_MANAGER_NODE)
              ? new VerbsException(
                  Errno.EACCES,
                  "RDMA connections are not possible: this user may not read and write "
                      + CONNECTION_MANAGER_NODE)
              : new VerbsException(
                  Errno.ENOENT,
                  "RDMA connections are not possible: there is no %s; modprobe rdma_ucm"
                      .formatted(CONNECTION_MANAGER_NODE));
      default -> failed("creating an RDMA event channel", e);
    };
  }

  /** Converts what DiSNI threw: the failure of a native call, or of one of DiSNI's checks. */
  static VerbsException wrap(String what, IOException e) {
    return switch (e) {
      case VerbsException verbs -> verbs;
      case NativeCallException call -> failed(what, call);
      default -> {
        var exception = new VerbsException(Errno.EINVAL, what + " failed: " + e.getMessage());
        exception.initCause(e);
        yield exception;
      }
    };
  }

  /**
   * Checks what DiSNI returned.
   *
   * @param result 0 or a negative error number
   */
  static void check(String what, int result) throws VerbsException {
    if (result != 0) {
      throw failed(what, new NativeCallException(what, -result));
    }
  }

  /** The message for a failure without a more specific one. */
  static VerbsException failed(String what, NativeCallException e) {
    Errno errno = Errno.of(e.errno());
    var exception =
        new VerbsException(
            errno,
            errno.value() == e.errno()
                ? "%s failed: %s (%s)".formatted(what, errno, e.function())
                : "%s failed: errno %d (%s)".formatted(what, e.errno(), e.function()));
    exception.initCause(e);
    return exception;
  }
}
