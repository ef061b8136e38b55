"""Shapes of the tokens that vendors document, as data.

Each shape is an RE2 pattern whose first group is the value to hide. Shapes have no right-hand boundary on purpose:
a longer run is hidden whole. `keywords` (lower case) are a cheap test that has to succeed first.
"""

from __future__ import annotations

from dataclasses import dataclass

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_LEFT = r"(?:\b|\\[nrt]|_)"  # a word's start; an escaped line break counts as one


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How one kind of token looks."""

    rule: str
    keywords: tuple[str, ...]
    pattern: str
    distinct: int = 8  # fewer different characters than this is a placeholder


def _shape(rule: str, keywords: str, pattern: str, *, distinct: int = 8) -> Shape:
    return Shape(rule=rule, keywords=tuple(keywords.split()), pattern=pattern, distinct=distinct)


_CLOUDS = (
    _shape(
        "aws-access-key-id",
        "akia asia abia acca a3t",
        _LEFT + r"((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})(?:[^A-Z0-9]|$)",
    ),
    _shape(
        "aws-secret-key",
        "aws",
        r"(?i)aws.{0,20}?(?:key|pwd|pw|pass|password|token).{0,20}?[\"']([A-Za-z0-9/+]{40})[\"']",
        distinct=14,
    ),
    _shape(
        "aws-secret-key",
        "secret",
        r"(?i)(?:secret_?-?access_?-?key|aws[_ -]?secret(?:[_ -]?key)?)[\W_]{1,8}(?:is\W{1,3})?([A-Za-z0-9/+]{40})",
        distinct=14,
    ),
    _shape("aws-session-token", "session", r"(?i)session_?token[\W_]{1,6}([A-Za-z0-9/+=]{100,})"),
    _shape("aws-bedrock-key", "absk", _LEFT + r"(ABSK[A-Za-z0-9+/]{40,}=*)"),
    _shape("gcp-api-key", "aiza", r"(AIza[A-Za-z0-9_-]{35,})"),
    _shape("google-oauth-secret", "gocspx-", r"(GOCSPX-[A-Za-z0-9_-]{24,})"),
    _shape("google-oauth-token", "ya29.", r"(ya29\.[A-Za-z0-9_-]{20,})"),
    _shape("google-refresh-token", "1//0", r"(1//0[A-Za-z0-9_-]{40,})"),
    _shape("azure-storage-key", "accountkey", r"(?i)accountkey[\"' ]*[=:][\"' ]*([A-Za-z0-9+/]{40,}=*)"),
    _shape(
        "azure-shared-access-key", "sharedaccesskey", r"(?i)sharedaccesskey[\"' ]*[=:][\"' ]*([A-Za-z0-9+/]{40,}=*)"
    ),
    _shape("azure-sas-signature", "sig=", r"(?i)[?&]sig=([A-Za-z0-9%+/_-]{40,}=*)"),
    _shape("azure-client-secret", "q~", r"([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,})"),
    _shape("azure-devops-token", "azdo", r"([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})"),
    _shape("digitalocean-token", "_v1_", r"(do[opr]_v1_[a-f0-9]{64})"),
    _shape("alibaba-access-key", "ltai", _LEFT + r"(LTAI[A-Za-z0-9]{12,26})(?:[^A-Za-z0-9]|$)"),
    _shape("tencent-secret-id", "akid", _LEFT + r"(AKID[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)"),
    _shape("cloudflare-origin-ca-key", "v1.0-", r"(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})"),
    _shape("cloudflare-token", "cfk_ cfut_ cfat_", _LEFT + r"(cf(?:k|ut|at)_[A-Za-z0-9_-]{40,})"),
    _shape(
        "cloudant-key",
        "cloudant",
        r"(?i)cloudant[a-z_-]*(?:key|pwd|pw|pass|password|token)[\"']?\s*[:=]+\s*[\"']?([a-z]{24}|[0-9a-f]{64})\b",
    ),
    _shape("cloudant-key", "cloudant.com", r"(?i)://[\w-]+:([a-z]{24}|[0-9a-f]{64})@[\w-]+\.cloudant\.com"),
    _shape("softlayer-key", "api.softlayer.com", r"(?i)api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})"),
    _shape("heroku-key", "hrku-", r"(HRKU-[A-Za-z0-9_-]{30,})"),
    _shape("heroku-key", "heroku", rf"(?i)heroku[a-z_ .-]*(?:key|token)[\"' ]*[:=]+[\"' ]*({_UUID})"),
    _shape("fly-token", "fm2_ fo1_", _LEFT + r"((?:fm2|fo1)_[A-Za-z0-9+/_=-]{40,})"),
    _shape("render-key", "rnd_", _LEFT + r"(rnd_[A-Za-z0-9]{28,})"),
    _shape("supabase-key", "sbp_ sb_secret_", _LEFT + r"((?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}))"),
    _shape("planetscale-token", "pscale_", r"(pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,})"),
    _shape("tailscale-key", "tskey-", r"(tskey-(?:[a-z]+-)?[A-Za-z0-9]+-[A-Za-z0-9]{20,})"),
)

_MODELS = (
    _shape("anthropic-key", "sk-ant-", r"(sk-ant-[A-Za-z0-9_-]{20,})"),
    _shape("openai-key", "sk-", _LEFT + r"(sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,})"),
    _shape("openai-key", "sk-", _LEFT + r"(sk-[A-Za-z0-9]{32,})"),
    _shape("openai-key", "t3blbkfj", _LEFT + r"(sk-[A-Za-z0-9_-]*T3BlbkFJ[A-Za-z0-9]{20,})"),
    _shape("openrouter-key", "sk-or-", r"(sk-or-v1-[a-f0-9]{64})"),
    _shape("huggingface-token", "hf_ api_org_", _LEFT + r"((?:hf|api_org)_[A-Za-z0-9]{30,})"),
    _shape("replicate-token", "r8_", _LEFT + r"(r8_[A-Za-z0-9]{37,})"),
    _shape("groq-key", "gsk_", _LEFT + r"(gsk_[A-Za-z0-9]{48,})"),
    _shape("perplexity-key", "pplx-", _LEFT + r"(pplx-[A-Za-z0-9]{40,})"),
    _shape("xai-key", "xai-", _LEFT + r"(xai-[A-Za-z0-9]{64,})"),
    _shape("langsmith-key", "lsv2_", r"(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})"),
)

_CODE_HOSTS = (
    _shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"(gh[pousr]_[A-Za-z0-9_]{30,})"),
    _shape("github-fine-grained-token", "github_pat_", r"(github_pat_[A-Za-z0-9_]{40,})"),
    _shape(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct-",
        _LEFT + r"(gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_.=-]{20,})",
    ),
    _shape("gitlab-runner-registration-token", "gr1348941", r"(GR1348941[A-Za-z0-9_-]{20,})"),
    _shape("atlassian-token", "att3 ctt3", r"(AT(?:ATT|CTT)3[A-Za-z0-9_=+/-]{50,})"),
    _shape("bitbucket-app-password", "atbb", r"(ATBB[A-Za-z0-9]{28,})"),
    _shape("npm-token", "npm_", _LEFT + r"(npm_[A-Za-z0-9]{36,})"),
    _shape("npm-auth-token", "_authtoken", r"(?i)_authToken\s*=\s*[\"']?([A-Za-z0-9_+/=.-]{16,})"),
    _shape("pypi-token", "pypi-", r"(pypi-[A-Za-z0-9_-]{50,})"),
    _shape("rubygems-key", "rubygems_", r"(rubygems_[a-f0-9]{48})"),
    _shape("crates-token", "cio", _LEFT + r"(cio[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)", distinct=14),
    _shape("nuget-key", "oy2", _LEFT + r"(oy2[a-z0-9]{43})(?:[^A-Za-z0-9]|$)"),
    _shape("docker-hub-token", "dckr_", r"(dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,})"),
    _shape("artifactory-token", "akc cmvmdgtu", _LEFT + r"((?:AKCp|cmVmdGtu)[A-Za-z0-9]{50,}|AKC[A-Za-z0-9]{20,})"),
    _shape("sonar-token", "sqp_ squ_ sqa_", _LEFT + r"(sq[pua]_[a-f0-9]{40})"),
    _shape("buildkite-token", "bkua_", r"(bkua_[a-f0-9]{40})"),
)

_SERVICES = (
    _shape("slack-token", "xox", _LEFT + r"(xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9%-]{10,})", distinct=6),
    _shape("slack-app-token", "xapp-", r"(xapp-[0-9]-[A-Za-z0-9-]{20,})"),
    _shape(
        "slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})"
    ),
    _shape("feishu-webhook", "/bot/v2/hook/", rf"/open-apis/bot/v2/hook/({_UUID})"),
    _shape("dingtalk-webhook", "dingtalk", r"dingtalk\.com/robot/send\?access_token=([a-f0-9]{40,})"),
    _shape("wecom-webhook", "qyapi.weixin", rf"qyapi\.weixin\.qq\.com/[a-z/-]*webhook/send\?key=({_UUID})"),
    _shape("twilio-key", "sk", _LEFT + r"(SK[0-9a-z]{32})(?:[^0-9A-Za-z]|$)"),
    _shape("sendgrid-key", "sg.", _LEFT + r"(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,})"),
    _shape("mailgun-key", "key-", _LEFT + r"(key-[a-f0-9]{32})"),
    _shape("mailgun-key", "mailgun", r"(?i)mailgun.*[^0-9a-f]([a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})"),
    _shape("mailchimp-key", "-us", _LEFT + r"([a-z0-9]{32}-us[0-9]{1,2})"),
    _shape("brevo-key", "xkeysib-", r"(xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})"),
    _shape("stripe-key", "sk_ rk_", _LEFT + r"((?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,})"),
    _shape("stripe-webhook-secret", "whsec_", r"(whsec_[A-Za-z0-9+/=]{24,})"),
    _shape("square-token", "sq0", _LEFT + r"(sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,})"),
    _shape("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})"),
    _shape(
        "discord-bot-token",
        ".",
        _LEFT + r"([MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})",
        distinct=16,
    ),
    _shape("discord-webhook", "/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{40,})"),
    _shape("telegram-bot-token", ":aa", _LEFT + r"([0-9]{8,10}:AA[A-Za-z0-9_-]{32,})"),
    _shape("telegram-bot-token", ":", _LEFT + r"([0-9]{8,10}:[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)", distinct=18),
    _shape("telegram-bot-token", "api.telegram.org/bot", r"api\.telegram\.org/bot([0-9]{8,10}:[A-Za-z0-9_-]{32,})"),
    _shape("linear-key", "lin_", _LEFT + r"(lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,})"),
    _shape("notion-token", "secret_", _LEFT + r"(secret_[A-Za-z0-9]{43})", distinct=14),
    _shape("notion-token", "ntn_", _LEFT + r"(ntn_[A-Za-z0-9]{40,})"),
    _shape("figma-token", "figd_ figo_ figor_ figu_", _LEFT + r"(fig(?:d|o|or|u)_[A-Za-z0-9_-]{36,})"),
    _shape("airtable-token", "pat", _LEFT + r"(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})"),
    _shape("facebook-token", "eaa", _LEFT + r"(EAA[A-Za-z0-9]{80,})"),
)

_OPERATIONS = (
    _shape("databricks-token", "dapi", _LEFT + r"(dapi[a-f0-9]{32}(?:-[0-9])?)"),
    _shape("terraform-token", "atlasv1", r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})"),
    _shape("pulumi-token", "pul-", _LEFT + r"(pul-[a-f0-9]{40})"),
    _shape("postman-key", "pmak-", r"(PMAK-[a-f0-9]{24}-[a-f0-9]{34})"),
    _shape("grafana-token", "glsa_ glc_", _LEFT + r"((?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,}))"),
    _shape("grafana-key", "eyjrijoi", r"(eyJrIjoi[A-Za-z0-9+/=_-]{40,})"),
    _shape("sentry-token", "sntrys_ sntryu_", r"(sntry[su]_[A-Za-z0-9+/=_]{40,})"),
    _shape("new-relic-key", "nrak-", r"(NRAK-[A-Z0-9]{27})"),
    _shape("dynatrace-token", "dt0c01 dt0s01", r"(dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64})"),
    _shape("vault-token", "hvs. hvb. hvr.", _LEFT + r"(hv[sbr]\.[A-Za-z0-9_-]{24,})"),
    _shape("vault-token", "vault", r"(?i)vault_?token[\"' ]*[:=][\"' ]*([sb]\.[A-Za-z0-9]{24,})"),
    _shape("doppler-token", "dp.", _LEFT + r"(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,})"),
    _shape("onepassword-service-token", "ops_eyj", r"(ops_eyJ[A-Za-z0-9+/=_-]{100,})"),
    _shape("onepassword-secret-key", "a3-", _LEFT + r"(A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4})"),
    _shape("prefect-key", "pnu_ pnb_", _LEFT + r"(pn[ub]_[A-Za-z0-9]{36,})"),
    _shape("openshift-token", "sha256~", r"(sha256~[A-Za-z0-9_-]{43})"),
    _shape("age-secret-key", "age-secret-key-", r"(?i)(AGE-SECRET-KEY-1[A-Z0-9]{40,})"),
    _shape("jwt", "eyj", r"(eyJ[A-Za-z0-9_-]{14,}\.eyJ[A-Za-z0-9_-]{14,}\.[A-Za-z0-9_-]{16,})"),
    _shape(  # the body of a private key without its edges: PKCS#1, PKCS#8, SEC1, OpenSSH
        "private-key",
        "ibaak ibadan agea agebb aqeei k2vwbc b3blbnnzac1rzxktdj",
        r"((?:MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AK|DAN)|MI[GH][A-Za-z0-9+/]Ag(?:EA|EBB)|MHcCAQEEI|MC4CAQAwBQYDK2VwBC"
        r"|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{16,}(?:(?:\\n|\s)+(?:\d+\S|[-*>|] ?)?[A-Za-z0-9+/]{24,})*=*)",
    ),
    _shape("putty-private-key", "private-lines:", r"(?i)private-lines: [0-9]+\s+((?:[A-Za-z0-9+/=]{16,}\s*)+)"),
)

SHAPES: tuple[Shape, ...] = _CLOUDS + _MODELS + _CODE_HOSTS + _SERVICES + _OPERATIONS

# Rules that look at the place where a value stands rather than at its shape.
PLACES: tuple[str, ...] = (
    "private-key",
    "url-password",
    "authorization-header",
    "password",
    "credential",
    "command-password",
    "encoded",
    "too-dense",
)

RULES: frozenset[str] = frozenset({shape.rule for shape in SHAPES} | set(PLACES))
