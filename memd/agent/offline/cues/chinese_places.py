"""How people say where things are, in Chinese: lower case, half width (",")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.tables import Places, anywhere

_IDENTIFIER = r"[a-z0-9]+(?:[-_.][a-z0-9]+)+"  # a name as machines have them
_CONTAINER = (
    r"(?:项目|空间|群|频道|文件夹|共享夹|目录|桶|仓库?|看板|面板|大盘|表格?|文档"
    r"|知识库|页面?|收藏夹|相册|日历|索引|工作区|盘)"
)

PLACES = Places(
    place=anywhere(
        (
            r"飞书|语雀|钉钉|企微|企业微信|禅道|石墨|腾讯文档|金山文档|多维表格|蓝湖|墨刀|即时设计|云效"
            r"|阿里云|腾讯云|华为云|微信群|qq群|共享盘|共享文件夹|网盘|邮件组|公告栏|公司内网|内网"
            r"|知识库|在线表格|共享表格|值班群|项目群|\S{1,8}群(?:里|的)?(?:公告|置顶|文件)|神策|友盟"
            r"|夜莺|易企秀|百度网盘|坚果云|\S{1,10}频道|台账"
        ),
        (
            r"(?<![a-z0-9_])(?:tapd|jira|confluence|notion|wps|mastergo|figma|grafana|sentry|kibana|gitlab|teambition"
            r"|slack|nas|sls|arms|skywalking|prometheus|datadog|linear|wiki|oa|pagerduty|metabase"
            r"|superset|bugly|jenkins|harbor|nexus|yapi|apifox|swagger|showdoc|zabbix|worktile|pingcode"
            r"|draw\.io|processon|airtable|trello|asana)(?![a-z0-9_])"
        ),
    ),
    resource=anywhere(
        r"仓库|桶|样本|目录|标准|细则|配置|字典|镜像|发布包|合同|语料|数据集|图纸|模板|素材|档案|相册|真实的|录音|底稿|面板|看板|大盘|仪表盘|文档|wiki|手册|预案|表格|登记|频道|需求|设计稿"
        r"|原型|日历|排期|值班表?"
        r"|工单|缺陷|bug|日志|监控|报警|告警|链路|复盘|纪要|规范|台账|清单|知识库|空间|项目|问题|反馈|单子|申请|审批|流程|地址|资料|数据|指标|报表|曲线|图|密钥|权限"
        r"|词表|术语表|文案|翻译|素材|切图|接口|方案|记录|计划|路线图|合同|发票|用例|checklist|runbook|排班|周报|变更|故障|事故|投诉|待办|任务|排障|名单|口径"
        r"|埋点|约定|评审|客诉"
    ),
    pointer=anywhere(
        r"(?:在|去|到|上)[^,。?]{0,24}(?:里|上|看|登|查|找|提|记|维护|下面|那边|填|开|走|报|搜|翻|领|申请|置顶|中|的)",
        r"(?:都|统一|全|一般|专门)?(?:在|记|放|挂|登|存|写|贴|收|建|传|提|走|报|维护|沉淀|发)(?:在|到|进|于)",
        r"(?:在|到|去|是|走|上|发在|发到)(?=\s*(?:飞书|语雀|钉钉|企|禅道|tapd|蓝湖|墨刀|wiki|共享|知识库|[a-z]))",
        r"在[^,。?]{1,12}后台",
        r"为准|地址是|链接是|入口是|网址|是|见|走|放|都在|看",
    ),
    kept_at=anywhere(
        r"(?:在|到|去|进|走|收在|归在|沉淀在|汇总在|放在|挂在|记在|登在|发在|传到|提到|存在|统一在|统一发在|都在|维护在|登记在)\s*(?:公司的?|我们的?|内部的?|这个)?(?:飞书|语雀|钉钉"
        r"|企微|企业微信|禅道|tapd|jira|confluence|notion|石墨|腾讯文档|金山文档|多维表格|蓝湖|墨刀|figma|grafana|sentry|kibana"
        r"|teambition|云效|共享(?:表格|文件夹|盘|文档)|知识库|yapi|apifox|metabase|网盘|nas|夜莺|wiki|worktile|pingcode"
        r"|linear)(?![a-z])"
    ),
    people=re.compile(r"(?!)"),  # in the lists above
    proper=re.compile(
        r"(?:空间|群|共享夹|文件夹|看板|面板|频道|知识库|微盘|大盘|日历|收藏夹|项目组)(?:名字?|的名字)?(?:就?叫做?|名叫|名为)\s*[「《“\"']?[\w·.-]{2,}"
        rf"|(?<!现)在[^,，。?？]{{0,14}}?(?:{_IDENTIFIER}|[「《“][^」》”]{{2,24}}[」》”])\s*(?:的|这个|那个|这张|那张|底下的?)?\s*{_CONTAINER}"
        rf"|(?:飞书|语雀|钉钉|石墨|禅道|企微|wiki|tapd|notion)\s*[「《“][^」》”]{{2,24}}[」》”][^,，。?？]{{0,6}}(?:里|上|中)?(?:有|是|放|写)"
        rf"|(?<!现)在[^,，。?？]{{0,12}}{_CONTAINER}\s*(?:的|里的|上的|[:：])?\s*[「《“][^」》”]{{2,24}}[」》”]"
    ),
    led_to=re.compile(r""),  # no telling
    hands_over=anywhere(
        (
            r"(?:看|读|打开|访问|抓|爬|下载|试|连|调|请求|curl|总结|翻译|照着|参考|实现|对比)(?:下|一下|看|这个|看看)?\s*(?:这个|这篇|这条|那个|issue|pr"
            r"|链接|报错)"
        ),
        r"(?:帮|给)我(?:看|抓|下载|打开)|我(?:刚刚?|已经?|昨天|之前)?在[^,。]{1,10}?(?:问|查|看|搜|翻|找|试)(?:了|过|到)|我(?:正|现)?在(?:调|写|用|看|连|查|接"
        r"|做|改|试|爬)",
        r"临时|暂时|先用|今天(?:先)?|测试一下|这次",
        r"(?:返回|响应|报(?:错(?![都在的信码记])|了)|连不上|超时|打不开|\d{3}了|挂了|(?:很|太|好|变|特别)慢)",
        r"(?:方案|写法|办法)(?:靠谱|行|对|可行)",
    ),
    orders=re.compile(
        r"^(?:请|帮我|麻烦|那|好的?,?|再)?把|[加建开拉](?:个|一?个)|新建|创建|有问题|打不开|收不到|进不去|报错(?![都在的信码记])|(?<![\w./])(?:src|lib|docs"
        r"|tests?|app|pkg"
        r"|config)/\S"
    ),
)
