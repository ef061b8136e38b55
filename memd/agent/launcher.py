"""The small program that gives up its rights and then becomes another one. Linux; standard library only.

    python -I -S launcher.py POLICY

POLICY is JSON: `argv` of `program` (its real path), what may be executed (`execute`), read (`read`) and listed (`list`,
descriptors of directories). Everything else is closed by Landlock, and what Landlock does not know (sockets, modes,
times, signals, new processes) by a list of system calls that fail. It runs no other code: nothing happens in between.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

EXECUTE, READ_FILE, READ_DIRECTORY = 1 << 0, 1 << 2, 1 << 3
_FILE_RIGHTS = (13, 14, 15, 15, 16)  # how many there are, from ABI 1 on; the later ones have no more
_NET_SINCE, _SCOPE_SINCE = 4, 6
_NET_RIGHTS, _SCOPES = 0b11, 0b11  # bind and connect; abstract sockets and signals

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_SET_PDEATHSIG, _SET_SECCOMP, _SET_NO_NEW_PRIVS = 1, 22, 38
_FILTER = 2

# Number of the call on x86_64 and on aarch64; None: it is not there. From the kernel's system call tables.
CLOSED_CALLS: Mapping[str, tuple[int | None, int | None]] = {
    "socket": (41, 198),
    "connect": (42, 203),
    "accept": (43, 202),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "bind": (49, 200),
    "listen": (50, 201),
    "socketpair": (53, 199),
    "accept4": (288, 242),
    "sendmmsg": (307, 269),
    "clone": (56, 220),
    "fork": (57, None),
    "vfork": (58, None),
    "clone3": (435, 435),
    "execveat": (322, 281),
    "memfd_create": (319, 279),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "prlimit64": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "fanotify_init": (300, 262),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "syslog": (103, 116),
    "mq_open": (240, 180),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
}
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above; what the kernel calls it
_FOREIGN_CALLS = 0x40000000  # from here on: calls of another kind (x32)
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000 | errno.EPERM
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF: word at an offset, two jumps, the end


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def main(arguments: Sequence[str]) -> NoReturn:
    """Restrict this process by the policy and become the program; exit status 126 where that fails."""
    try:
        policy: dict[str, Any] = json.loads(arguments[1])
        _limit()
        confine(policy)
        os.execve(policy["program"], policy["argv"], dict(os.environ))  # noqa: S606 - no shell is the point
    except (OSError, ValueError, KeyError, IndexError) as error:
        sys.stderr.write(f"not started: {error}\n")
        sys.exit(126)


def landlock_version() -> int:
    """The kernel's Landlock ABI; 0 where there is none."""
    try:
        return _syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except OSError:
        return 0


def filters_calls() -> bool:
    """Whether this machine's system calls are in the table."""
    return os.uname().machine in _MACHINES and sys.maxsize > 1 << 32


def confine(policy: Mapping[str, Any]) -> None:
    """Give up every right but those of the policy, for good. OSError where the kernel cannot do it."""
    ruleset = _ruleset(landlock_version())
    for paths, rights in (("execute", EXECUTE | READ_FILE), ("read", READ_FILE)):
        for path in policy[paths]:
            _allow(ruleset, os.open(path, os.O_PATH | os.O_CLOEXEC), rights)
    for descriptor in policy["list"]:
        _allow(ruleset, descriptor, READ_DIRECTORY)
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0))
    os.close(ruleset)
    _close_calls()


def _limit() -> None:
    """No files, no core, five seconds of work, little memory; and not longer than the one who started it."""
    for kind, most in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, 5),
        (resource.RLIMIT_AS, 1 << 30),
    ):
        resource.setrlimit(kind, (most, most))
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _ruleset(version: int) -> int:
    if version < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    rights = (1 << _FILE_RIGHTS[min(version, len(_FILE_RIGHTS)) - 1]) - 1
    attributes = struct.pack("=Q", rights)
    if version >= _NET_SINCE:
        attributes += struct.pack("=Q", _NET_RIGHTS)
    if version >= _SCOPE_SINCE:
        attributes += struct.pack("=Q", _SCOPES)
    return _syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))


def _allow(ruleset: int, descriptor: int, rights: int) -> None:
    """Grant rights on what a descriptor stands for, and close it: the program is to have none."""
    try:
        _syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, descriptor), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def _close_calls() -> None:
    code = call_filter(os.uname().machine)
    program = _Program(len(code) // 8, code)
    _prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program))


def call_filter(machine: str) -> bytes:
    """The filter as the kernel reads it: another machine's calls, foreign ones and the closed ones fail."""
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"the system calls of {machine} are not known")
    column, name = _MACHINES[machine]
    closed = sorted({number for numbers in CLOSED_CALLS.values() if (number := numbers[column]) is not None})
    fail = len(closed) + 1  # how far the end is from the first comparison with a call
    steps = [
        (_LOAD, 0, 0, 4),
        (_IF_EQUAL, 0, fail + 2, name),
        (_LOAD, 0, 0, 0),
        (_IF_AT_LEAST, fail, 0, _FOREIGN_CALLS),
    ]
    steps += [(_IF_EQUAL, fail - 1 - at, 0, number) for at, number in enumerate(closed)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _prctl(*arguments: Any) -> None:  # noqa: ANN401 - whatever the call takes
    padded = [value if not isinstance(value, int) else ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)]
    if _library().prctl(*padded[:5]) != 0:
        _fail()


def _syscall(*arguments: Any) -> int:  # noqa: ANN401 - likewise
    padded = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(_library().syscall(*padded))
    if result < 0:
        _fail()
    return result


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _fail() -> NoReturn:
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main(sys.argv)
