// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;

/** Error numbers of Linux, as verbs and connection manager return them. */
final class Errnos {
  private static final String OBJECTS = "ibv_open_device(3), ibv_alloc_pd(3)";
  private static final String QUEUE = "ibv_post_send(3), ibv_post_recv(3)";
  private static final String ADDRESS = "rdma_bind_addr(3), rdma_resolve_addr(3)";
  private static final String CONNECT = "rdma_connect(3), rdma_get_cm_event(3)";

  static final List<Meaning> ALL =
      List.of(
          errno(
              1,
              "EPERM",
              "Operation not permitted",
              "The process lacks a privilege.",
              "A raw operation, or locked memory without a limit that allows it.",
              "ulimit -l, and the capabilities of the process or container.",
              "mlock(2)"),
          errno(
              2,
              "ENOENT",
              "No such file or directory",
              "A device file or a library is missing.",
              "Kernel modules that are not loaded, or rdma-core is not installed.",
              "doctor; ls /dev/infiniband.",
              OBJECTS),
          errno(
              4,
              "EINTR",
              "Interrupted system call",
              "A signal interrupted the call; it may be repeated.",
              "A debugger or a signal handler.",
              "",
              "signal(7)"),
          errno(
              5,
              "EIO",
              "Input/output error",
              "The device failed.",
              "A fault of the device, or a device that was removed.",
              "The kernel's log (dmesg), and IBV_EVENT_DEVICE_FATAL.",
              OBJECTS),
          errno(
              11,
              "EAGAIN",
              "Resource temporarily unavailable",
              "Nothing is there at the moment, or a resource is short for the moment.",
              "A channel in non-blocking mode without an event.",
              "Call again when poll(2) says that there is an event.",
              "ibv_get_cq_event(3), ibv_get_async_event(3), rdma_get_cm_event(3)"),
          errno(
              12,
              "ENOMEM",
              "Cannot allocate memory",
              "From a registration: the memory could not be pinned, or the device has no memory"
                  + " region left. From ibv_post_send(3) or ibv_post_recv(3): the queue is full.",
              "The limit of locked memory (RLIMIT_MEMLOCK), the device's max_mr, or a queue whose"
                  + " completions were not polled.",
              "ulimit -l, max_mr of ibv_devinfo -v, free memory; or the depth of the queue.",
              "ibv_reg_mr(3), " + QUEUE + ", getrlimit(2)"),
          errno(
              13,
              "EACCES",
              "Permission denied",
              "The process may not use the device or the memory in that way.",
              "Permissions of /dev/infiniband, or a registration for writing of memory that is"
                  + " mapped read-only.",
              "doctor; the groups of the user; the protection of the mapping.",
              "ibv_open_device(3), ibv_reg_mr(3)"),
          errno(
              14,
              "EFAULT",
              "Bad address",
              "The address is not mapped in the process.",
              "A registration of memory that was unmapped.",
              "The address and length that were registered.",
              "ibv_reg_mr(3)"),
          errno(
              16,
              "EBUSY",
              "Device or resource busy",
              "The object is still used by another one.",
              "A region, queue pair or event that was not closed or acknowledged before.",
              "The order of destruction: queue pair, completion queue, region, domain, device.",
              "ibv_dealloc_pd(3), ibv_destroy_cq(3)"),
          errno(
              19,
              "ENODEV",
              "No such device",
              "There is no RDMA device for that name or address.",
              "A device that was removed, or an address of an interface without RDMA.",
              "devices; rdma link.",
              "ibv_open_device(3), " + ADDRESS),
          errno(
              22,
              "EINVAL",
              "Invalid argument",
              "An argument is out of range, or does not suit the state of the object.",
              "More entries than the device supports, a queue pair that is not connected, or access"
                  + " flags that do not belong together.",
              "The limits of the device (devices, ibv_devinfo -v), and the queue pair's state.",
              "ibv_create_cq(3), ibv_create_qp(3), ibv_modify_qp(3), " + QUEUE),
          errno(
              24,
              "EMFILE",
              "Too many open files",
              "The process has no file descriptor left; each device, channel and identifier needs"
                  + " one.",
              "Many sessions at once, or a leak.",
              "ulimit -n; ls /proc/PID/fd.",
              "rdma_create_event_channel(3), ibv_create_comp_channel(3)"),
          errno(
              28,
              "ENOSPC",
              "No space left on device",
              "A table of the device or a disk is full.",
              "A capture to a full disk, or a device without room for another object.",
              "df; rdma resource show.",
              "write(2)"),
          errno(
              32,
              "EPIPE",
              "Broken pipe",
              "The other end of a stream was closed.",
              "The peer of a socket has ended.",
              "The log of the peer.",
              "write(2)"),
          errno(
              38,
              "ENOSYS",
              "Function not implemented",
              "Kernel or driver does not implement the call.",
              "An old kernel or driver.",
              "Kernel version, and the version of rdma-core.",
              OBJECTS),
          errno(
              71,
              "EPROTO",
              "Protocol error",
              "The peer sent something that the protocol does not allow.",
              "Incompatible versions of connection managers.",
              "Kernel versions of both hosts.",
              CONNECT),
          errno(
              95,
              "EOPNOTSUPP",
              "Operation not supported",
              "Device or driver does not support the operation.",
              "On-demand paging, access flags or queue types that the device lacks.",
              "The capabilities of the device (ibv_devinfo -v).",
              "ibv_reg_mr(3), ibv_query_device_ex(3)"),
          errno(
              98,
              "EADDRINUSE",
              "Address already in use",
              "Another listener has that port.",
              "Another destination, or an earlier one that still runs.",
              "rdma resource show cm_id; ss -ltn.",
              ADDRESS),
          errno(
              99,
              "EADDRNOTAVAIL",
              "Cannot assign requested address",
              "The address is not one of this machine, or not one of that device.",
              "A typing error, or an interface that is down.",
              "ip address; devices.",
              ADDRESS),
          errno(
              100,
              "ENETDOWN",
              "Network is down",
              "The network interface is down.",
              "A link without carrier.",
              "ip link; rdma link.",
              ADDRESS),
          errno(
              101,
              "ENETUNREACH",
              "Network is unreachable",
              "There is no route to the address.",
              "A missing route, or a wrong address.",
              "ip route get ADDRESS.",
              ADDRESS),
          errno(
              103,
              "ECONNABORTED",
              "Software caused connection abort",
              "The connection was given up on this host.",
              "A listener or an identifier that was destroyed meanwhile.",
              "The log of this program.",
              CONNECT),
          errno(
              104,
              "ECONNRESET",
              "Connection reset by peer",
              "The peer ended the connection without the usual exchange.",
              "The peer's process was killed, or its device was reset. On iWARP also: a connection"
                  + " request that was rejected.",
              "The log of the peer.",
              CONNECT),
          errno(
              106,
              "EISCONN",
              "Transport endpoint is already connected",
              "The identifier already has a connection.",
              "A second connect on the same identifier.",
              "",
              CONNECT),
          errno(
              107,
              "ENOTCONN",
              "Transport endpoint is not connected",
              "There is no connection, or no longer.",
              "A disconnect of the peer that was not noticed yet.",
              "The connection events before it.",
              "rdma_disconnect(3)"),
          errno(
              110,
              "ETIMEDOUT",
              "Connection timed out",
              "No answer came in time.",
              "The peer's host is down, a firewall drops packets, or GID, VLAN or MTU do not fit.",
              "ping the peer; whether UDP port 4791 is open (RoCE v2); the GIDs of both ends.",
              "rdma_resolve_addr(3), " + CONNECT),
          errno(
              111,
              "ECONNREFUSED",
              "Connection refused",
              "The request reached the peer and was rejected.",
              "Nobody listens on that port, or the program refused.",
              "The destination and its URI; explain \"reject 8\" and \"reject 28\".",
              CONNECT),
          errno(
              113,
              "EHOSTUNREACH",
              "No route to host",
              "The host did not answer ARP or neighbour discovery.",
              "A host that is down, or a wrong address or VLAN.",
              "ip neighbour; ping the address.",
              ADDRESS),
          errno(
              114,
              "EALREADY",
              "Operation already in progress",
              "The same operation was started before and has not ended.",
              "A second call before the event of the first one.",
              "",
              CONNECT),
          errno(
              115,
              "EINPROGRESS",
              "Operation now in progress",
              "The operation was started; an event will tell its end.",
              "",
              "",
              CONNECT));

  private Errnos() {}

  private static Meaning errno(
      int value, String name, String text, String means, String causes, String next, String calls) {
    return new Meaning(
        Meaning.Kind.ERRNO,
        name,
        value,
        List.of(text),
        means,
        causes,
        next,
        "Linux: errno(3), " + calls);
  }
}
