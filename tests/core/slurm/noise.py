"""What is no answer of Slurm: nothing, somebody else's words, any bytes."""

from hypothesis import strategies as st

from tests.core.slurm.answering import FIELD, ROW

LOST = [
    (b"", "empty"),
    (b"  \n", "empty"),
    (b"<html><body>502 Bad Gateway</body></html>", "502 Bad Gateway"),
    (b"slurm_load_jobs error: Unable to contact slurm controller\n", "Unable to contact"),
    (b"\x00\xff\x1b[2J", "not an answer"),
]

pieces = st.sampled_from(
    [
        FIELD.encode(),
        ROW.encode(),
        b"\n",
        b"JOBID",
        b"7",
        b"{",
        b'"jobs":',
        b"[",
        b"]",
        b"}",
        b"\xff",
    ]
)
noise = st.one_of(st.binary(max_size=200), st.lists(pieces, max_size=60).map(b"".join))
