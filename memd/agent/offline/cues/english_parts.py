"""Pieces of patterns that several tables share."""

from __future__ import annotations

NUMBER = (
    r"(?:\d+\+?|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|many|several|a few|a couple(?: of)?)"
)
SPAN = rf"{NUMBER}[ -]?(?:or so |odd |some |long |good )?(?:yrs?|years?|decades?)"
JOB = (
    r"(?:engineer|developer|dev|programmer|coder|designer|scientist|analyst|manager|lead|architect"
    r"|admin|sysadmin|sre|dba|student|intern"
    r"|researcher|writer|tester|qa|founder|consultant|contractor|physicist|biologist|chemist"
    r"|mathematician|statistician|economist|accountant"
    r"|teacher|nurse|doctor|lawyer|pm|maintainer|freelancer|novice|beginner|newbie|newcomer|generalist"
    r"|cto|devops|ops|marketer|producer"
    r"|artist|linguist|geologist|astronomer|librarian|journalist|translator|trader|quant|postdoc"
    r"|professor|hobbyist|veteran|polyglot"
    r"|specialist|electrician|pharmacist|operator|technician|editor|(?:backend|frontend|front-end"
    r"|back-end|data|infra|security|mobile|web|ml|embedded|hardware|firmware|systems?)"
    r" (?:person|guy|gal|folk|people|one|side))"
)
OCCUPATION = (  # JOB, and what people do who are not of the trade
    rf"(?:{JOB}|owner|assessor|auditor|director|coach|secretary|treasurer|nurse|midwife|surgeon|vet|pilot|chef|clerk"
    rf"|smith"
    rf"|baker|farmer|carpenter|plumber|miller|tailor|driver|captain|soldier|priest|musician|composer|photographer"
    rf"|registrar|curator|conservator|paramedic|\w+(?:keeper|maker|ologist|ographer|ician|smith|wright|therapist|ist))"
)
FILLER = (  # atomic, and few: one way to read each word, else a hostile text could be read in exponentially many
    r"(?:(?>(?:ok(?:ay)?|k|kk|yes|yeah|yep|yea|no|nope|nah|hm+|ah|aha|oh|so|and|also|then|again|btw|fyi"
    r"|please|pls|plz|just|really|right|well"
    r"|good|great|nice|cool|perfect|thanks|thank you|thx|ta|cheers|sorry|ugh+|argh+|sigh|seriously"
    r"|honestly|actually|hey|dude|mate|lol|heh"
    r"|one more thing|one thing|two things|side ?note|note|nb|reminder|heads up|for the record"
    r"|small thing|quick thing|(?:as|like) i said|i said"
    r"|i told you|told you|in general|generally|going forward|moving forward|from (?:now"
    r"|here) on(?: out| in)?|in (?:the )?future"
    r"|for (?:the )?future|next time|for next time|for the (?:next|last|nth|third|second) time"
    r"|once and for all|fwiw|psa|but|rather|instead"
    r"|remember|keep in mind|rule|new rule|house rule|as a rule|by default|everywhere|always"
    r"|please note|(?:can|could|would|will) (?:you|u)|lastly|finally|second(?:ly)?|first(?:ly)?"
    r"|and another thing|another thing|to be clear|let me be clear|on that note|while im at it"
    r"|while were at it|\d\)|-)(?!\w)[\s,:.!–—-]*)){0,6}"
)
CONDITION = (
    r"(?:(?:when(?:ever)?|if|before|after|any ?time|every time|each time|once|for|in|on|with|while"
    r"|unless|where(?:ver)?|as for)\s[^,:]{2,60}(?:[,:]\s*|\s(?=(?:dont|do not|please|stop"
    r"|make sure)\s)))?"
)
ACT = (
    r"(?:adapt|adjust|draw|sketch|implement|extend|convert|port|scrub|redact|anonymi[sz]e|strip|lead|lose|load|swap"
    r"|attach|plot"
    r"|gate|guard|escalate|notify"
    r"|email|prefix|suffix|annotate|cap|trim|shorten|expand|prepare|pair|align|archive|mirror|route"
    r"|rotate|seed|squeeze|pull|fetch|rely|lean|restrict|favou?r|trust|count|measure|record|render"
    r"|clear|clean|finish|close|resolve|respect|honou?r|match|mind|watch|update|regenerate|reformat"
    r"|upload|download|publish|ship|release|expose|declare|treat|apply|assert|cover|quantify"
    r"|cross-?check|verify|warn|flag|raise|surface|spell|lay|place|reference|number|pick|choose|decide"
    r"|discuss|walk|think|plan|stop|use|run|write|add|put|commit|push|merge|squash|rebase|ask|tell"
    r"|explain|show|paste|include|skip|keep|leave|prefer|name|format|mock"
    r"|stub|test|check|open|create|branch|tag|deploy|ping|cc|mention|link|quote|reply|answer|respond"
    r"|summari[sz]e|split|group|wrap|sign|bump|pin"
    r"|touch|edit|modify|delete|remove|refactor|rename|install|log|document|comment|review|assign"
    r"|draft|start|end|begin|give|make|do|read|look"
    r"|grep|search|confirm|wait|suggest|propose|assume|guess|send|translate|spell|capitali[sz]e|call"
    r"|go|stick|default|treat|reach|hand|talk|speak"
    r"|post|print|sort|list|set|take|turn|cite|state|say|spell|double[ -]check|verify|lint|build"
    r"|generate|limit|stay|have|get|let|try|bring|follow"
    r"|reuse|copy|hard ?code|bundle|stage|stash|amend|force[ -]push|cherry[ -]pick|restart|kill|drop"
    r"|prefix|label|number|indent|type|store|save"
    r"|spin|benchmark|profile|estimate|plan|break|separate|move|fix|change|switch|avoid|round|report"
    r"|import|export|declare|define|order|batch|dry[ -]run)"
)
HABITUAL = (  # "when you open a PR link the ticket"
    r"(?:when(?:ever)?|if|before|after|every time|any ?time|each time) (?:you|u)(?:re)? (?!get\b|see\b"
    r"|look\b|have\b|said\b|did\b|ran\b|run it\b)"
    r"(?!.*,\s*(?:it|they|the|there|i|this|that|you|nothing)\b)"
    r"|(?:when|if|before|after) we [^,]{3,50} (?:always|never|please|dont|do not|make sure)\s"
    r"|(?:in|for|with|on) [^,]{3,40} i (?:want|need|expect|prefer)\b"
)
ORDER = (
    r"(?:always|never(?! \w+[^su\W]s\b))(?= (?!(?:done|used|seen|been|had|worked|heard|tried"
    r"|touched|shipped|written|at|on"
    r"|in|the|a|an|knew|got|did|was|thought|again|\w+ed)\b)\w)"
)
NEEDS = (
    r"(?:dont(?: ever)?|do not|please|only"
    r"|hands off|no(?! (?:exceptions?|idea|worries|problem|need|way|clue|rush|hurry|luck|longer|one|wonder|doubt"
    r"|matter)\b)"
    r"|not(?! (?:worth|sure|yet|now|bad|really|that|quite|too|so|again|a|much|only|even|everything)\b)|less|fewer"
    r"|stop|quit|avoid|make sure(?: to| you)?"
    r"|be sure to|try (?:to|not to)"
    r"|lets(?: always| not| never)?|better to|prefer|favou?r|you (?:should|must|need to|have to|can"
    r"|may|shouldnt|mustnt|cant|dont need to|never|always)"
    r"|id (?:like|love) (?:you to|it if you)"
    r"|we (?:always|never|dont|do not|only|should always|should never)|i (?:always |do |really |just "
    r"|only )?(?:want|need|expect|like)(?: you to| to see| it when you)?)"
)
HAPPENS = (  # after a noun that is spelled like a verb: "test always fails"
    r"(?:is|was|are|were|broke|breaks|died|dies|crashe[ds]|hung|stopped|fails?|failed|has|had|always|never|still"
    r"|keeps?|takes?|works?|hangs?"
    r"|pass(?:es|ed)?|runs|ran|just|only(?! (?:the|in|for|when|on|from|with|what)\b)|does|doesnt|didnt"
    r"|cant|isnt|now|times?|seems?|should|will|would|goes|went|gets?|got|looks|reports|says)"
)
TALKING = (  # what an agent does of its own accord; nobody asks a program for it
    r"(?:adding|pasting|writing|putting|committing|pushing|merging|asking|explaining|including|reformatting|mocking"
    r"|mentioning|quoting|replying|answering|summari[sz]ing|recapping|repeating|bumping|touching|editing|refactoring"
    r"|renaming|documenting|commenting|guessing|assuming|suggesting|proposing|apologi[sz]ing|saying|telling|dumping"
    r"|spitting|rewriting|reordering|inventing|sprinkling|hardcoding|narrating|restating|echoing|padding|sneaking"
    r"|throwing|flattering|praising|lecturing|thanking|hedging|over-?engineering|abbreviating|shortening"
    r"|force[ -]pushing|squashing|amending)"
)
WORKING = (  # what programs do too
    r"(?:using|showing|naming|formatting|stubbing|testing|opening|creating|branching|tagging|linking|splitting"
    r"|grouping|wrapping|signing|modifying|deleting|removing|installing|sending|translating|giving|making|doing"
    r"|printing|starting|ending|leaving|running|generating|calling|listing|importing|disabling|silencing|trying)"
)
CRAFT = (
    r"(?:commits?|(?:force-)?push(?:ing)? (?:to|onto)"
    r"|commit messages?|prs?|pull requests?|merge requests?|mrs?|pr descriptions?"
    r"|descriptions?|branch(?:es)?|branch names?|comments?"
    r"|docstrings?|tests?|test names?|unit tests?|integration tests?|fixtures?|mocks?|logs?"
    r"|log (?:lines|messages)|repl(?:y|ies)|answers?"
    r"|explanations?|summar(?:y|ies)|diffs?|snippets?|hunks?|patch(?:es)?|imports?|migrations?"
    r"|quer(?:y|ies)|docs|changelogs?|release notes"
    r"|type hints?|annotations?|error messages?|variable names?|identifiers?|emojis?|tables"
    r"|bullet(?: point)?s|dependenc(?:y|ies)|deps|packages"
    r"|scripts?|refactor(?:s|ings?)?|formatting|lint(?:er)?|whole files?|entire files?|full files?"
    r"|code blocks?|screenshots?|stack ?traces?"
    r"|todos?|print statements|timestamps|schema changes?|config(?:s| files)?|deploys?|releases?"
    r"|todo list|titles?|subject lines?|plans?|reviews?|benchmarks?|abbreviations?)"
)
PERSONISH = (
    r"(?!(?:i|it|this|that|which|who|he|she|we|they|you|there|what|code|one|nobody|everyone|everything"
    r"|something)\b)[a-z][\w-]*"
)
TOOL = (
    r"(?:linear|jira|notion|confluence|grafana|datadog|slack|sentry|pagerduty|figma|google (?:docs?"
    r"|drive|sheets?|calendar)|gdocs?|gdrive|gsheets?"
    r"|sharepoint|airtable|trello|asana|zendesk|miro|looker|metabase|kibana|splunk|honeycomb"
    r"|new ?relic|statuspage|ms teams|teams channel|discord"
    r"|youtrack|clickup|monday\.com|basecamp|dropbox|onedrive|tableau|superset|amplitude|mixpanel"
    r"|posthog|bugsnag|rollbar|opsgenie|intercom"
    r"|salesforce|hubspot|bugzilla|redmine|phabricator|launchdarkly|backstage|coda|gitbook|mattermost"
    r"|zulip|mailing list|wiki|intranet"
    r"|1password|vault|artifactory|jenkins|argocd|prometheus|jaeger|lokalise|crowdin|contentful"
    r"|storybook|swagger ?hub|stoplight|shortcut"
    r"|freshdesk|servicenow|productboard|aha|loom|whimsical|lucidchart|excalidraw|evernote"
    r"|obsidian vault|shared drive|team drive|company calendar"
    r"|(?<=in )(?:the |our )?[#\w-]+ channel|(?:shared|team|group|common) (?:inbox|mailbox|calendar"
    r"|drive|folder|album|notebook|vault|board|doc|disk)|spreadsheet|google sheet)"
)
