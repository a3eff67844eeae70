# SPDX-License-Identifier: Apache-2.0
"""Two ranks of an MPI send each other a message, as often as the first argument says."""

import sys

import mpi4py

mpi4py.rc.threads = False
from mpi4py import MPI  # noqa: E402 (after its settings)

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
message = bytearray(3000)
for _ in range(int(sys.argv[1])):
    if rank == 0:
        comm.Send(message, dest=1)
        comm.Recv(message, source=1)
    else:
        comm.Recv(message, source=0)
        comm.Send(message, dest=0)
