"""The dream: what has piled up is distilled into the topics, once a night or by hand.

`schedule` says when, `gates` whether, `lock` who; `backlog` what there is to work on; `run` tells the story.
"""
