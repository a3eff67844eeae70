# SPDX-License-Identifier: Apache-2.0
"""A script for QEMU: follows a migration through QEMU's own client, and ends it. Arguments: the socket."""
import asyncio
import sys

from qemu.qmp import ExecuteError, QMPClient


async def main():
    qmp = QMPClient("script")
    await qmp.connect(sys.argv[1])
    try:
        await qmp.execute("device_add", {"driver": "e1000"})
    except ExecuteError as error:
        print("refused", error.error_class, error)
    while (info := await qmp.execute("query-migrate")).get("status") != "active":
        await asyncio.sleep(0.01)
    print("active", info["ram"]["total"] > 64 << 20)
    capability = {"capability": "events", "state": True}
    await qmp.execute("migrate-set-capabilities", {"capabilities": [capability]})
    with qmp.listener(("MIGRATION", "STOP")) as listener:
        await qmp.execute("migrate-set-parameters", {"max-bandwidth": 0})
        async for event in listener:
            print("event", event["event"], event.get("data", {}).get("status", ""), flush=True)
            if event.get("data", {}).get("status") == "completed":
                break
    info = await qmp.execute("query-migrate")
    print(info["status"], info["ram"]["remaining"], "downtime" in info)
    print((await qmp.execute("query-status"))["status"])
    await qmp.execute("quit")
    try:
        await qmp.disconnect()
    except EOFError:
        pass  # the other end, which quits, was faster


asyncio.run(main())
