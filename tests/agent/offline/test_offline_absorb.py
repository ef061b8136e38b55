"""News takes in the orders that merely follow from it."""

from __future__ import annotations

from memd.agent.offline.absorb import absorb
from memd.agent.offline.model import CERTAIN, Candidate
from memd.memory.topic import TopicType


def candidate(kind: TopicType, text: str, *, points: int = CERTAIN, message: int = 0) -> Candidate:
    return Candidate(kind=kind, message=message, rule=(text,), chinese=False, points=points)


NEWS = candidate(TopicType.PROJECT, "the labels of camera 4 are mixed up, Birgitta has them redone")
ORDER = candidate(TopicType.FEEDBACK, "leave camera 4 out of the training")


def test_an_order_beside_news_goes_into_the_news() -> None:
    [news] = absorb([NEWS, ORDER])
    assert news.kind is TopicType.PROJECT
    assert news.rule == (*NEWS.rule, *ORDER.rule)


def test_a_rule_that_stands_by_itself_stays_one() -> None:
    rule = candidate(TopicType.FEEDBACK, "from now on always log in English", points=CERTAIN + 1)
    assert absorb([NEWS, rule]) == [NEWS, rule]


def test_so_does_an_order_in_another_message_or_beside_uncertain_news() -> None:
    elsewhere = candidate(TopicType.FEEDBACK, "leave camera 4 out", message=1)
    assert absorb([NEWS, elsewhere]) == [NEWS, elsewhere]
    rumour = candidate(TopicType.PROJECT, "the labels may be mixed up", points=CERTAIN - 1)
    assert absorb([rumour, ORDER]) == [rumour, ORDER]


def test_an_uncertain_order_beside_news_leaves_no_bullet_either() -> None:
    assert absorb([NEWS, candidate(TopicType.FEEDBACK, "perhaps leave it out", points=CERTAIN - 1)]) == [NEWS]


def test_what_opens_with_so_follows_from_the_news_whatever_its_points() -> None:
    order = candidate(TopicType.FEEDBACK, "so don't add anything there anymore", points=CERTAIN + 2)
    (news,) = absorb([NEWS, order])
    assert news.kind is TopicType.PROJECT
