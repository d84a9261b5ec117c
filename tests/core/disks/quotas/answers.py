"""The answer of a quota command, read; and the heads of their tables."""

from trainwatch.core.disks import table
from trainwatch.core.disks.values import Asked, Quota

AT = 1_790_000_000.0
DAY_S, KIB, GIB, TIB = 86_400, 1024, 1024**3, 1024**4
ADA = Asked(path="/scratch/ada", user="ada")


def parsed(kind: str, text: str, asked: Asked = ADA) -> Quota:
    return table.parse(kind, asked, text.encode(), AT)


def numbers(quota: Quota) -> tuple[int | None, ...]:
    return (
        *(quota.bytes.used, quota.bytes.soft, quota.bytes.hard),
        *(quota.inodes.used, quota.inodes.soft, quota.inodes.hard),
    )


QUOTA_HEAD = """Disk quotas for user ada (uid 1000):
     Filesystem  blocks   quota   limit   grace   files   quota   limit   grace
"""

LFS_HEAD = """Disk quotas for usr ada (uid 10000):
     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace
"""

Y_HEAD = (
    "mmlsquota::HEADER:version:reserved:reserved:filesystemName:quotaType:id:name:blockUsage:blockQuota:"
    "blockLimit:blockInDoubt:blockGrace:filesUsage:filesQuota:filesLimit:filesInDoubt:filesGrace:remarks:"
    "quota:defQuota:fid:filesetname:\n"
)
GPFS = Asked(path="/gpfs/ada", user="ada", names=("/gpfs", "gpfs0"))
MM_HEAD = (
    "                         Block Limits                                    |     File Limits\n"
    "Filesystem type             KB      quota      limit   in_doubt    grace |"
    "    files   quota    limit in_doubt    grace  Remarks\n"
)
