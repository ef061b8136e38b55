"""Reasons that outlast the moment: how things stand with people and machines, told beside a rule."""

from __future__ import annotations

import re

from memd.agent.offline import vetoes
from memd.agent.offline.cues.tables import Cues
from memd.agent.offline.model import Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified

_FEWEST = 4  # words of a clause that tells something
_LINK = r"(?:(?:and|because|since|as|cos|cuz|otherwise|or|also|cause|theyre all|plus|else)\s+)*"
_WHOSE = r"(?:our|my|their|his|her|the|some|most|many|half|two|three|four|both|all|every|each|no)"
_VERB = (  # of the present: what is so, and not what has just happened
    r"(?:is|are|has|have|cant|cannot|dont|doesnt|wont|isnt|arent|keeps?|gets?|goes|does|do"
    r"|[a-z]{2,}(?<!ss)(?<!us)(?<!is)s)"
)
_PEOPLE = (
    r"(?:people|folks|nobody|no one|everyone|everybody|somebody|someone|they|theyre|he|hes|she|shes|we|we are|us"
    r"|(?:our|the|their|my) (?:[\w-]+ ){0,2}?(?:team|people|folks|guys|customers?|clients?|users?|partners?|auditors?"
    r"|reviewers?|boss|management|board|lawyers?|support|ops|qa|sales|marketing|finance|legal|accounting|staff"
    r"|vendors?|designers?|developers?|colleagues?|translators?|nurses?|doctors?|teachers?|drivers?)"
    r"|finance|legal|marketing|accounting|support|ops|sales|qa|compliance|security|customers?|clients?|users"
    r"|(?:two|three|four|five|six|half|most|some|many|both|one) (?:people|of (?:us|them|the [\w-]+|our [\w-]+)))"
)
_STANDS = re.compile(
    rf"^{_LINK}(?:{_PEOPLE}(?: [\w-]+){{0,4}}? {_VERB}\b|{_WHOSE} (?:[\w-]+ ){{1,4}}?{_VERB}\b"
    rf"|(?!(?:it|this|that|there|what|which|who|if|when|you|i|so|no|not|yes|plus)\b)[\w-]+ (?:is|are|has|have|cant"
    rf"|cannot|dont|doesnt|wont)\b"
    rf"|(?!(?:it|this|that|there|what|which|who|if|when|you|i)\b)[\w-]+ [a-z]{{2,}}(?<!s)s (?:it|them|us|our|my|that"
    rf"|this|every\w*|all|only|per)\b"
    rf"|(?:[\w-]+ ){{2,4}}(?:our|us|my|me)\b"
    rf"|(?:we|they|people|our (?:[\w-]+ )?[\w-]+s) (?:all |both |also |often |still |mostly |usually )?"
    rf"(?!(?:will|can|could|should|need|want|might|may|must|would|did|had|were|was|got|went|just|then"
    rf"|now)\b)[a-z]+(?<!ed)\b)"
)
_AND = re.compile(r"\band (?=(?:we|they|our|people|everyone|nobody)\b)")
_OUGHT = re.compile(r"\b(?:should|must|mustnt|ought|would|ha(?:s|ve) to|needs? to|please|always|never|only)\b")
_OF_NOW = re.compile(r"\b(?:now|currently|right here|this|today|tonight|yet|atm|for now|broken|failing)\b")
_ABOUT_PEOPLE = re.compile(rf"\b{_PEOPLE}\b")
_PEOPLE_CHINESE = re.compile(
    r"[他她]们?|我们|咱们?|人家|有人|没人|谁都|客户|用户|同事|同学|新人|外包|财务|运维|运营|法务|审计|客服|老板|领导|销售|市场|测试组|评审|监管|老师|医生|护士"
    r"|护士长|店长|司机|家长|[甲乙]方|供应商|dba"
)


_STANDS_CHINESE = re.compile(
    r"^(?:因为|毕竟|主要是?)?(?:我们|咱们?|[他她](?:们|那边)|人家|客户|用户|[^,。这那你]{1,4}(?:组|部门?|那边|同事|同学|团队|方))(?:的|这边)?[^,。]{0,6}"
    r"(?:只|都|会|没有?|不|得|在|有)[^,。]{2,}"
)


def told(sentence: Sentence) -> bool:
    """Whether a clause tells how things stand, now and later, rather than what to do."""
    if vetoes.asks(sentence):
        return False
    if sentence.chinese:
        return any(_tells_chinese(clause.strip(), cues(sentence)) for clause in sentence.clauses())
    parts = (part.strip() for clause in sentence.clauses() for part in _AND.split(clause))
    return any(_tells(part, cues(sentence)) for part in parts)


def _tells(clause: str, table: Cues) -> bool:
    if (
        len(clause.split()) < _FEWEST
        or _OUGHT.search(clause)
        or _OF_NOW.search(clause)
        or table.vetoes.one_off.search(clause)
    ):
        return False
    if table.work.directive.search(clause) or table.vetoes.mood.search(clause):
        return False
    return _STANDS.match(clause) is not None


def _tells_chinese(clause: str, table: Cues) -> bool:
    if table.work.forbids.search(clause) or table.work.lasting.search(clause) or table.vetoes.one_off.search(clause):
        return False
    return _STANDS_CHINESE.match(clause) is not None and not table.vetoes.mood.search(clause)


def of_people(text: str) -> bool:
    """Whether a reason speaks of people: those last longer than a state of the code."""
    own = simplified(text)
    return (_PEOPLE_CHINESE if own.chinese else _ABOUT_PEOPLE).search(own.cue) is not None
