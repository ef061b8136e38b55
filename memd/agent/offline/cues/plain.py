"""What an agent does and makes in every task, in both languages, and what a plain order about it is not."""

from __future__ import annotations

import re

from memd.agent.offline.cues.tables import anywhere, words

_TOOLS = (  # of which people choose one
    r"(?:p?npm|yarn|bun|deno|uv|pip|pipx|poetry|pipenv|conda|ruff|flake8|black|isort|pylint|mypy|pyright"
    r"|pytest|unittest"
    r"|jest|vitest|mocha|jasmine|cypress|playwright|selenium|eslint|prettier|biome|tslint|webpack|vite|esbuild"
    r"|cmake|bazel|gradle|maven|mvn|cargo|nix|docker|podman|git|gh|glab|ripgrep|rg|grep|sed|awk|curl|tmux|bash|zsh"
    r"|fish|sqlx|alembic|terraform|tofu|clippy|rustfmt|gofmt|rspec|minitest|rubocop|phpunit|typescript"
    r"|javascript|python|rust|golang|kotlin|conventional commits)"
)
_OWN = (  # what only an agent or a developer makes or does
    r"(?:commits?|commit messages?|prs?|pull requests?|merge requests?|mrs|branch(?:es)?|branch names?|tests?"
    r"|test suite"
    r"|docstrings?|diffs?|emojis?|type hints?|type annotations|linters?|lint|formatter|generated files|todos"
    r"|stack traces"
    r"|code blocks|bullet (?:points|lists)|bullets|changelog|which files"
    r"|tabs|indentation|default exports|one-letter|(?:variable|function|test) names|console\.log|print statements"
    r"|(?:functions|lines|files|methods) (?:under|below|over|longer|shorter)|snake_?case|camel_?case|semicolons"
    r"|trailing commas|early returns|dead code|magic numbers|your plan"
    r"|before (?:you )?(?:start )?(?:cod|implement|edit|chang|touch|delet)\w*)"
)
_SHARED = (  # what products have, too
    r"(?:comments|replies|reply|answers?|explanations?|summaries|dependenc(?:y|ies)|imports|migrations?|secrets"
    r"|(?:\.|\b)env files?|the schema|responses)"
)
_HANDLES = (
    r"(?:\w+ing|write|add|include|keep|put|edit|use|change|touch|make|give|paste|want|like|prefer|commit|update"
    r"|dont|no)"
)
_DOES = (
    r"(?:commit(?:s|ting|ted)?|(?:force[- ]?)?push(?:ing|ed)?(?= (?:to|on|into|directly|straight|before|after"
    r"|without))"
    r"|force[- ]?push(?:ing)?|(?:dont|never|not) (?:ever )?push(?= anything|$)|merg(?:e|ing)(?= (?:to|into"
    r"|your|my|before|after|without|a pr))|before (?:you )?merging"
    r"|rebas(?:e|ing)|squash(?:ing)?|amend(?:ing)?|stag(?:e|ing) files|lint(?:ing)?|format(?:ting)? the code"
    r"|refactor(?:ing)?"
    r"|(?:reply|answer|respond|talk|speak)(?:ing)? (?:only )?(?:to me )?in (?!(?:the|a|an|this|that|our|its)\b)\w+"
    r"|(?:reply|answer|respond|explain|write|talk|speak)(?:ing)? (?:to me|me|in (?:english|german|french|spanish"
    r"|chinese|japanese|plain \w+)|(?:[\w-]+ ){1,4}to me|with (?:a wall|code|the code|a diff|short))"
    r"|apologi[sz](?:e|ing)|summari[sz]ing"
    r"|(?:ask|tell|show|warn|remind|ping|consult|check with|give|hand) me|ask (?:first|before)"
    r"|(?:say|claim|call it)(?: that)?(?: youre| you are| its)? (?:done|finished|fixed)|finish a task"
    r"|(?:open|opening) an? (?:pr|pull request))"
)
OWN_ENGLISH = words(_OWN, _DOES)
WORK_ENGLISH = words(_OWN, _DOES, rf"{_HANDLES} (?:[\w-]+ ){{0,3}}{_SHARED}")
OWN_CHINESE = anywhere(
    r"(?<![a-z])(?:pr|mr|commit|push|rebase|diff|lint)(?![a-z])|提交(?:信息|说明|代码|之?前|到)"
    r"|推送?到 ?(?:main|master|主干|远端)"
    r"|强推|分支|测试(?!环境|服|数据|库|账号|机)|单测|注释|文档字符串|类型标注|工单号|代码块|生成的文件"
    r"|迁移脚本|缩进|变量名|函数名|命名|改代码|写代码|动手|函数[^,。]{0,8}行|思路"
)
WORK_CHINESE = anywhere(
    OWN_CHINESE.pattern,
    r"提交(?!按钮|表单|订单|申请|审核|作业|评论|时|后)|合并(?:之?[前后]|到|进|代码|分支)|(?:直接|压缩|自己"
    r"|不要|别)合并|依赖"
    r"|格式化代码|表情"
    r"|(?:回复|回答|解释|总结)(?:我|里|中|最后|开头|结尾|末尾|(?:都|一律|尽量|得|时|的时候)*(?:用|短|简短"
    r"|简洁|精简|控制))"
    r"|(?:简短|短|太长|啰嗦|详细)的(?:回复|回答|解释|总结)|(?:别|不要)[^,。]{0,4}(?:解释|总结|复述)"
    r"|(?:[问跟和]|给|告诉)我(?:说|讲|看|确认|商量|一声|$|[,。])|[问跟和]过?我|改我没|生产库|线上库"
    r"|说(?:做完|完成|搞定|改好|能用|没问题)",
)
CHOSEN_ENGLISH = words(
    rf"(?:uses?|using|run|write|prefer|via|with|through|in|never|not|dont) (?:(?!the\b)\w+ )?{_TOOLS}"
)
CHOSEN_CHINESE = re.compile(rf"(?:用|走|写|跑|装)\s*(?:[\w.]+ )?(?<![a-z]){_TOOLS}(?![a-z])")

LASTING_ENGLISH = words(
    r"(?:^|(?<=[,;:] )|(?<=please )|(?<=and )|(?<=but )|(?<=also )|(?<=we )|(?<=you should )|(?<=you to )"
    r"|(?<=in future ))"
    r"(?:always|never)(?! (?:at|in|on|the|there|visible)\b)"
    r"|(?:dont|do not|never|not) ever|(?:never|dont|not|instead of|rather than) [\w.-]+ (?:again|anymore)"
    r"|(?:every|each|any) (?:single )?time|whenever (?:you|i|we)|in (?:the )?future|by default|always\W*$"
    r"|we (?:only |always )?(?:use|write|run|squash|rebase)|for all|i never want|no more"
    r"|(?:dont|do not|avoid) (?:[\w-]+ ){1,3}(?:in|to|from) (?:the )?(?:commit messages|replies|answers|code comments"
    r"|pr descriptions|docstrings)|(?:dont|do not|avoid) (?:write |add |writing |adding )?(?:comments"
    r"|docstrings) that"
)
LASTING_CHINESE = anywhere(
    r"永远|一律|每[次回]|但凡|凡是|都(?:要|用|走|得|写)|别再|不要再|一定要"
    r"|(?:别|不要)在?(?:提交信息|提交说明|回复|回答|代码注释|注释)(?:里面?|中)(?:加|用|写|放|带)"
    r"|(?:提交信息|提交说明|回复|回答|注释|描述)(?:里面?|中)(?:都|一律)?(?:别|不要)"
)

NOW_ENGLISH = words(
    r"for (?:now|today|once|the moment)|this (?:time|once|morning|week|sprint|afternoon|release|pr|mr|branch|file"
    r"|change|task|ticket|commit|module|test|script|function|page|screen|one)|these (?:tests?|commits?|files?"
    r"|changes)"
    r"|that (?:branch|pr|commit|file|test|one)|just this|tod\w*ay|tonight|right now|at the moment|currently"
    r"|temporar\w+|meanwhile|until (?!i\b|the tests? pass)|yet|hurry|quickly"
    r"|just (?:this|for|once|here)|while (?:i|im|we|you|youre)"
    r"|in th(?:is|at|ese) (?!repo|repository|project|codebase|monorepo|team|company|shop|org|house|workspace)"
)
NOW_CHINESE = anywhere(
    r"这(?!个?(?:项目|仓库?|代码库|工程|边|里的?(?:规矩|约定))|种|类)|暂时|临时|今天(?!起|开始)|今晚"
    r"|现在(?!起|开始)|本次|目前|当前"
    r"|到[^,。]{1,6}(?:之前|为止)|^先|[,。]先(?!问|跑|写|格式化|给|跟|和|测)|等(?!于|等)|那[个条次批]"
)
UNSURE_ENGLISH = words(
    r"maybe|perhaps|probably|possibly|i (?:think|guess|suppose|wonder|might|would)|might|not sure|kind ?of"
    r"|kinda|sort of"
    r"|could|would|seems?|hm+|lol|lmao|haha+|hehe|thats the spirit|wow|usually|mostly|often|tends? to|tempted"
    r"|considering|thinking of|wish|never ?mind|what if"
)
UNSURE_CHINESE = anywhere(
    r"可能|也许|大概|好像|应该是|估计|或许|感觉|吧(?=[,。!~]|$)|再说|看情况|考虑|要不|不如|算了|哈哈|嘿嘿|呵呵"
)

POINTING_ENGLISH = words(
    r"(?<!make )it|them|they|these|those|this(?! (?:repo|repository|project|codebase|monorepo|team))|that one"
    r"|do that|do so"
    r"|the (?:same|others?|rest|former|latter)"
)
POINTING_CHINESE = re.compile(r"[它]|这(?!个?(?:项目|仓库?|代码库|工程|边))|那(?!就)|同样|一样")

OTHERS_ENGLISH = words(  # somebody else's way, a habit of the speaker's, or what some program or text is to say
    r"(?<!i )(?:asked|told|wants?|wanted|expects?|makes|made|taught|forced|reminded) (?:me|us|you|him|her"
    r"|them|everyone)"
    r"|used to|back (?:then|when)|in my (?:last|old|previous)|(?:he|she|they)|my (?:boss|colleague|manager|lead|wife"
    r"|teacher)"
    r"|i (?:always|never|often|sometimes|usually) (?!want|need|expect|prefer|like|love|hate)"
    r"|you (?:never|always|often) \w+(?:ed|ld|id|ew|as)"
    r"|(?:team|people|folks|company|org|everyone|nobody) (?:\w+ )?(?:always|never)"
    r"|we (?:always|never) (?:got|had|was|were|did|saw|found|\w+ed)|(?<!it )uses|returns?|footer|sidebar|menu"
    r"|banner|link (?:in|to|at)|(?:from|to|in) the api|transactions?|cursor|loop|on startup"
    r"|at runtime|(?<!pull )(?<!merge )requests?|payload|cach(?:e|ed)|queue|worker|ack|rows?|columns?"
    r"|selector|drafts?|published"
    r"|(?:always|never) (?:uses|writes|runs|commits|pushes|merges|squashes|tests|answers|prefers|lets|used)"
    r"|(?:users?|customers?|clients?|visitors?|guests?|players?|patients?|readers?|subscribers?|tenants?|admins?"
    r"|students?|recipients?|screen|pages?|buttons?|modal|dialog|widget|spinner|tooltip|email|inbox|feed|thread"
    r"|export|report|invoice|order|price|dashboard|notifications?)"
)
OTHERS_CHINESE = anywhere(
    r"同事|老板|领导|别人|有的人|有些人|他们?|她们?|人家|上一?家|以前(?:的)?公司"
    r"|(?:前端|后端|移动|测试|运维|算法|产品)(?:组|团队|那边|部)"
    r"|用户|客户|访客|读者|游客|学员|买家|卖家|页面?|按钮|弹窗|列表|表单|机器人|小程序|邮件|短信|通知|评论"
    r"|(?:钩子|机器人|(?<!迁移)脚本|流水线|插件|助手|任务|程序|系统)[^,。]{0,4}(?:要|会|都|一律|每次|永远|必须|应该)"
    r"|我每[次天回]|忘了|没(?:有)?(?:成功|通过)|失败(?!的(?:测试|用例))|报错|以前|团队|事务|循环|游标|缓存"
    r"|选择器|控件|组件|客户端|界面|视图"
    r"|很(?:久|慢|卡|麻烦)|(?:ci|linter|编译器|工具|^测试|^构建|^部署)[^,。]{0,8}(?:每次|都|一律|会|总|永远)"
    r"|^(?!.*(?:别|不要|不许|甭)).*[了过]$"
)
BUILDS = re.compile(  # orders a program, whose behaviour a rule beside it may be
    r"\b(?:write|make|build|create|implement|add|develop|design|extend|port|need|want|have|updat\w+|writing|building)"
    r" (?:me )?(?:a|an|the|our|another|this|that|new) (?:[\w-]+ ){0,3}(?:hook|bot|script|pipeline|workflow"
    r"|action|linter"
    r"|plugin|cli|tool|agent|assistant|generator|job|command|runner|template|prompt)s?\b"
    r"|(?:做|写|加|开发|实现|搭)[^,。都要]{0,8}(?:钩子|机器人|(?<!迁移)脚本|流水线|插件|工具|助手|命令|功能"
    r"|模板|提示词)"
)
TEXTS = re.compile(  # what a rule beside it may stand in
    r"\b(?:tutorial|guide(?:lines?|book)?|style ?guide|checklist|readme|contributing|wiki|blog|article|handbook"
    r"|slides|policy|onboarding|docs page|conventions? (?:doc|file|page)|(?:claude|agents|gemini)\.md"
    r"|essay|lesson|quiz|poster|newsletter|(?:draft|translate|proofread|rephrase|reword))\b"
    r"|教程|指南|规范|清单|贡献|wiki|博客|文章|手册|幻灯|课程|起草|草拟|翻译|润色|readme|守则|规章"
)
SPOKEN = re.compile(r"\s*[A-Z][a-z]+ [A-Z][a-z]+:\s")  # "Ada Lovelace: never ..."
LISTED = re.compile(r"\s*(?:\(?[\da-dA-D][.):]|[-*•>|#])\s*")
