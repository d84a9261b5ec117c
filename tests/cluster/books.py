"""The accounting of a test's Slurm: MariaDB in its folder, and slurmdbd, which writes to it.

The trap: each step may be cut off where the clock leaps, and may have happened all the same.
"""

import shutil
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cluster.slurm import Cluster


def start(cluster: "Cluster", *, sql_port: int, port: int) -> None:
    """MariaDB, and slurmdbd, which knows the cluster and answers at `port`."""
    _start_database(cluster, sql_port)
    _start_slurmdbd(cluster, sql_port, port)


def _start_database(cluster: "Cluster", port: int) -> None:
    data = cluster.folder / "mysql"
    install = (
        *("mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}"),
        *("--auth-root-authentication-method=normal", "--skip-test-db"),
    )
    if not cluster.works(*install, timeout_s=180.0):  # it was seen to fail where the clock leapt
        shutil.rmtree(data, ignore_errors=True)
        cluster.run(*install)
    sql_socket = cluster.folder / "mysql.socket"
    cluster.begin(
        "mariadbd",
        [
            "mariadbd",
            "--no-defaults",
            "--user=root",
            f"--datadir={data}",
            f"--socket={sql_socket}",
            f"--port={port}",
            "--bind-address=127.0.0.1",
            "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=16M",
        ],
    )
    ask = ["mariadb", "--no-defaults", f"--socket={sql_socket}", "-uroot", "-e"]
    cluster.until(lambda: cluster.works(*ask, "select 1"), "MariaDB")
    cluster.run(*ask, "create user slurm@'127.0.0.1' identified by 'slurm'")
    cluster.run(*ask, "grant all on *.* to slurm@'127.0.0.1'")


def _start_slurmdbd(cluster: "Cluster", sql_port: int, port: int) -> None:
    dbd = cluster.folder / "slurmdbd.conf"
    dbd.write_text(
        f"AuthType=auth/munge\nAuthInfo=socket={cluster.folder / 'munge.socket'}\n"
        f"DbdHost=localhost\nDbdPort={port}\nSlurmUser=root\n"
        f"StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\nStoragePort={sql_port}\n"
        f"StorageUser=slurm\nStoragePass=slurm\nStorageLoc=slurm\n"
        f"PidFile={cluster.folder / 'slurmdbd.pid'}\nLogFile={cluster.folder / 'slurmdbd.log'}\n"
    )
    dbd.chmod(0o600)
    cluster.begin("slurmdbd", ["slurmdbd", "-D"])
    cluster.until(lambda: _know(cluster), "slurmdbd")


def _know(cluster: "Cluster") -> bool:
    """An `add` that was cut off may have added, and says no when it is asked again."""
    cluster.works("sacctmgr", "-i", "add", "cluster", "test", timeout_s=60.0)
    with suppress(AssertionError, subprocess.TimeoutExpired):
        return "test" in cluster.run("sacctmgr", "-nP", "list", "cluster", "format=cluster").split()
    return False
