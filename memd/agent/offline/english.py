"""Cue tables for English, over lower-case text without apostrophes ("dont", "ive")."""

from __future__ import annotations

import re

from memd.agent.offline.cues import Cues, words

_NUMBER = r"(?:\d+\+?|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|many|several|a few|a couple(?: of)?)"
_SPAN = rf"{_NUMBER}[ -]?(?:or so |odd |some |long |good )?(?:yrs?|years?|decades?)"
_JOB = (
    r"(?:engineer|developer|dev|programmer|coder|designer|scientist|analyst|manager|lead|architect|admin|sysadmin|sre|dba|student|intern"
    r"|researcher|writer|tester|qa|founder|consultant|contractor|physicist|biologist|chemist|mathematician|statistician|economist|accountant"
    r"|teacher|nurse|doctor|lawyer|pm|maintainer|freelancer|novice|beginner|newbie|newcomer|generalist|cto|devops|ops|marketer|producer"
    r"|artist|linguist|geologist|astronomer|librarian|journalist|translator|trader|quant|postdoc|professor|hobbyist|veteran|polyglot"
    r"|specialist|electrician|pharmacist|operator|technician|editor|(?:backend|frontend|front-end|back-end|data|infra|security|mobile|web|ml|embedded|hardware|firmware|systems?)"
    r" (?:person|guy|gal|folk|people|one|side))"
)
_FILLER = (
    r"(?:(?:ok(?:ay)?|k|kk|yes|yeah|yep|yea|no|nope|nah|hm+|ah|aha|oh|so|and|also|then|again|btw|fyi|please|pls|plz|just|really|right|well"
    r"|good|great|nice|cool|perfect|thanks|thank you|thx|ta|cheers|sorry|ugh+|argh+|sigh|seriously|honestly|actually|hey|dude|mate|lol|heh"
    r"|one more thing|one thing|two things|side ?note|note|nb|reminder|heads up|for the record|small thing|quick thing|(?:as|like) i said|i said"
    r"|i told you|told you|in general|generally|going forward|moving forward|from (?:now|here) on(?: out| in)?|in (?:the )?future"
    r"|for (?:the )?future|next time|for next time|for the (?:next|last|nth|third|second) time|once and for all|fwiw|psa|but|rather|instead"
    r"|remember|keep in mind|rule|new rule|house rule|as a rule|by default|everywhere|always|please note|(?:can|could|would|will) (?:you|u)|lastly|finally|second(?:ly)?|first(?:ly)?"
    r"|and another thing|another thing|to be clear|let me be clear|on that note|while im at it|while were at it|\d\)|-)(?!\w)[\s,:.!–—-]*)*"
)
_CONDITION = (
    r"(?:(?:when(?:ever)?|if|before|after|any ?time|every time|each time|once|for|in|on|with|while|unless|where(?:ver)?|as for)\s[^,:]{2,60}(?:[,:]\s*|\s(?=(?:dont|do not|please|stop|make sure)\s)))?"
)
_ACT = (
    r"(?:scrub|redact|anonymi[sz]e|strip|lead|lose|load|swap|attach|plot|gate|guard|escalate|notify|email|prefix|suffix|annotate|cap|trim|shorten|expand|prepare|pair|align|archive|mirror|route|rotate|seed|squeeze|pull|fetch|rely|lean|restrict|favou?r|trust|count|measure|record|render|clear|clean|finish|close|resolve|respect|honou?r|match|mind|watch|update|regenerate|reformat|upload|download|publish|ship|release|expose|declare|treat|apply|assert|cover|quantify|cross-?check|verify|warn|flag|raise|surface|spell|lay|place|reference|number|pick|choose|decide|discuss|walk|think|plan|stop|use|run|write|add|put|commit|push|merge|squash|rebase|ask|tell|explain|show|paste|include|skip|keep|leave|prefer|name|format|mock"
    r"|stub|test|check|open|create|branch|tag|deploy|ping|cc|mention|link|quote|reply|answer|respond|summari[sz]e|split|group|wrap|sign|bump|pin"
    r"|touch|edit|modify|delete|remove|refactor|rename|install|log|document|comment|review|assign|draft|start|end|begin|give|make|do|read|look"
    r"|grep|search|confirm|wait|suggest|propose|assume|guess|send|translate|spell|capitali[sz]e|call|go|stick|default|treat|reach|hand|talk|speak"
    r"|post|print|sort|list|set|take|turn|cite|state|say|spell|double[ -]check|verify|lint|build|generate|limit|stay|have|get|let|try|bring|follow"
    r"|reuse|copy|hard ?code|bundle|stage|stash|amend|force[ -]push|cherry[ -]pick|restart|kill|drop|prefix|label|number|indent|type|store|save"
    r"|spin|benchmark|profile|estimate|plan|break|separate|move|fix|change|switch|avoid|round|report|import|export|declare|define|order|batch|dry[ -]run)"
)
_HABITUAL = (  # "when you open a PR link the ticket"
    r"(?:when(?:ever)?|if|before|after|every time|any ?time|each time) (?:you|u)(?:re)? (?!get\b|see\b|look\b|have\b|said\b|did\b|ran\b|run it\b)"
    r"(?!.*,\s*(?:it|they|the|there|i|this|that|you|nothing)\b)"
    r"|(?:when|if|before|after) we [^,]{3,50} (?:always|never|please|dont|do not|make sure)\s"
    r"|(?:in|for|with|on) [^,]{3,40} i (?:want|need|expect|prefer)\b"
)
_ORDER = (
    r"(?:always|never)(?= (?!done|used|seen|been|had|worked|heard|tried|touched|shipped|written|at|on|in|the|a|an|knew|got|did|was|thought|\w+ed\b)\w)"
)
_NEEDS = (
    r"(?:dont(?: ever)?|do not|please|only|no|not|less|fewer|stop|quit|avoid|make sure(?: to| you)?|be sure to|try (?:to|not to)"
    r"|lets(?: always| not| never)?|better to|prefer|favou?r|you (?:should|must|need to|have to|can|may|shouldnt|mustnt|cant|dont need to|never|always)"
    r"|we (?:always|never|dont|do not|only|should always|should never)|i (?:always |do |really |just |only )?(?:want|need|expect|like)(?: you to| to see| it when you)?)"
)
_HAPPENS = (  # after a noun that is spelled like a verb: "test always fails"
    r"(?:is|was|are|were|fails?|failed|has|had|always|never|still|keeps?|takes?|works?|hangs?|pass(?:es|ed)?|runs|ran|just|only|does|doesnt|didnt"
    r"|cant|isnt|now|times?|seems?|should|will|would|goes|went|gets?|got|looks|reports|says)"
)
_GERUND = (
    r"(?:adding|pasting|using|writing|putting|committing|pushing|merging|asking|explaining|showing|including|naming|formatting|reformatting"
    r"|mocking|stubbing|testing|opening|creating|branching|tagging|mentioning|linking|quoting|replying|answering|summari[sz]ing|recapping|repeating"
    r"|splitting|grouping|wrapping|signing|bumping|touching|editing|modifying|deleting|removing|refactoring|renaming|installing|documenting|commenting"
    r"|guessing|assuming|suggesting|proposing|sending|translating|apologi[sz]ing|saying|telling|giving|making|doing|dumping|spitting|printing|starting|ending"
    r"|rewriting|reordering|inventing|sprinkling|leaving|running|generating|calling|hardcoding|narrating|listing|restating|echoing|padding|sneaking|throwing"
    r"|flattering|praising|lecturing|thanking|hedging|over-?engineering|abbreviating|shortening|importing|disabling|silencing|force[ -]pushing|squashing|amending|trying|reaching)"
)
_CRAFT = (
    r"(?:commits?|commit messages?|prs?|pull requests?|merge requests?|mrs?|pr descriptions?|descriptions?|branch(?:es)?|branch names?|comments?"
    r"|docstrings?|tests?|test names?|unit tests?|integration tests?|fixtures?|mocks?|logs?|log (?:lines|messages)|repl(?:y|ies)|answers?"
    r"|explanations?|summar(?:y|ies)|diffs?|snippets?|hunks?|patch(?:es)?|imports?|migrations?|quer(?:y|ies)|docs|changelogs?|release notes"
    r"|type hints?|annotations?|error messages?|variable names?|identifiers?|emojis?|tables|bullet(?: point)?s|dependenc(?:y|ies)|deps|packages"
    r"|scripts?|refactor(?:s|ings?)?|formatting|lint(?:er)?|whole files?|entire files?|full files?|code blocks?|screenshots?|stack ?traces?"
    r"|todos?|print statements|timestamps|schema changes?|config(?:s| files)?|deploys?|releases?|todo list|plans?|reviews?|benchmarks?|abbreviations?)"
)
_PERSONISH = r"(?!(?:i|it|this|that|which|who|he|she|we|they|you|there|what|code|one|nobody|everyone|everything|something)\b)[a-z][\w-]*"
_TOOL = (
    r"(?:linear|jira|notion|confluence|grafana|datadog|slack|sentry|pagerduty|figma|google (?:docs?|drive|sheets?|calendar)|gdocs?|gdrive|gsheets?"
    r"|sharepoint|airtable|trello|asana|zendesk|miro|looker|metabase|kibana|splunk|honeycomb|new ?relic|statuspage|ms teams|teams channel|discord"
    r"|youtrack|clickup|monday\.com|basecamp|dropbox|onedrive|tableau|superset|amplitude|mixpanel|posthog|bugsnag|rollbar|opsgenie|intercom"
    r"|salesforce|hubspot|bugzilla|redmine|phabricator|launchdarkly|backstage|coda|gitbook|mattermost|zulip|mailing list|wiki|intranet"
    r"|1password|vault|artifactory|jenkins|argocd|prometheus|jaeger|lokalise|crowdin|contentful|storybook|swagger ?hub|stoplight|shortcut"
    r"|freshdesk|servicenow|productboard|aha|loom|whimsical|lucidchart|excalidraw|evernote|obsidian vault|shared drive|team drive|company calendar"
    r"|(?<=in )(?:the |our )?[#\w-]+ channel|(?:shared|team|group|common) (?:inbox|mailbox|calendar|drive|folder|album|notebook|vault|board|doc|disk)|spreadsheet|google sheet)"
)

ENGLISH = Cues(
    request=words(
        r"(?<!do you )(?<!cant )(?<!dont )(?<!i )(?<!you )(?<!to )(?<!ill )(?<!we )(?<!that )(?<!user )(?<!will )remember"
        r"(?! (?:to|me|my (?:choice|login|device|settings?|password)|when|how (?:we|i|to)|what|why|where|who|the (?:time|bug|issue)|last)\b)(?!-)",
        r"keep (?:it |that |this |these |one thing |two things |a few things )?in mind",
        r"(?:two|three|a few|some|couple of|\d) things to (?:keep in mind|remember|note)",
        r"(?:make|take) (?:a |a mental )?note",
        r"(?:save|store|note|record|write|jot|file) (?:this|that|it)(?: one)?(?: (?:down|away))?(?: (?:for (?:later|next time|future))|(?= ?[:,]|$))",
        r"(?:one|a|some) (?:more )?things? (?:to|for you to|worth) (?:hang on to|keep|know|remember|hold on to|note|knowing|remembering)(?: for| about)?", r"(?:to|in|into|for) your (?:long-?term )?(?:notes|memory|memories|notebook)", r"(?:notes?|rules?|thing|couple of (?:notes|rules|things)) for you", r"note (?:to self|for (?:next time|later|the future)|for future)",
        r"for future reference",
        r"(?:please )?(?:memori[sz]e|bear in mind|commit (?:this|that) to memory|add (?:this |that )?to (?:your )?memory|put (?:this |that )?in (?:your )?memory)",
        r"(?<!i )(?<!you )dont (?:ever )?forget(?! to (?:push|commit|add|run|update|save|merge|include)\b)",
    ),
    durable=words(
        r"from (?:now|here|this point|today)(?: on)?(?: out| in| onwards?| forward)",
        r"from (?:now|here) on",
        r"(?:going|moving) forward",
        r"for (?:the )?future(?! (?:versions?|releases?|use|work|extension))",
        r"once and for all",
        r"as a (?:general |standing |house )?rule",
        r"(?:make|making) (?:it|that|this) (?:a|the|your) (?:habit|default|rule|norm|standard)",
        r"(?:every|each|any) ?(?:single )?time you",
        r"whenever you",
        r"(?<!if )(?<!has )(?<!have )(?<!did )(?<!than )ever(?: again)?\W*$",
        r"any file,? any language",
        r"(?:across|throughout|anywhere in|everywhere in|all over) (?:this|the|our|my|all (?:of )?(?:our|my)) (?:whole |entire )?(?:repos?|repository|repositories|project|projects|codebase|monorepo|org|team|company|shop)",
        r"(?:our|the team|team|house|company) (?:convention|rule|policy|standard|style|habit|practice)s? (?:is|are)(?! \w+ed)",
        r"(?:that|this)(?:s| is) (?:exactly )?(?:how|the way) (?:it is|its done|we|every|all|things|i want|i like|you should)",
        r"(?:that|this|it|same|which)? ?(?:goes|applies|holds|counts|stands) (?:for|to) (?:whatever|everything|anything|both|you|all|any|every) (?:you|else|other|future|later|in general)(?: \w+)?",
        r"off[- ]limits|hands off(?! (?:the ball))|not your (?:job|call)|(?:only )?(?:if|when|unless|until) i (?:explicitly |actually )?(?:ask|say so|tell you)",
        r"(?:ask|check|confirm)(?: with me)? before (?:you )?\w+ing (?:any|things|stuff|more|new|anything)",
        r"(?:any|every|all|each) \w+ (?:that )?you (?:make|write|send|show|give|produce|open|create|add|generate|draw|touch|push|commit|post|propose)\b",
        r"i (?:dont|do not) (?:ever )?want to see",
        r"without exception|no exceptions",
        r"(?:unless|until) i (?:explicitly )?(?:ask|say|tell|request)(?: so| otherwise| for it| you)?",
        r"without (?:asking|checking with|my ok|my say-so|confirming with|talking to) ?(?:me)?",
        r"(?:if|when|whenever) (?:youre|you are|you feel|in) (?:unsure|not sure|in doubt|doubt|uncertain)",
        r"(?:thats|this is|its|that is) (?:our|the|my) (?:way|rule|policy|convention|standard|practice|default|habit)",
        r"(?:always )?(?:ask|check with|confirm with) (?:me )?(?:first|before)",
        r"(?:always|every (?:single )?time)\W*$",
    ),
    lasting=words(
        r"(?:dont|do not|never) [^,.]{2,60} (?:ever )?again", r"(?:in (?:the )?future|henceforth|hereafter|permanently|for good|in general|across the board|no matter (?:what|which|how))",
        r"(?:for )?(?:the )?next time(?! (?:i|we|it|the|someone|a|an|they|user))", r"(?:all|every|any) (?:future|new|further|subsequent)", r"(?:house|standing|general|team|golden) rule",
        r"we (?:dont|do not|never|always|only|squash|rebase|merge|use|write|keep|name|prefer|avoid|review|tag|branch) [^,.]{2,40} (?:here|in this repo|on this team|around here)(?=$|[,.;]| so)",
        r"(?:second|third|fourth|\w+) times? (?:now|already)(?! (?:it|that|the))",
        r"(?:in|on|for) (?:this|our|my|all (?:of )?(?:our|my)) (?:whole |entire )?(?:repos?|repository|repositories|project|projects|codebase|monorepo|org|team|company|shop)",
        r"when(?:ever)? i (?:write|ask|say|talk|push|send|give|paste|show|speak|review|report)", r"(?:when(?:ever)?|if) (?:something|anything|things|a \w+|an \w+|theres|there is|there are)",
        r"always", r"never", r"whenever", r"when(?:ever)? (?:you|we|youre)(?= (?!get|see|look|ran|were|said))",
        r"everywhere", r"if you (?:ever|need|want|touch|change|edit|add|write|open|create|are|find)", r"before (?:you |we )?(?:commit|push|merg|open|deploy|run|delet|chang|edit|touch)\w*",
        r"after (?:you |we )?(?:commit|push|merg|open|deploy|chang|edit|touch)\w*", r"by default", r"default to", r"anymore|any more", r"no more", r"whatever you", r"you touch(?:ed)?|you chang(?:e|ed)|you (?:just )?edit(?:ed)?",
        r"only ever", r"period", r"full stop", r"stuff", r"until further notice", r"we (?:dont|do not|never|always|only)(?: ever)?",
    ),
    sweep=re.compile(rf"^{_FILLER}(?:fix|update|rename|remove|delete|list|find|replace|convert|migrate|move|re-?run|run|check|change|clean|format|bump|upgrade|print|show|count|apply|merge|revert|drop|kill|restart|commit|push|sort|collect|export|import|go through|look (?:at|for|through)|search|grep|scan|read|rebuild|regenerate|test|add|undo|strip|extract|port|translate|review|compare|get|pull|copy|close)\b"),
    universal=words(r"every(?! day| hour| minute| second| night| morning|\d| \d)", r"any", r"all", r"each", r"everything", r"anything", r"at all"),
    directive=re.compile(
        rf"^{_FILLER}{_CONDITION}{_FILLER}(?:{_HABITUAL}|{_ORDER}|{_NEEDS}\s+\S|{_ACT}\b(?!\s*{_HAPPENS}\b))"
    ),
    forbids=re.compile(
        rf"^{_FILLER}{_CONDITION}{_FILLER}(?:less|fewer|never|dont|do not|must not|no more|no|not|stop|quit|avoid|you (?:shouldnt|mustnt|should not|must not|should never)|we (?:never|dont|do not)|lets not|only)\s+\S"
    ),
    habit=words(
        rf"(?:stop|quit|enough with(?: the)?|knock off(?: the)?|no more|cut out(?: the)?|lay off(?: the)?|refrain from|avoid) {_GERUND}(?! (?:this|that|it|here|the (?:server|process|container|job|service))\b)",
        rf"(?:stop|quit) (?:with )?(?:all )?the (?:\w+ )?{_CRAFT}",
        rf"(?:cut|drop|lose|skip|spare me|enough (?:with|of)) (?:all )?the (?:\w+ )?(?:pep talks?|apologies|flattery|praise|preambles?|recaps?|summaries|disclaimers|emojis?|caveats|small ?talk|intros?|pleasantries|fluff|filler|essays|lectures)",
        r"you(?:ve| have)? (?:been wrong|done (?:this|that|it)|made (?:this|that) mistake|broken \w+) (?:\w+ )?(?:times|again|before)",
        rf"you (?:always|keep(?: on)?|kept|constantly|never) {_GERUND}",
    ),
    craft=words(rf"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bthis )(?<!\bthat )(?<!\bthese )(?<!\bthose )(?<!\byour )(?<!\bmy ){_CRAFT}"),
    wants=words(
        r"i (?:really |actually |just )*(?:dont|do not) (?:want|like|need)(?: any| to see)? (?!this|that|it\b|to (?:go|do|touch|change|use|spend|wait|make|break|lose)\b)",
        r"(?:id|i would) (?:much |always |really |strongly )*(?:rather|prefer|appreciate)(?: (?:you|it if you|if you|to (?:have|see|get|read)))",
        r"i (?:do )?(?:want|need|expect) (?:\w+ ){1,5}(?:on|in|for|with|before) (?:every|all|each|any)",
    ),
    preference=words(
        r"i (?:really |do |always )?(?:like|love) (?!(?:the|this|that|it|how|your|what|where|these|those|to)\b)(?:my |our |all )?(?:[\w-]+ ){0,2}[\w-]+s\b(?! up\b)",
        r"i (?:really |much |strongly |generally |usually |always |tend to |personally )*prefer(?! (?:the|this|that|it|your) )",
        r"i (?:really |absolutely |just )*(?:hate|dislike|cant stand|despise|am allergic to)(?! (?:this|that|it|you|my|monday|when (?:it|this|that))\b)",
        r"(?:im|i am) (?:not )?(?:really |just )?(?:a (?:big |huge )?fan of|not a fan of|allergic to)(?! (?:this|that|it)\b)",
        r"(?:i|we) (?:always |really |usually |generally )?(?:like|want|expect) (?:my|our) ",
        r"(?:the way|how) i (?:like|prefer|want|read|work)",
        r"my preference (?:is|would be)",
    ),
    repeated=words(r"again", r"i (?:already )?(?:said|told|asked)", r"told you", r"as i said", r"like i said", r"how many times", r"(?:second|third|2nd|3rd|nth) time", r"still", r"keep (?:on )?\w+ing", r"yet another", r"really", r"i repeat", r"once more"),
    aside=words(r"btw|by the way|fyi|fwiw|for the record|just so you know|side ?note|heads up|one (?:more )?thing|in case (?:it|you)|for context|small (?:thing|request|ask)|quick (?:thing|note|request|ask)|general (?:note|request|ask)|please note|psa|note"),
    anaphora=words(r"(?:that|this)(?:s| is) how", r"like (?:this|that)", r"this way", r"that way", r"(?:do|keep|use|exactly|just) (?:this|that|it|so)", r"the same", r"same (?:approach|way|pattern|thing|deal|shape|style|format|structure|treatment|again)", r"them", r"those", r"more of (?:this|that|these)"),
    next_point=re.compile(r"^(?:also|and also|btw|ps|p\.s\.|by the way|oh and|one more|another thing|and another|fyi|separately|unrelated|second|next)\b|^\d\)"),
    task=re.compile(r"^(?:(?:ok|okay|now|then|and|so|please|pls|great|cool|yes|right|next)[\s,]+)*(?:write|add|implement|create|build|make|give|generate|extend|port|convert|design|sketch|need|new|i need|we need|lets (?:add|build|write|make|do|have)|can you (?:write|add|build|make|create|implement)) (?:me |us |up |in )*(?:a|an|the|another|some|one|two|new|it|that|this)\b"),
    agrees=re.compile(
        r"^(?:(?:ok(?:ay)?|ah|oh|ha|hm+|haha|and)[\s,.!]+)*(?:yes|yeah|yep|yup|ya|exactly|right|correct|perfect|great|nice|good|love|lovely|agreed?|sure|totally|absolutely|spot on|excellent|beautiful"
        r"|that(?:s| is| was)|this (?:is|was)|thx|thanks|brilliant|sweet|cool|works|👍|splitting|keeping|skipping|leaving|i (?:really )?(?:like|love)|happy|glad|bang on|way better|much better|ok|fair|wow|huh)\b"
    ),
    praises=words(
        r"(?:right|good|correct|smart|sensible|solid|great|excellent|better|wise|best) (?:call|move|choice|shout|decision|approach|way|instinct|idea|trade-?off|judge?ment|thinking|split|shape|format|level|structure|default|size)",
        r"exactly (?:this|that|like (?:this|that)|how|what i|right|the (?:right )?\w+)",
        r"(?:just|exactly|precisely) (?:the way|how|what) i (?:like|want|wanted|need|hoped)",
        r"(?:glad|happy|nice that|good that|love that|like that|appreciate that|like how|love how) you",
        r"youre right to|you were right to|right to (?:keep|split|skip|leave|not)",
        r"(?:this|that) is (?:how|the way|what) (?:i|we) (?:like|want|do|work)",
        r"(?:was|is|were) (?:exactly |totally |absolutely |definitely )?(?:right|spot on|the way to go|worth it|perfect)",
        r"(?:saves?|saved) (?:me|us)",
        r"love (?:this|that|the)",
    ),
    likewise=words(
        r"keep (?:doing|it|that|this|them|going|using|writing|working|to)(?: \w+)?(?: (?:like )?(?:this|that|way|up))?",
        r"(?:do|handle|use|write|structure|format|present|send|give|make) (?:it|them|all|everything|this|that|yours|future)?(?: ?\w+)? ?(?:like )?(?:this|that|the same)(?: way)?",
        r"(?:this|that) kind of", r"(?:such|similar|these) (?:\w+ )?(?:changes?|refactors?|cases?|fix(?:es)?|things?|bugs?)", r"(?:same|this|that) (?:approach|way|pattern|treatment|deal|again|format|style|shape|layout|structure)",
        r"stick (?:with|to) (?:this|that|it)", r"more (?:of|like) (?:this|that|these)", r"(?:every|each|any) (?:\w+ ?){1,3}", r"for (?:every|all|any|each|future)", r"whenever", r"by default", r"always", r"as (?:the|a|your) default", r"(?:for|on|in) (?:things|stuff|changes|work|bugs|refactors|reviews|migrations|fixes) like (?:this|that|these)",
        r"default to", r"(?:next|other) (?:one|time|ones|times)",
    ),
    role=words(
        r"(?:im|i am|i come|i came) (?:originally |actually )?from (?!(?:here|there|home|now|scratch|work|lunch)\b)\w+",
        r"(?:im|i am|ive been) (?:actually |just |still |only |mostly |really |originally |basically |also |now |in fact |more of )*an? (?!(?:bit|little|few|fan|sucker|loser|tad|touch|minute|day|hour|week|member|user|customer|number|believer|killer|blocker|reminder|matter|beer)\b)(?:[\w+#/-]+ ){0,3}\w+(?:er|or|ist|ian|ant|ary|ect|ologist|person|expert|nurse|vet|chef|pilot|surgeon|clerk|midwife)(?: by (?:training|trade|profession))?(?=$|[\s,.;])",
        rf"^(?:\W|and |so |but |well )*been (?:an? |the )?(?:[\w/+#-]+ ){{0,4}}(?:{_JOB}|for {_SPAN}|since)",
        r"(?:im|i am)(?: mostly| largely| entirely| completely| fully| basically)* self[ -]taught|self[ -]taught",
        r"i (?:have|ve|got) (?:an? |some |no |little )?(?:strong |solid |basic |formal )?(?:[\w-]+ ){0,2}(?:background|degree|phd|training|education)",
        r"i (?:maintain|own|run|look after|manage|lead) (?:the |our |most of the |all the )?[\w-]+(?=,| here| and|$)",
        r"i speak (?:[\w+#-]+ ){0,3}(?:fluently|natively|only|and)",
        r"(?:ive |i have )?(?:got )?no (?:idea|clue) (?:about|of|how) (?!this|that|why|what|where|it)[\w ]+",
        r"(?:i )?(?:only |just |recently )+(?:started|began|learned|learnt|picked up|switched to|got into) (?:learning |using |with |doing |on |writing )?[\w+#-]+(?=.{0,12}\b(?:last|this|a (?:month|week|year)|two|three|in|ago|recently)\b)",
        r"(?:is|are) (?:black magic|a (?:total |complete )?mystery|voodoo|gibberish|a closed book) (?:to|for) me",
        r"is (?:more )?my (?:thing|jam|home turf|bread and butter|forte|mother tongue|comfort zone|strong suit|weak spot|blind spot|day job|world|wheelhouse)",
        r"(?:used to be|formerly|previously|ex-) ?(?:an? )?(?:[\w+#/-]+ ){0,3}(?:for )?\w+(?=.{0,60}\b(?:years?|yrs?|so|before|but)\b)",
        r"taking over (?:the )?(?:[\w-]+ ){1,4}from",
        r"(?:entirely|completely|totally|all|pretty|very) (?:foreign|new|greek|alien) to me",
        rf"(?:im|i am|i was|ive been|i used to be|i work as|im by trade|we are|im also|im just|im mostly|im mainly|im actually|im really|im originally|as) (?:actually |just |still |only |mostly |mainly |really |originally |basically |primarily |more of |also |now )*(?:an? |the |our )?(?:[\w/+#&.-]+ ){{0,4}}{_JOB}",
        rf"(?:i|ive|ive been|i have)(?: been| spent| worked| did| have| had| got)* (?:[\w/+#&-]+ ){{0,6}}(?:for |about |almost |nearly |over |roughly |around |like |past |last |some |the )*{_SPAN}",
        rf"(?:coming|came|come|moved|switched|transferred|over) (?:over )?(?:from|off|to this from|here from) (?:\w+ )?(?:{_SPAN}|[\w+#/ -]+ (?:background|world|land|side|team|shop))",
        rf"{_SPAN} (?:of|in|as|doing|with|on|at|working|writing|running|building|across) \w+(?=.{{0,80}}\b(?:i|me|my|im|never|ive|but|before)\b)",
        rf"(?:after|with) {_SPAN} (?:of|in|as|doing|with|on|at|working|writing) \w+",
        r"(?:my )?first (?:real |ever |proper |serious )?(?:[\w+#/-]+ ){0,4}(?:ive ever|i ever|ive|ever) (?:opened|touched|seen|used|written|worked|read|built)",
        r"first time (?:ive (?:ever )?(?:used|touched|worked|written|opened|done)|(?:using|touching|writing|working|doing|with|in))",
        r"(?:i ?(?:have|ve|had)?|and|but|though) (?:have |ve )?never (?:really |actually |properly |once |ever )?(?:used|touched|written|done|worked (?:with|in|on)|learn(?:ed|t)|programmed|coded|shipped|built|deployed)(?! (?:this|that|it)\b)",
        r"(?:im|i am) (?:\w+ly |still |quite |very |brand |so |kinda |kind of |a bit |also |completely |rather |pretty )*new (?:to|at|in|around) (?!this (?:bug|issue|error|file))",
        r"new (?:here|hire|joiner|starter)(?=.{0,60}\b(?:i|started|joined|from|monday|week|team)\b)",
        r"my (?:\w+ )?(?:background|day job|degree|phd|training|main language|native language|first language|mother tongue|speciality|specialty|expertise|field|strong suit|home turf|bread and butter|comfort zone) (?:is|was|are|lies)",
        r"i (?:come from|studied|trained as|majored in|have a (?:degree|phd|masters|background)|did a (?:degree|phd|masters)|trained in|grew up (?:on|with)|taught|teach)",
        r"(?:by (?:training|trade|background|profession)|by day)",
        r"i (?:also |actually |currently |mostly |mainly |now )*(?:run|lead|manage|own|head up|head|maintain|look after|am responsible for|am in charge of|oversee|do|handle|work (?:on|in|for|with|at)|sit (?:in|on|with)) (?:the |our |a |most of the )?(?:[\w/&+-]+ ){0,3}(?:side|team|group|squad|platform|infra|infrastructure|department|dept|practice|guild|org|desk|oncall rotation|accounting|compliance|support|sales|marketing|finance|analytics|operations|office)(?! (?:is|was|that|which)\b)",
        r"(?:im|i am) (?:on|in|with|from|part of) (?:the |our )?(?:[\w/&+-]+ )?(?:team|squad|group|department|dept|side|org|guild|ops|support|finance|marketing|analytics|platform)",
        r"i (?:mostly|mainly|usually|normally|primarily|typically|only|almost only|generally) (?:write|do|use|work|code|speak|read|live in|program|think)(?! (?:this|that|it)\b)",
        r"i (?:dont|barely|hardly|only|cant|do not|didnt) (?:really |actually )?(?:know|speak|read|understand|write|do) (?:any |much |a (?:lot|word) of |enough |basic |a little |a bit of )?[\w+#-]+(?=.{0,60}\b(?:so|explain|background|myself|yet|enough|at all|well)\b)",
        r"(?:im|i am) (?:not )?(?:very |too |that |really |quite |pretty |super |fairly |most |all that |no )*(?:comfortable|fluent|experienced|proficient|at home|well versed|rusty|strong|weak|an expert|expert|a native)(?: speaker)?(?: (?:with|in|at|on|of))?",
        r"i know (?:[\w+#-]+ ?){1,4}(?:inside out|well|by heart|cold|very well|like the back|really well|deeply)",
        r"(?:im|i am) (?:red-green |partially |totally |a bit )?(?:colou?r[- ]?blind|dyslexic|deaf|hard of hearing|blind|left-handed|visually impaired)",
        r"i (?:use|rely on|work with) (?:a )?screen ?reader",
        r"english (?:is not|isnt) my",
        r"(?:im|i am) (?:the|one of the) only (?:\w+ ){0,3}(?:developer|dev|engineer|one|person|maintainer|backend|frontend|designer|admin)",
        r"(?:i|ive) (?:just )?(?:joined|started|moved|transferred|switched)(?: \w+)? (?:from|to|on|in|at|as|over|last|this)(?=.{0,60}\b(?:team|from|as|company|week|month|monday|role|background)\b)",
    ),
    not_role=words(
        r"if i (?:were|was|am)|were i", r"(?:im|i am) (?:an? |such an? |the |being )?(?:\w+ )?(?:idiot|moron|mess|fool|dummy|dumbass|clown|genius)",
        r"as an? \w+(?: \w+)?,? i (?:want|can|should|need|would like)", r"imagine|pretend|suppose", r"the (?:user|customer|client)s?", r"fan of", r"on (?:(?:it|that|this)(?=\W|$)(?! (?:project|team|codebase|repo|side|product))|call|the phone|a call|hold|vacation|leave|holiday|pto)\b",
        r"(?:person|team|guy) (?:who|that) (?:broke|wrote)", r"act as|you are|youre a", r"i was (?:just |only )?(?:a bit|wondering|thinking|looking|hoping|trying)", r"for (?:\d+|a few|two|three) (?:hours?|minutes?|mins?|days?)",
    ),
    speaker=words(r"i|im|ive|my|me|for me|mine|id", r"explain|compare|map|translate|go slow(?:ly)?|be gentle|spell (?:it|things) out|short (?:simple )?sentences|simple words|analog(?:y|ies)|in terms of|bear with"),
    asserts=re.compile(rf"^(?!{_FILLER}{_ACT} (?:it|this|that|the|them|a|an|my|your)\b)(?:(?:ok|okay|hm+|btw|fyi|heads[ -]up|also|and|so|oh|note|reminder|quick|context|just|psa|morning|hey|hi|right|yes|yep)[\s,:!-]+)*(?!(?:i|ill|im|you|lets|please|pls|can|could|if)\b)(?:[\w./'-]+ ){{1,6}}?(?:is|are|has|have|will|wont|gets?|goes|comes?|wants?|needs?|starts?|ends?|opens?|closes?|lands?|ships?|launch(?:es)?|returns?|leaves?|arrives?|expects?|begins?|happens?|takes?|runs?|moves?|visits?|joins?|stops?|pauses?|merges?|deploys?|owns?|drives?|leads?)\b"),
    obligation=words(
        r"due", r"deadline", r"must", r"ha(?:s|ve) (?:got )?to", r"needs? to", r"gotta|got to", r"no later than", r"at the latest", r"promised", r"committed to", r"booked", r"contract(?:ual(?:ly)?)?", r"cut-?off", r"hard (?:date|stop|deadline)", r"non-?negotiable",
        r"required", r"no extensions?", r"expects?", r"is expecting", r"wants?", r"by(?= the| end| \d| mon| tue| wed| thu| fri| sat| sun| jan| feb| mar| apr| may| jun| jul| aug| sep| oct| nov| dec| next| this| tomorrow| eo)", r"need(?:s|ed)? (?:it|this|that|the|them|us|a)",
        r"before(?= the| \d| mon| tue| wed| thu| fri| jan| feb| mar| apr| may| jun| jul| aug| sep| oct| nov| dec| next| end)", r"deliver(?:s|y|ed|able)?", r"scheduled", r"signed",
    ),
    event=words(
        r"ship(?:s|ping|ped)?", r"launch(?:es|ing|ed)?", r"releas(?:e|es|ed|ing)", r"go(?:es|ing)?[ -]live", r"demo(?:s|ing|ed)?", r"audit(?:s|ors?|ed|ing)?", r"sunset(?:s|ting)?", r"eol|end of life", r"shut(?:s|ting)? (?:it |them )?(?:down|off)", r"turn(?:s|ed|ing)? (?:it |them )?off", r"switch(?:ed|ing|es)? (?:off|over)",
        r"(?:licen[sc]e|cert(?:ificate)?|contract|trial|support|lease|domain) (?:\w+ ){0,2}(?:expires?|runs? out|ends?|lapses?|renews?)", r"cut-?over", r"hand-?over|hands? over", r"sign(?:s|ed)?[ -]off", r"goes? out", r"targets?(?:ing)?", r"migrat(?:e|es|ed|ion|ing)", r"retir(?:e|es|ed|ing)", r"decommission\w*", r"board meeting|onsite|on-site|offsite|conference|keynote|webinar|pilot|beta|ga|rollout|roll-out|rc|pen ?test|security review|compliance|certification|renewal|inspection|election|black friday|go-no-go|kick-?off|handoff|maintenance window|downtime|outage window|submission|milestone|sprint",
        r"cuts?(?: \w+){0,3} branch", r"moves? to|moving to", r"starts?|starting|begins?", r"ends?|ending", r"deprecat\w+", r"off(?= by| on| from| after)", r"gone(?= by| on| after)", r"live(?= by| on| from| before)", r"out(?= by| on| before)", r"done(?= by| before)", r"ready(?= by| for| before)", r"merged(?= by| before)", r"go(?:es)? (?:away|dark|offline|read-?only)", r"leav(?:es|ing)|on leave|parental leave|last day",
    ),
    freeze=words(r"freeze[sd]?|freezing", r"frozen", r"(?:nothing|nobody|no one|no-one|none) (?:\w+ )?(?:goes|gets|ships|lands|merges?|deploys?|releases?|touches|pushes|commits|changes|may|can)", r"only (?:hot ?fix(?:es)?|critical|p0s?|security fix(?:es)?|bug ?fix(?:es)?)|(?:hot ?fix(?:es)?|bug ?fix(?:es)?) only", r"(?:main|master|trunk|deploys?|deployments?|merges?|merging|releases?|prod|production|the branch|ci|repo|pipeline|schema)(?: \w+){0,4} (?:paused?|halted|stopped|stops|closed|closes|blocked|suspended|shut|off limits|read-?only|locked)", r"(?:code|feature)[ -]complete", r"(?:pause|halt|stop)s? (?:all )?(?:merges|merging|deploys|deploying|releases|releasing)", r"code[ -]?(?:freeze|lock)", r"lock(?:ed|s|ing)?(?: it| main| master| down)+", r"no (?:more )?(?:merges?|merging|deploys?|deployments?|deploying|releases?|schema changes?|changes? to \w+|prod(?:uction)? changes)(?= |$)", r"moratorium|embargo|blackout|change ban|merge ban|lockdown"),
    decided=words(
        r"(?<!since )(?<!when )(?<!after )(?<!until )(?<!before )(?<!because )(?<!once )(?<!where )(?<!if )(?:we|they|team|management|legal|leadership|product|board|committee|security|infra|platform|architecture|everyone|finance|design|ops)(?:ve| have| had)? ?(?:all |just |finally |now |already )*(?:decided|settled|agreed|chose|chosen|picked|voted|signed off|committed|standardi[sz](?:ed|ing)|landed on|went with|ruled out|dropped|approved|rejected|killed|canned)",
        r"(?:were|we are|company is|team is|org is) (?:all |now |definitely )*(?:going with|moving (?:to|off|away)|switching (?:to|off|over)|migrating (?:to|off|from)|dropping|replacing|killing|standardi[sz]ing on|retiring|sunsetting|sticking with|consolidating)",
        r"(?<!i )(?:voted|decided|agreed|ruled) (?:last|yesterday|to|that|on|in|we|this|against|for)", r"(?:its|it is|its been|thats|that got|it got|that was|it was|was|been|is|got) (?:now |finally |officially |formally )*(?:decided|settled|agreed|approved|green-?lit|greenlighted|signed off|ratified|chosen|picked|vetoed|rejected|shelved|canned|axed|descoped|cancelled|canceled|postponed)",
        r"(?:outcome|verdict|conclusion|upshot|result)(?: is| was|:)", r"\w+ (?:it is|won|wins)(?=$|[\W])", r"(?:is|are) (?:out|dead|history|off the table|going away|not happening)(?=$|[\W])", r"(?:were|we are) done with", r"we signed (?:with|up)|signed with", r"(?:we|they) (?:postponed|moved|pushed|cancelled|canceled|scrapped|pulled|delayed)", r"(?:the )?(?:final )?decision (?:is|was|from|on|came|:)|final call",
    ),
    settled_by=words(
        r"stand-?up|meeting|review|retro|planning|sync|offsite|all-?hands|design review|arch(?:itecture)? (?:review|board|group)|rfc|adr|board|committee|steering|yesterday|last (?:week|month|night|mon|tue|wed|thu|fri)\w*|this morning|on (?:mon|tues|wednes|thurs|fri)day|in the (?:\w+ )?(?:call|thread|channel)",
        r"(?:the )?\w+ (?:guild|council|committee|group|board|team|leads?|chapter)|licen[cs]e|costs?|pricing|quote|budget|cheaper|legal|compliance|contract|vendor|too expensive|silly money",
    ),
    owns_work=words(rf"{_PERSONISH}(?: \w+)?(?:s team)? (?:owns|will own|is driving|is leading|leads|drives|will lead|runs|is running|takes over|is taking over|took over|is on point for|handles|is handling|is responsible for|coordinates|is coordinating) (?:the |this |our )?(?:[\w-]+ ){{0,3}}(?:rewrite|migration|rollout|roll-out|cut-?over|launch|project|refactor|release|redesign|port|epic|initiative|effort|workstream|audit|incident|postmortem|rebrand|integration|upgrade|transition|handover|deprecation|cleanup|rename)"),
    owner=re.compile(
        rf"(?<!\w)(?:{_PERSONISH}(?: \w+)?(?:s team)? (?:owns|will own|is owning|is driving|is leading|leads|will lead|is running|runs|takes over|is taking over|took over|is on point|is handling|handles|is responsible|is chasing|will chase|is coordinating|coordinates|picks up|is picking up|has the lead|is the (?:dri|owner|contact|point person|lead))(?: (?:the|this|that|on|for|it|with)?\b)"
        rf"|(?:owned|led|driven|handled|run|coordinated|owner|dri|contact|point person)(?: is| by|:) {_PERSONISH})"
    ),
    past=words(
        r"last (?:week|month|quarter|year|sprint|night|time|spring|summer|autumn|fall|winter|release|mon|tues?|wed|thu|fri|sat|sun)\w*", r"(?:back |over |early |late )?in (?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|q[1-4])", r"yesterday|the other (?:day|week)|over the weekend|recently|a (?:few )?(?:week|month|day|year)s? (?:ago|back)|\w+ (?:weeks?|months?|days?|years?) ago|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|during|since|back (?:in|when)|earlier this (?:week|month|year)|once",
    ),
    incident=words(
        r"damag\w+|fail(?:ed|ure)|flood\w*|fire|power (?:cut|loss|outage)|stolen|died|fried|washed out|struck|lightning|burst|melted|unplugged|severed|bricked|recall(?:ed)?|quarantin\w+|infected|miscalibrat\w+|compromised|outage|incident|sev ?-?[0-3]|p[0-1]|went down|was down|fell over|broke(?:n)?|lost|corrupt(?:ed|ion|s)?|leak(?:ed|s)?|breach(?:ed)?|double[- ]?(?:bill|charg|post|sent|ship|pay|paid)\w*|twice|wiped|deleted|duplicat\w+|paged|roll(?:ed)?[ -]?back|post-?mortem|hacked|overcharg\w+|oversold|dropped|failover|crash(?:ed)?|stale|wrong (?:prices?|amounts?|data|rows|emails?|totals?)|missing|truncated|overwrote|overwritten|poisoned|expired|ddos|misrouted|charged|refunds?",
    ),
    ongoing=words(
        r"has ?nt been|hasnt|havent|wont be|until it|awaiting|waiting (?:for|on)|arranging|still|until|till|for now expected|are expected|is expected|in progress|working through|pending|being (?:cleaned|fixed|refunded|backfilled|restored|investigated|migrated|reconciled|repaired)|hasnt|havent|isnt (?:done|finished|fixed|over|closed)|not (?:yet )?(?:done|finished|closed|complete|fixed|over)|ongoing|under way|underway|backfill(?:ing)?|cleaning up|cleanup|so (?:expect|leave|dont)|will (?:take|last)|halfway|left over|investigat\w+",
    ),
    debugging=words(r"(?:the |my |this |todays |last nights )?(?:build|builds|tests?|ci|pipeline|compile|compilation|test suite|suite|branch|checkout|docker image|container)(?: \w+)? (?:fail\w*|broke|crash\w*|went|is|was|are|were|died|hangs?)", r"on my (?:machine|laptop|box|branch)|locally", r"(?:^|[,.] ?|and |please |pls )(?:fix|look into|look at|check|revert|roll (?:it |this |that )?back|clean (?:it|them|up)|find out|debug|investigate|recover|restore|renew|restart|rerun|bisect|help)(?! yourself)", r"heres the (?:log|trace|output|error|stack)"),
    code_date=words(r"fixtures?|seeds?|seed data|sample (?:data|rows?|file)|test (?:data|cases?|file)|a test|mock(?:ed)? (?:data|date|clock)|copyright|placeholder|dummy|cron(?:job)?|token|ttl|cache|trial period|timestamp|regex|locale|date ?picker|assert\w*|(?:banner|button|modal|page|popup|widget|field|column|badge|notice|label) (?:should|must|needs? to|has to)|(?:set|change|update|move|bump) (?:the |its )?(?:\w+ )?(?:date|year|version|field|value|default)"),
    changed=words(
        r"(?:got |been |was |is |are |were |has |have |had )*(?:moved|pushed|pulled|postponed|delayed|slipped|shifted|rescheduled|brought|bumped|extended|changed|dragged)(?: \w+){0,3} ?(?:back|forward|in|out|up|to|until|till|by)", r"(?:is|its|thats) now(?= )", r"new (?:date|deadline|target|eta)", r"(?:is|are|was) (?:moot|off the table|void|dead)", r"(?:date|deadline|cut-?off|freeze|launch|release|demo|it|that) (?:has |just |got |was )*(?:moved|slipped|changed|shifted)", r"(?:instead of|not) (?:mon|tues|wednes|thurs|fri|satur|sun)day", r"scratch that|correction|actually|no longer", r"earlier than|later than",
    ),
    own_plan=words(
        r"(?:ill|i will|im gonna|im going to|i can|i might|let me|lets|ill be|we can|we could|you can|could you|can you|please|pls|remind me|id like to|i want to|i need to|ill do|i have to|i gotta|finish (?:this|it)|do (?:this|it|that))(?! (?:own|have to have)\b)",
    ),
    place=words(_TOOL),
    resource=words(
        r"inbox|mailbox|folders?|spaces?|examples?|schematics?|drawings?|samples?|data ?sets?|corpus|library|archive|templates?|transcripts?|photos?|models?|layouts?|floor ?plans?|manuals?|datasheets?|certificates?|workspace|dashboards?|boards?|panels?|runbooks?|playbooks?|wiki|doc|docs|documents?|documentation|specs?|specifications?|sheets?|spreadsheets?|tracker|tickets?|bugs?|issues?|projects?|channel|calendars?|roadmaps?|designs?|mock-?ups?|wireframes?|rota|roster|schedule|post-?mortems?|incidents?|metrics|alerts?|alerting|traces|feedback|contracts?|status page|backlog|epics?|requests?|rfcs?|adrs?|minutes|notes|onboarding|checklists?|guidelines?|style ?guide|handbook|polic(?:y|ies)|faq|recordings?|reports?|graphs?|charts?|diagrams?|complaints?|escalations?|announcements?|releases?|logs|tasks?|work items?|requirements|copy|translations?|strings|assets|icons|licen[cs]es|invoices|inventory|catalog(?:ue)?|glossary|data dictionary|flags?|experiments?|surveys?|interviews?|latency|errors?|on-?call|people|questions|to-?dos?|page|results|numbers|slos?|budgets?",
    ),
    kept_at=words(
        rf"(?:is|are|live|lives|sits?|filed|tracked|kept|stored|documented|written up|managed|collected|archived|logged|posted|published|hosted|maintained|listed|goes?|come in|comes in|found|planned|discussed|announced) (?:all |now |still |only |over )*(?:in|on|at|under|to|into|through|via) (?:the |our |an? )?(?:\w+ )?{_TOOL}",
        r"(?:is|are|live|lives|sits?|filed|tracked|kept|stored|documented|managed|collected|archived|posted|published|maintained|listed) (?:all |now |still |only |over )*(?:in|on|at|under) (?:the |our |an? )?[\w.-]+(?: \w+)?,? (?:in |under )?(?:the )?(?:project|space|board|folder|view|workspace|page|list|channel|collection|site|group|team)(?: called| named)?(?= )",
    ),
    pointer=words(
        r"(?:talk|discuss\w*|ask\w*|chat|hang out|coordinate|announce\w*|raise\w*|escalate\w*)(?: \w+)? (?:in|on|to|at)", r"listed|is|are|s|lives?|sits?|stays?|goes|go|tracked|filed|kept|documented|written(?: up| down)?|posted|found|over (?:in|at|on)|up (?:at|on)|hosted|managed|maintained|collected|logged|recorded|reported|under|belongs?|reside|happens?|get(?:s)? (?:filed|tracked|posted|logged)|there(?:s| is) an?|measuring on|measured (?:on|in)|see|look (?:in|at)|check|through|via|goes (?:to|through|in)|have|has|keeps?|use|publish(?:es|ed)?|ask in",
    ),
    hands_over=words(
        r"(?:heres|here is|here are|this is|see|look at|check(?: out)?|open|fetch|read|visit|go to|curl|download|clone|try|use|hit|ping|scrape|summari[sz]e|test|implement|follow|triage|fix)(?: \w+){0,4} (?:this|that|the failing|the stack|my|attached|below|ticket|issue|pr|log|trace|output|error|gist|paste)",
        r"(?:fetch|curl|download|open|visit|scrape|clone|summari[sz]e|triage|implement|translate|compare|parse|point|hit|call)(?= |$)",
        r"for (?:now|the time being|the moment|today|this run|this test|the demo)|temporar(?:y|ily)|until (?:tomorrow|tonight|next)|throwaway|ephemeral|sandbox|preview (?:env|deploy|url)",
        r"response (?:is|was)|returns?|returned|respond\w*|timeout|times out|(?:is|was|seems) (?:down|slow|broken|unreachable|failing|blocked)|\d{3} (?:from|on)|connection|cors|redirect(?:s|ed|ing)?|endpoint",
    ),
    orders=re.compile(r"^(?:(?:ok|okay|now|then|and|so|please|pls|great|also)[\s,]+)*(?:(?:can|could|would|will) (?:you|u)\b|(?:read|open|post|put|send|fetch|fix|update|add|link|pull|push|sync|export|import|copy|move|paste|render|embed|show|write|make|create|call|connect|integrate|mock|parse|download|upload|run|test|implement|use|get|take|grab|load|scrape|summari[sz]e|remove|delete|rename|replace|change|set) (?:it|this|that|these|those|them|the|an?|my|our|all|to|from|in|on|me|us|https?)\b)|\b(?:attached|is broken|is down|(?<![\w./])(?:src|lib|docs|tests?|app|cmd|pkg|internal|config)/\S)"),
    reason=words(r"because", r"cause", r"cos|cuz|coz|bc", r"since(?! (?:mon|tue|wed|thu|fri|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|last|yesterday|the (?:deploy|rebase|merge|upgrade))\w*)", r"so that", r"otherwise", r"due to", r"(?:the )?reason(?: is|:| being)", r"or else", r"that way", r"(?:he|she|they|someone|somebody|customers?|the customer|the client|a user) (?:said|says|told (?:us|me|them)|claims?|claimed|insists?|suggested|demand(?:s|ed)|complain(?:s|ed))", r"as (?:it|they|we|i|the)(?= )", r"given (?:that|how)"),
    standing=words(
        r"i (?:need|want|read|review|check|use) (?:them|it|those|these)", r"(?:legal|finance|support|ops|security|compliance|marketing|design|qa|product|management|sales|hr|docs|infra|data|the \w+ team|our \w+|the \w+|half the team|reviewers?|people|customers|users|partners|git|blame|grep|bisect|ci|github|the diff|diffs) (?:cares?|needs?|wants?|insists?|complains?|flagged|requires?|asked|hates?|loves?|loses?|gets?|breaks?|cant|cannot|dont|doesnt|wont|has no|have no|isnt|arent|becomes?|goes|reads?|uses?|matches|fails?|shouts?|yells?|freaks?|objects?)",
        r"we re-?\w+ it (?:weekly|daily|monthly|nightly)|weekly|monthly|nightly",
        r"last (?:week|month|quarter|year|sprint|release|spring|summer|winter|autumn|fall)", r"(?:back )?in (?:january|february|march|april|may|june|july|august|september|october|november|december)", r"(?:i|we|me|us|ops|they|someone|somebody)(?:ve|d)? (?:\w+ )?(?:got |been |was |were )+(?:burned|burnt|bitten|bit|stung|paged|yelled at|hacked|fined|hit)", r"(?:bit|burned|burnt|cost|ate|broke|wiped|killed|nuked|hosed|took down|brought down|locked) (?:me|us|my|our|the|half|prod|everyone|everything)\b",
        r"takes? (?:like |about |over |almost |around |forever|ages)?\d*", r"is \d+ ?(?:min|minutes|hours|hrs|gb|mb|sec|s)\b", r"on (?:this|my) (?:laptop|machine|screen|phone|connection|terminal|mac|box)", r"(?:im|i am) (?:on|reading|using|usually|often|always|working) (?:a|an|my|this|on|from|in)", r"half the time|most of the time|every time|all the time|constantly|usually|always|never|often|keeps?|tends? to",
        r"(?:our|the) (?:\w+ )?(?:ci|agents?|runners?|customers?|users?|auditors?|reviewers?|linter|parser|tool(?:ing|chain)?|indexer|vendor|partners?|team|ops|legal|finance|support|designers?|translators?|deploy|pipeline|bot|search|grep|monitoring|alerting|licen[cs]e|cluster|prod|screen reader)s? (?:\w+ )?(?:runs?|cant|cannot|wont|doesnt|dont|only|parses?|reads?|chokes?|breaks?|needs?|expects?|ships?|rejects?|complains?|hates?|uses?|relies|depends?|goes|go|has|have|strips?|ignores?|gets?|blocks?|fails?)",
        r"i (?:cant|cannot|dont|never|always|only|usually|often|read|work|review|skim|see|need|have to|lose|end up|get|know|look|grep|want|like)\b", r"it (?:breaks|hides|makes|gets|takes|costs|confuses|clutters|wastes|slows|messes|screws|eats|is (?:hard|impossible|easier|noisy|slow))", r"they(?:re)? (?:\w+ )?(?:break|hide|make|get|rot|lie|drift|cost|clutter|go|are|dont|cant|wont|only|just|all)\b", r"noise|noisy|churn|unreadable|hard to (?:read|review|follow|grep|revert)|easier to (?:read|review|follow|revert|bisect)|bisect|waste of", r"for the why", r"nobody|no one|everyone|everybody|people",
    ),
    experience=words(
        r"last time", r"(?:i|we|me|us|ops|they|someone|somebody|he|she)(?:ve|d)? (?:\w+ )?(?:got |been |was |were |have been )+(?:burned|burnt|bitten|bit|stung|paged|yelled at|hacked|fined|hit|flagged)", r"(?:bit|burned|burnt|cost|ate|broke|wiped|killed|nuked|hosed|took|took down|brought down|locked|lost|leaked|hid) (?:me|us|my|our|the|half|prod|everyone|everything|a (?:broken )?\w+|us the)\b", r"(?:i|we|ops|they) (?:\w+ )?(?:lost|spent|wasted|had to|ended up|nearly lost|once) ", r"took (?:prod|us|the site|down|everything)", r"(?:in|back in|since|after) (?:january|february|march|april|may|june|july|august|september|october|november|december|the (?:outage|incident|audit|breach|migration))", r"learned (?:that|this) the hard way|the hard way|never again",
    ),
    scope=words(
        r"(?:for|in|on|under|across|anything|everything|all|any|every|each|only|whenever|when(?:ever)? you|when we|if you|before you|before|after you|unless|in this repo|wherever|even when|even if)(?= )",
    ),
    question=re.compile(
        rf"\?\W*$|\bor not\W*$|^{_FILLER}(?:quick q(?:uestion)?[\s,:]+|question[\s,:]+|wait[\s,]+|or[\s,]+|then[\s,]+|hmm+[\s,]+)*"
        r"(?:what(?:s|re)?|why|how(?:s|re)?|where(?:s|re)?|when(?:s)?(?= (?:is|are|was|does|did|do|will|should|can|would))|who(?:s)?|which|whose"
        r"|is|are|am i|was|were|does|did|has|could|should|would|shall|isnt|arent|wasnt|werent|doesnt|didnt|hasnt|havent|shouldnt|couldnt|wouldnt"
        r"|will (?!do\b)|wont|can(?! do\b)|cant (?:i|we|you|it|they)|do (?!it|this|that|not|the|so|a|all|them|both|n)\w+|dont (?:you|we|they|i) |have (?:you|we|they|i|the)|may i|any (?:idea|chance|reason|clue|thoughts|way)"
        r"|wonder(?:ing)?|im wondering|i wonder|im curious|curious|not sure (?:if|whether|why|how|what)|(?:remind|tell|show) me (?:what|how|where|why|which|if|whether|when)|do you know|explain (?:why|how|what)|thoughts on)\b"
    ),
    polite=re.compile(r"^(?:\w+[\s,]+){0,3}(?:can we (?:agree|please|just agree)|could we (?:agree|please)|lets agree)\b|^(?:\w+[\s,]+){0,3}(?:can|could|would|will) (?:you|u|we)(?: please| pls| just| maybe| also)* (?:always|never|stop|quit|not|avoid|from now|keep|remember|start|refrain)\b"),
    one_off=words(
        r"hold off|not now|at this (?:point|stage)|in the meantime|meanwhile|(?:until|till) (?!i (?:ask|say|tell|explicitly)|further)\w+|this (?:week|sprint|month|round|pass|step|iteration|release|milestone)|for the rest of (?:the|this)|to (?:start|begin) with|as a first step|at first|so far|before (?:we|you|i) merge this|in (?:a|one) (?:go|commit|file)|the (?:first|second|third|last) (?:one|part|option|two|three)|only the|just the|while (?:i|im|were|we|youre|you|the|they)",
        r"for (?:now|the moment|the time being|today|this (?:one|pr|run|time|change|branch|file|commit|session|release|case|fix|task|test|ticket|spike|demo|sprint)|the demo|tonight)", r"(?:just |only )?this (?:time|once)(?: only)?", r"just (?:here|for this|the (?:first|second|last|one)|this (?:one|time|once|file))", r"right now", r"today|tonight|this (?:morning|afternoon|evening)", r"(?:not |dont .{1,30}|just )?yet", r"temporar(?:y|ily)", r"(?:until|till) (?:tomorrow|monday|then|later|im back|i(?:m| am) done|lunch|friday|i(?:ve| have)|that|the|this)", r"throwaway|prototype|spike|poc|trivial|quick and dirty|scratch (?:file|script)", r"(?:in|of|to|from|for|at|under|inside|with|on|into) (?:this|that) (?:list|form|card|row|column|button|field|screen|modal|panel|route|request|response|loop|block|line|struct|enum|service|job|feature|model|header|footer|menu|file|pr|function|branch|commit|test|case|class|module|component|endpoint|method|one|handler|query|script|dir|directory|folder|page|view|table|migration)", r"on (?:this|that) (?:branch|one|page|pr|file|screen|endpoint|form)", r"as a (?:quick )?(?:hack|workaround|one-?off|stopgap)", r"one-?off", r"(?:we|i)ll (?:fix|clean|do|sort|revisit|come back to|handle) (?:it|that|this|the rest)", r"first(?= then|,)", r"later|another day|in a (?:sec|minute|bit)", r"while (?:im|i am|were|we) (?:debugging|testing|here|at it)", r"before lunch", r"while im (?:out|away|on)",
    ),
    hypothetical=words(
        r"if (?:i|we|you|it|this|that|they|he|she|there|the \w+)(?: \w+)? were(?! (?:to )?(?:ever|using|doing|changing|adding))", r"if (?:i|we|you|they|it|someone|anyone) (?:had|could|only)", r"if i was (?:a|an|the|in|you)", r"(?:were|had) i (?:a|an|to|in)", r"what if", r"suppose|supposing|hypothetical(?:ly)?|imagine|pretend(?:ing)?|in theory|theoretically|in an ideal world|in a perfect world", r"thinking (?:out loud|aloud)|just musing|daydream(?:ing)?|day dream", r"id (?:probably |maybe )?(?:want|have|be|love|use|make|say|need|go with|never|always)(?= .{0,80}\bif\b)", r"(?:lets|let us) (?:say|pretend|imagine|assume)", r"say (?:we|i|you|the|someone) (?:had|were|was|wanted|needed|did|got)", r"(?:would|could|might) (?:have|ve) (?:been|had|gone)", r"one day|some ?day|eventually|in another life|if only", r"wouldnt it be", r"for the sake of argument|thought experiment|devils advocate",
    ),
    sarcasm=re.compile(
        r"^(?:oh|ah|wow|well|yeah|yes|sure|ha+)?[\s,]*(?:oh |yeah |ah )?(?:brilliant|wonderful|fantastic|terrific|marvell?ous|splendid|lovely|fabulous|magnificent|outstanding|stellar|genius|bravo|congrats|congratulations|well done|great job|nice job|good job|nice one|amazing|awesome|incredible|delightful|superb|slow clap)\b.*\b(?:please|always|never|every|keep|do|love|more|again|next time|from now on|deleted?|broke|nuke|wipe|just what|exactly what)\b"
        r"|\b(?:just|exactly) what i (?:needed|wanted|always wanted|was hoping for)\b|\bi (?:just |really |absolutely |so )?(?:love|enjoy|adore|live for) (?:it when|watching|waiting|when (?:you|it|my|the)|how (?:you|it)|losing|spending|debugging|rebuilding|redoing|a good|nothing more)"
        r"|\bbecause (?:who|that|thats|of course|clearly|obviously)\b.*\b(?:needs?|wants?|worked|works|well|fun|great|doesnt)\b|\bthats? (?:exactly |just )?what i (?:love|live for|enjoy)|\bwho needs\b|\bthanks for nothing\b|\byeah,? right\b|\bwhat could (?:possibly )?go wrong\b|\bas if\b|[\U0001f643\U0001f644\U0001f612]|(?<!\w)/s\s*$|\bwhat a (?:treat|joy|great idea|brilliant idea)\b"
        r"|\bwhy not (?:just )?(?:delete|drop|wipe|nuke|break|always|also)\b|\bplease (?:do )?(?:always|keep|continue) (?:to )?(?:nuk|delet|break|wip|drop|ignor|mak\w+ things up|guess|invent|surpris|wast|los)\w*|\bmy favou?rite (?:part|thing|hobby)\b|\bmade my (?:day|week|evening)\b|\breal(?:ly)? helpful\b.*\b(?:again|always|never|deleted?|broke)\b"
    ),
    cheers=words(r"oh (?:great|good|nice|yes|sure)|wow|yeah sure|by all means|sure|thanks for|brilliant|wonderful|fantastic|awesome|amazing|perfect|great|lovely|love|superb|well done|genius|excellent|splendid|marvell?ous|bravo|nice|congrat\w*|thank you so much|thanks a (?:lot|bunch|million)|stellar|outstanding|beautiful|terrific|cool cool|magnificent|impressive|delightful|what a"),
    mishap=words(r"nothing (?:works|compiles|builds|runs)|broke|broken|breaks?|deleted|wiped|wiping|rewrote|reformatted|lost|crashed|\d+ (?:new )?(?:warnings|errors|failures)|mess|red|nuked|dropped|gone|wrong|revert(?:ed)?|took down|killed|overwrote|again|by all means|keep them coming"),
    objects=words(r"dont|do not|never|stop|not|ask(?: me)?|before you|without asking|no more|please no|instead|only"),
    harm=words(r"(?:please |do |just |always |from now on |every time |feel free to |go ahead and |keep |maybe |and |also |next time )+(?:\w+ )?(?:delete|drop|nuke|wipe|break|destroy|trash|erase|crash|lose|corrupt|ruin|burn|torch|overwrite|rm -rf|ignore|forget|deleting|dropping|nuking|wiping|breaking|losing|ignoring) (?:\w+ )?(?:my|our|everything|prod(?:uction)?|half|all (?:my|our|the)|random|the (?:whole|entire|wrong|prod\w*|repo|database|db)|me|whatever i say|everything i)"),
    for_others=words(
        r"(?:write|draft|compose|word|phrase|prepare|send|post|give me|need|make|put together|generate|help me (?:write|word|answer|reply)) (?:\w+ )?(?:an?|the|some|up|me|me an?|out an?|me some)? ?(?:\w+[ -]){0,3}(?:e-?mail|mail|announcement|slack (?:message|post|msg)|message|note to|memo|tweet|blog ?post|post|release notes?|changelog entry|readme(?: section)?|letter|reply|response to|error (?:message|text)|banner|tooltip|copy|text|prompt|system prompt|job (?:ad|post)|ticket|issue|faq|template|doc(?:s|ument)? (?:for|section|page)|policy|onboarding (?:doc|guide)|contributing(?:\.md)?|section|paragraph|sentence|slide|notice|instructions|comment|guideline|checklist|status update|update for)",
        r"(?:reply|respond|answer|write|email) (?:back )?(?:to )?(?:the |our |that |this )?(?:customers?|clients?|users?|partner|vendor|them|him|her|reviewer|support|team|boss|manager|reporter)", r"(?:put|leave|add|write|place) (?:an? )?(?:comment|note|warning|remark)", r"(?:saying|that says|which says|reads?|text|wording|copy|label|title|caption|placeholder|tooltip|banner|headline|subject|message) ?:", r"tell (?:the )?(?:users?|customers?|them|people|the team|everyone|readers?|him|her|the partner|clients?) (?:that|to|they|we|not|never|always)", r"(?:should|must|to) say(?: that)?", r"(?:add|put|append|include) (?:a |an |the |this )?(?:\w+ )?(?:line|note|paragraph|section|sentence|comment|todo|bullet|rule|warning|entry) (?:to|in|into|at|under|that|saying|about)", r"translate", r"rephrase|reword|proofread|paraphrase",
    ),
    reported=words(
        r"(?:(?:the|their|its|this|that|a|some|our|your) )?(?:\w+ )?(?:docs?|documentation|readme(?:\.md)?|tool|output|log|scanner|bot|assistant|model|guide|linter|lint|article|blog(?: post)?|book|page|ticket|issue|post|paper|claude\.md|agents\.md|contributing(?:\.md)?|convention|style ?guide|website|site|tutorial|changelog|spec|standard|rfc|compiler|error|warning|review comment|reviewer|comment|bot|banner|template|stackoverflow|so answer|gist|video|talk|clippy|eslint|ticket|memo|email|mail|vendor|release notes) (?:\w+ )?(?:says?|said|recommends?|tells?|told|claims?|states?|suggests?|mentions?|reads|warns?|insists?|demands?|thinks?|argues?|advises?)",
        r"as (?:it|the \w+|claude\.md|they|described|written|documented|stated) (?:says?|said|there|in|wants?|demands?)?", r"(?:per|according to|following|as per|like in|from) (?:the |our )?(?:\w+ )?(?:docs?|readme|guide|style ?guide|claude\.md|agents\.md|contributing|convention|spec|rfc|standard)\w*", r"(?:apparently|supposedly|allegedly|i (?:read|heard|saw)(?: (?:somewhere|that|on|in))?)", r"as (?:you can see|shown|seen|is the case|always)", r"quote|quoting|unquote",
    ),
    requirement=words(
        r"retry (?:up to |at most |only )?\w+ times?|(?:always|never|dont|do not|only|and) (?:ever )?(?:round|send|emit|sort|retry|fall back|flush|throttle|truncate|clamp|reject|accept|hide|render|display|redirect|block|allow|expire|overwrite|abort|crash|fail|wait|append|prepend|trim|pad|lowercase|uppercase|persist|evict|dedupe|de-?duplicate|notify|charge|bill|refund|lock|unlock|close|open|start|stop|fire|trigger|dispatch|poll|reconnect|resume|cancel|swallow|propagate)(?= )",
        r"(?:when|if|once|on|after|before|until|unless) (?:the |a |an |any |every |each )?(?:user|customer|client|request|response|token|session|list|value|field|input|form|server|connection|error|timeout|failure|success|click|submit|button|queue|cache|file|page|row|record|response|payload|key|upload|import|login|logout)s?\b",
        r"(?:make|let|force) (?:it|this|that|them|the|each|every|all|both) ", r"(?:keep|have|get) (?:it|this|that|them|the (?:button|page|header|modal|list|table|form|field|cache|value)) ", r"(?:it|this|that|these|those|they|the [\w.-]+(?: [\w.-]+)?|a [\w.-]+|each [\w.-]+|every [\w.-]+) (?:should|must|has to|have to|needs to|need to|shouldnt|mustnt|will|can|cannot|may|ought to)", r"(?:button|field|form|page|modal|dropdown|checkbox|input|column|row|endpoint|route|handler|response|request|payload|header|cookie|token|session|cache|queue|worker|job|retry|retries|timeout|button|icon|banner|tooltip|label|screen|widget|popup|dialog|spinner|list|menu|navbar|sidebar|function|method|class|constructor|param(?:eter)?|argument|return value|flag|option|setting|user|users|visitor|client|server|connection|socket|thread|lock|index|key|value|default value|status code|exception|null|none|undefined|empty string|array)s?(?= (?:should|must|is|are|has|have|needs?|when|if|never|always|to)\b)", r"returns? (?:an?|the|null|none|nil|\d+|true|false|empty|undefined)|throw(?:s|ing)?|raise[sd]?|render(?:s|ed|ing)?|redirects?|emit(?:s|ted)?|persist(?:s|ed)?|expire[sd]?|serialize[sd]?|validat(?:e|es|ed|ion)|hidden|visible|disabled|sorted|cached|clamp(?:ed)?|escape[sd]?|idempotent|nullable|px|rem|#[0-9a-f]{3,6}",
        r"here\W*$|here,",
    ),
    mood=words(
        r"garbage|mush|stupid|dumb|idiot(?:ic)?|moron|useless|crap|shit|sucks?|fuck\w*|wtf|damn|hell|angry|rude|tired|exhausted|frustrat\w+|annoy\w+|hate (?:this|my life|mondays)|sick of|fed up|losing my mind|insane|pathetic|terrible|awful|brain (?:is|fog)|hungover|stressed|grumpy|burnt out|having a bad|bad day|long day|sorry for (?:snapping|yelling|the rant)",
    ),
    retracts=words(
        r"(?<!dont )(?<!never )(?<!to )(?<!i )(?<!always )(?<!cant )forget (?:that|it|this|about|the|what|everything|my|those|them|all)(?! to\b)", r"scratch (?:that|the|what|my)", r"strike that|disregard(?: (?:that|the|my|what))?", r"never ?mind(?: (?:that|the|about))?", r"ignore (?:that|what i (?:just )?said|my last|the (?:last|previous|above))", r"(?:dont|do not|no need to|please dont|stop) (?:actually )?(?:store|save|remember|keep|record|write (?:that|it|this) down|note|memori[sz]e|persist)(?: (?:that|it|this|any of that|the \w+))?(?= ?[,.;!]|$| (?:anywhere|after all|please|then|either|ill|its|i|we|they))",
        r"(?:erase|wipe|delete|remove|drop|strike|lose|scrub|clear|take) .{1,40} (?:from|out of|off) (?:your )?(?:notes|memory|mind|records|list|head)", r"shouldnt have (?:said|told|shared|posted|pasted)", r"(?:that|this|it)s? (?:is )?(?:no longer|not) (?:true|valid|relevant)(?: anymore)?", r"i take (?:that|it) back|i was wrong about|drop (?:that|the) (?:rule|note|memory)|unremember|delete (?:that|this) (?:note|memory)|remove (?:that|this|it) from (?:your )?memory|(?:that|this)s? (?:is )?off the record|strike it|wipe that",
    ),
    jests=words(r"just (?:musing|kidding|joking|messing|teasing|thinking (?:out loud|aloud)|daydreaming|playing)", r"jk|j/k", r"(?:im |was )?(?:only |just )?(?:kidding|joking|jesting)", r"not (?:serious|seriously)|dont take that seriously|that was (?:a joke|sarcasm)|sarcasm|/s|obviously not"),
    overrides=re.compile(r"^(?:(?:hm+|oh|ah|ok|sorry|uh)[\s,]+)*(?:no wait|wait no|wait,|correction|change of plan|changed my mind|on second thought|scratch that|actually no|actually,? (?:make|use|lets)|i (?:mixed|got) (?:that|it|this) (?:up|wrong)|my mistake|i was wrong)"),
    corrects=words(
        r"mixed (?:that|it|this) up|got (?:that|it) wrong|my mistake|heard (?:from|that|back)|just (?:heard|told|announced|posted|called|found out)|they want|moved|slipped|after all|already",r"actually", r"scratch that", r"correction", r"i meant?", r"no wait|wait no|wait,", r"sorry,", r"rather", r"instead", r"change of plan|changed my mind|on second thoughts?|turns out|ignore that|got (?:moved|pushed|pulled)|not \w+ after all|update:"),
)
