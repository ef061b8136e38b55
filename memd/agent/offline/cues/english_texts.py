"""How people speak of texts, others' and for others, in English: pieces of `english_vetoes`."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_parts import CRAFT, FILLER
from memd.agent.offline.cues.tables import words

_ORDERED = r"(?:^|(?<=, )|(?<=; )|(?<=and )|(?<=also )|(?<=please )|(?<=then )|(?<=pls ))"
_TEXT_FOLLOWS = r" (?!to\b|down\b|in\b|one\b|as\b|again\b|file\b|test\b|line\b)"
_PAPER = (
    r"(?:tickets?|readme|docs?|documentation|wiki|banner|code|page|site|website|plan|spec|issue|comments?|changelog"
    r"|log|logs"
    r"|tool|linter|scanner|bot|blog|article|book|guide|config|commit|error|warning|template|ad|poster|agent"
    r"|assistant|model)"
)

FOR_OTHERS = words(
    (
        r"(?:write|draft|compose|word|phrase|prepare|send|post|give me|need|make|put together|generate"
        r"|help me (?:write|word|answer|reply)) (?:\w+ )?(?:an?|the|some|up|me|me an?|out an?"
        r"|me some)? ?(?:\w+[ -]){0,3}(?:e-?mail|mail|announcement|slack (?:message|post|msg)|message"
        r"|note to|memo|tweet|blog ?post|post|release notes?|changelog entry|readme(?: section)?|letter"
        r"|reply|response to|error (?:message|text)|banner|tooltip|copy|text|prompt|system prompt"
        r"|job (?:ad|post)|ticket|issue|faq|template|doc(?:s|ument)? (?:for|section|page)|policy"
        r"|onboarding (?:doc|guide)|contributing(?:\.md)?|section|paragraph|sentence|slide|notice"
        r"|instructions|comment|guidelines?|checklist|status update|update for)"
    ),
    (
        r"(?:reply|respond|answer|write|email) (?:back )?(?:to )?(?:the |our |that |this )?(?:customers?"
        r"|clients?|users?|partner|vendor|them|him|her|reviewer|support|team|boss|manager|reporter)"
    ),
    r"(?:put|leave|add|write|place) (?:an? )?(?:comment|note|warning|remark)",
    (
        r"(?:saying|that says|which says|reads?|text|wording|copy|label|title|caption|placeholder|tooltip"
        r"|banner|headline|subject|message) ?:"
    ),
    (
        r"tell (?:the )?(?:users?|customers?|them|people|the team|everyone|readers?|him|her|the partner"
        r"|clients?) (?:that|to|they|we|not|never|always)"
    ),
    r"(?<!i )(?:should|must) say(?: that)?|(?<!have )(?<!got )(?<!want )(?<!like )to say(?: that)?",
    (
        r"(?:add|put|append|include) (?:a |an |the |this )?(?:\w+ )?(?:line|note|paragraph|section"
        r"|sentence|comment|todo|bullet|rule|warning|entry) (?:to|in|into|at|under|that|saying|about)"
    ),
    r"(?:announce|communicate)(?: [\w-]+){0,4} that|let (?:everyone|people|them|the \w+) know",
    r"(?:im|i am|were|we are) (?:writing|drafting|preparing|working on) (?:an?|the|our|my|some) (?:[\w-]+ ){0,3}"
    r"(?:tutorial|guide|guidelines|handbook|article|blog ?post|course|talk|slides|readme|policy|checklist)",
    r"translate",
    r"rephrase|reword|proofread|paraphrase",
    r"(?:write|reply|mail|e-?mail|text|message) (?:to )?(?:the |my |our )?\w+ that|^(?:reply|answer|respond"
    r"|message) ?:.*",
    r"(?:draft|write|prepare|make|outline) (?:me )?(?:an?|the|our|my) (?:agenda|deck|presentation|proposal"
    r"|minutes|pitch)",
    r"(?:draft|text|e-?mail|announcement|letter|slide|memo|summary|write-?up"
    r"|wording) (?<!plain text )(?:for [^,:]{2,30} )?please",
    rf"{_ORDERED}(?:add|mention|include|append|state|write) (?:also |in it |there |too )?that{_TEXT_FOLLOWS}",
    rf"{_ORDERED}say (?:also |in it |there |too )?that{_TEXT_FOLLOWS}|(?:make|let|have) (?:it|them) say",
)

REPORTED = words(
    (
        r"(?:(?:the|their|its|this|that|a|some|our|your) )?(?:\w+ )?(?:docs?|documentation|readme(?:\.md)?"
        r"|tool|output|log|scanner|bot|assistant|model|guide|linter|lint|article|blog(?: post)?|book|page"
        r"|ticket|issue|post|paper|claude\.md|agents\.md|contributing(?:\.md)?|convention|style ?guide"
        r"|website|site|tutorial|changelog|spec|standard|rfc|compiler|error(?! messages)|warning|review comment"
        r"|reviewer|comment|bot|banner|template|stackoverflow|so answer|gist|video|talk|clippy|eslint"
        r"|ticket|memo|email|mail|vendor|release notes) (?:(?!(?:we|i|you)\b)\w+ )?(?:says?|said|recommends?|tells?"
        r"|told|claims?|states?|suggests?|mentions?|reads|warns?|insists?|demands?|thinks?|argues?|advises?)"
    ),
    (
        r"as (?:it|they) (?:says?|said|wants?|demands?)|as (?:the \w+|claude\.md|described|written|documented"
        r"|stated) (?:says?|said|there|in"
        r"|wants?|demands?)?"
    ),
    (
        r"(?:per|according to|git (?:log|blame|history)|following|as per|like in|from(?! (?:the "
        r"|our )?(?:\w+ )?spec)) (?:the |our )?(?:\w+ )?(?:docs?|readme|guide"
        r"|style ?guide|claude\.md|agents\.md|contributing|convention|spec|rfc|standard)\w*"
    ),
    r"(?:apparently|supposedly|allegedly|i (?:read|heard|saw)(?! (?:these|them|it|all|every))(?: (?:somewhere"
    r"|that|on|in))?)",
    r"as (?:you can see|shown|seen|is the case|always)",
    r"quote|quoting|unquote",
)

SPECIFIES = re.compile(  # "the export screen: ...", "write a hook for the dispatchers: ..."
    rf"^{FILLER}(?:(?!(?:our|your|my|each|every|any|all)\b|{CRAFT})(?:[\w-]+ ){{1,5}}?(?:feature|screen|page|form"
    r"|dialog|modal"
    r"|widget|endpoint|wizard|button|game|bot|popup|view|mode|job|requirements?|spec|behaviou?r|logic)"
    r"|(?:write|make|create|build|generate|implement|add|set up)(?: me| us)? (?:an?|another|the) [^:]{3,60}): "
)

HEARSAY = words(
    rf"(?:the|this|that|a|our|their) (?:\w+ )?{_PAPER} (?:still |already |also )?(?:says?|said|claims?|states?"
    rf"|reads|mentions?"
    r"|tells|told|wants|recommends?|suggests?)",
    rf"according to (?:the |this |our |their )?(?:\w+ )?{_PAPER}|the {_PAPER} (?:is|was) (?:wrong|outdated|right)",
)
