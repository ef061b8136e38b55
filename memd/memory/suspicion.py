"""Memories that read like an attack: hide something, carry data out, touch credentials, switch safety off.

No filter of wording is complete; this one only decides what a person sees first. What forbids such a thing ("never
disable TLS checks") is no attack.
"""

from __future__ import annotations

import re

_GAP = r"[^.!?。！？\n]{0,60}?"
_SECRETS = (
    r"(?:\.env\b|credentials?|id_rsa|id_ed25519|\.ssh\b|\.aws\b|\.netrc|api[ _-]?keys?|keychain|\btokens\b|passwords?|"
    r"(?:access|auth|bearer|session)[ _-]?tokens?|passphrases?|private[ _-]keys?|\bsecrets?\b|"
    r"环境变量|密钥|私钥|令牌|凭证|凭据|密码|口令)"
)
_GUARDS = (
    r"(?:security|safety|sandbox\w*|permission\w*|approvals?|confirmations?|verification|certificates?|\btls\b|\bssl\b|"
    r"signatures?|\b2fa\b|\bmfa\b|firewall|antivirus|authentication|authorization|guard\s?rails?|code\s?review|audit\w*|"
    r"(?:previous|prior|earlier|above|system|safety)\s(?:instructions?|rules?|prompts?)|"
    r"安全|沙箱|权限|审批|确认|证书|校验|验证|签名|防火墙|认证|审查|之前的指令|系统提示)"
)

_HIDE = re.compile(
    rf"""(?:do\ not|don'?t|never|avoid|without|no\ need\ to)\s+{_GAP}
        (?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|disclos(?:e|ing)|reveal(?:ing)?|mention(?:ing)?)
        {_GAP}\b(?:users?|humans?|anyone|anybody|people|owner|them|him|her|me)\b
    | (?:hide|conceal)\s+(?:this|it|that){_GAP}\b(?:from)\b | \bsecretly\b | \bcovertly\b
    | without\s+(?:the\s+)?(?:user|human|owner)(?:'s)?\s+(?:knowledge|knowing|consent|noticing)
    | (?:不要|别|不能|不得|切勿|无需)(?:告诉|告知|通知|提醒|透露给|让){_GAP}(?:用户|任何人|他人|别人|人类|他们|知道)
    | 瞒着 | 偷偷 | 暗中 | 秘密地""",
    re.IGNORECASE | re.VERBOSE,
)
_CARRY_OUT = re.compile(
    rf"""\b(?:send|post|upload|forward|exfiltrate|leak|e-?mail|transmit|submit|copy|push|append|include)\b{_GAP}
        (?:{_SECRETS}|\b(?:source\ code|environment|env\ vars?|transcripts?|conversations?|chat\ history|memories)\b)
        {_GAP}(?:\bto\b|https?://|\bvia\b|\bin(?:to)?\ (?:the\ )?(?:url|request|query|comment|commit|log))
    | \bexfiltrat | \b(?:curl|wget|fetch)\b[^\n]{{0,120}}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b
    | (?:curl|wget)\b[^\n]{{0,160}}(?:-d|--data\S*|-F|-T|--upload-file)\s*["']?[@$]
    | (?:发送|上传|外传|泄露|转发|提交){_GAP}(?:{_SECRETS}|源码|源代码|对话|记忆)
    | (?:把|将){_GAP}(?:{_SECRETS}|源码|源代码|对话){_GAP}(?:发送|上传|发到|传到|发给|外传)""",
    re.IGNORECASE | re.VERBOSE,
)
_CREDENTIALS = re.compile(
    rf"""\b(?:cat|print|dump|echo|copy|paste|share|reveal|show|expose|log|hard-?code|commit|read|steal|collect|harvest)\b
        {_GAP}{_SECRETS}
    | (?:打印|读取|输出|显示|复制|粘贴|分享|公开|收集|硬编码|提交){_GAP}{_SECRETS}""",
    re.IGNORECASE | re.VERBOSE,
)
_SWITCH_OFF = re.compile(
    rf"""\b(?:disabl\w+|turn(?:ing)?\ off|switch(?:ing)?\ off|skip\w*|bypass\w*|circumvent\w*|ignor\w+|suppress\w*
        |overrid\w+|remov\w+)\b{_GAP}{_GUARDS}
    | (?:关闭|关掉|禁用|绕过|跳过|忽略|无视|取消){_GAP}{_GUARDS}
    | --no-verify\b | --dangerously-\w+ | \byolo\ mode\b | chmod\ (?:-R\ )?0?777 | verify\s*=\s*false
    | StrictHostKeyChecking[=\ ]no | NODE_TLS_REJECT_UNAUTHORIZED | setenforce\ 0
    | \bcurl\b[^\n]{{0,80}}\s(?:-k|--insecure)\b | \brm\ -rf\ [~/](?:\s|$)
    | <\s*/?\s*(?:system|system-reminder|instructions?)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# Tags, bidirectional controls and zero-width characters, but for those that join letters and emoji.
_INVISIBLE = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060-\u2064]|(?<!^)\ufeff")
_FORBIDDING = re.compile(
    r"(?:\b(?:never|not|no|don'?t|mustn'?t|shouldn'?t|can'?t|cannot|avoid|without|forbid\w*|prohibit\w*|stop|"
    r"instead of)\b|不要|不得|不能|不准|不可|别|禁止|切勿|严禁|避免|勿)[^.!?。！？\n]{0,60}\Z",
    re.IGNORECASE,
)


_LONGEST_FORBIDDING = 100  # characters before a match in which it may be forbidden


def suspicions(text: str) -> tuple[str, ...]:
    """What a text asks for: "hide", "carry_out", "credentials", "switch_off"; "invisible" for letters nobody sees."""
    plain = (("hide", _HIDE), ("invisible", _INVISIBLE))
    found = tuple(name for name, pattern in plain if pattern.search(text))
    rest = (("carry_out", _CARRY_OUT), ("credentials", _CREDENTIALS), ("switch_off", _SWITCH_OFF))
    return (*found, *(name for name, pattern in rest if _asks(pattern, text)))


def _asks(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a match stands anywhere without being forbidden in its own sentence."""
    return any(not _is_forbidden(text, found.start()) for found in pattern.finditer(text))


def _is_forbidden(text: str, at: int) -> bool:
    """Looked for right before the place alone: in a long text with many of them it would take minutes."""
    return _FORBIDDING.search(text, max(0, at - _LONGEST_FORBIDDING), at) is not None
