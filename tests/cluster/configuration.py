"""slurm.conf of a test's cluster: every daemon on this machine, four pretended GPUs a node."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path


def write(conf: Path, nodes: Sequence[str], ports: Sequence[int], *, accounting: bool) -> None:
    """`conf` and what it names, beside it. `ports`: the controller's, one more, the books', the nodes'."""
    folder, count = conf.parent, len(nodes)
    _make_devices(folder, count)
    for name in ("state", *(f"spool/{node}" for node in nodes)):
        (folder / name).mkdir(parents=True)
    host = socket.gethostname().split(".")[0]
    store = (
        f"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=localhost\n"
        f"AccountingStoragePort={ports[2]}\n"
        f"AccountingStoragePass={folder / 'munge.socket'}\n"
        if accounting
        else "AccountingStorageType=accounting_storage/none\n"
    )
    first, last = ports[3], ports[3] + count - 1
    conf.write_text(
        f"ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\n"
        f"SlurmctldPort={ports[0]}\nSlurmUser=root\nSlurmdUser=root\n"
        f"AuthType=auth/munge\nAuthInfo=socket={folder / 'munge.socket'}\n"
        f"ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
        f"JobAcctGatherType=jobacct_gather/none\nSelectType=select/cons_tres\n"
        f"SelectTypeParameters=CR_Core\nSchedulerType=sched/backfill\n"
        f"SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=100000,"
        f"batch_sched_delay=0\n"
        f"SlurmdParameters=config_overrides\nMpiDefault=none\nReturnToService=2\n"
        f"KillWait=3\nMinJobAge=30\nSlurmdTimeout=15\nSlurmctldTimeout=10\nInactiveLimit=0\n"
        f"StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool/%n\n"
        f"SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd-%n.pid\n"
        f"SlurmctldLogFile={folder}/slurmctld.log\nSlurmdLogFile={folder}/slurmd-%n.log\n"
        f"GresTypes=gpu\n{store}"
        f"NodeName=node[1-{count}] NodeHostname={host} NodeAddr=127.0.0.1 "
        f"Port=[{first}-{last}] CPUs=16 CoresPerSocket=16 RealMemory=2000 Gres=gpu:v100:4 "
        f"Feature=v100-32g State=UNKNOWN\n"
        f"PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO\n"
        f"PartitionName=prepost Nodes=ALL MaxTime=24:00:00 State=UP OverSubscribe=NO\n"
    )


def _make_devices(folder: Path, count: int) -> None:
    """GPUs are /dev/null by another name."""
    gpus = [folder / f"gpu{n}" for n in range(4)]
    for gpu in gpus:
        os.mknod(gpu, 0o600 | 0o020000, os.makedev(1, 3))
    (folder / "gres.conf").write_text(
        f"NodeName=node[1-{count}] Name=gpu Type=v100 File={folder}/gpu[0-3]\n"
    )
