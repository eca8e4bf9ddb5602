"""The calls of public data and graphs whose answers the API document shows."""

from __future__ import annotations

from functools import partial

from databrowser.dimensions.catalogue import BY_PARAMETER
from databrowser.publication.layout import SERVING
from tests.flow.filer import Filer, lar
from tests.flow.publishing import published
from tests.flow.recording import LEI, OTHER_LEI, UNKNOWN_LEI, Recording

YEAR, ROWS = "2023", 3
ACCEPTED, UNAVAILABLE = 202, 503
MODIFIED_LAR = f"/v2/public/modifiedLAR/{YEAR}/{LEI}"
OLDER_ADDRESS = f"/file/modifiedLar/year/{YEAR}/institution/{LEI}"
BROWSER = "/v2/data-browser-api"
GRAPHS = "/quarterly-data/graphs"
# One line for each record of the graphs: quarter, loan type, and how many there are.
FACTS = ((1, 1, 120), (2, 1, 110), (1, 2, 105), (2, 2, 40))
_FILES = ("", "/sheets.csv", "/sheets.txt", "/manifest.json", "/loans.xlsx", "/states/XX.parquet")
PUBLISHED = {
    "/v2/public/publications": ("", "?page=x"),
    "/v2/public/publications/2017": ("", "/manifest.json"),
    f"/v2/public/publications/{YEAR}": (
        *("", f"?version={YEAR}-99", "/manifest.json", "/loans.xlsx", "/states/XX.parquet"),
    ),
    "/v2/public/publications/2017/states": ("/MD.parquet",),
    "/v2/public/datasets": ("",),
    f"/v2/public/datasets/{YEAR}/dynamic": _FILES,
    f"/v2/public/datasets/{YEAR}/snapshot": ("", "/states/MD.parquet"),
    "/v2/public/variables": (f"/{YEAR}", "/2017"),
    "{permanent}": _FILES,
    f"/v2/public/versions/{YEAR}-9-{'0' * 12}": ("", "/loans.parquet", "/states/MD.parquet"),
    "/v2/public/changes": ("", "?type=news", "?since=soon", ".atom?type=news", ".atom?since=soon"),
    "/v2/public/modifiedLAR": ("", "?date=soon", "?year=2017"),
    f"/v2/reporting/filers/{YEAR}": ("", f"/{LEI}/msaMds"),
    "/v2/reporting/filers/2017": ("", f"/{LEI}/msaMds"),
    f"/v2/reporting/filers/{YEAR}/{UNKNOWN_LEI}": ("/msaMds",),
    "/v2/public/season": ("",),  # by default no site shows it
}
_HEADER = (
    "activity_year,quarter,lei,in_scope,action_taken,loan_type,loan_purpose,lien_status,"
    "open_end_line_of_credit,conforming_loan_limit,borrower_group,applicant_credit_score,"
    "combined_loan_to_value_ratio,debt_to_income_ratio,interest_rate,total_loan_costs\n"
)


def record(recording: Recording, token: str) -> None:
    """Record all operations on public data: first the graphs, which filings would change."""
    graphs(recording)
    sign(recording, token)
    modified_lars(recording)
    register_summaries(recording, token)
    recording.service.manage("publish", YEAR)
    publications(recording)
    data_browser(recording)
    differences(recording)
    withdrawn(recording)
    reports(recording)


def graphs(recording: Recording) -> None:
    """Record the graphs before and after facts are loaded."""
    call = partial(recording.call, "GET")
    call(f"{GRAPHS}/applications", "Nothing yet")
    facts = recording.service.data_dir / "facts.csv"
    facts.write_text(
        _HEADER
        + "".join(
            f"2024,{quarter},{LEI},true,1,{loan_type},1,1,2,C,,720,80,36,6.5,4000\n" * count
            for quarter, loan_type, count in FACTS
        )
    )
    recording.service.manage("load_graph_facts", str(facts), "--quarterly")
    recording.get_until(f"{GRAPHS}/applications", lambda answer: answer.json()["series"])
    call(f"{GRAPHS}/applications", "Figures")
    call(GRAPHS, "The first graphs", first=3)
    for path in (GRAPHS, f"{GRAPHS}/applications"):
        call(f"{path}?version=new")
        call(f"{path}?version=99")
    call(f"{GRAPHS}/xyz")


def sign(recording: Recording, token: str) -> None:
    """File the few records that are published."""
    recording.service.tokens[LEI] = token
    with Filer.of(recording.service, YEAR, LEI) as filer:
        state = filer.file(lar(filer, rows=ROWS))
        for kind in ("quality", "macro"):
            filer.verify(kind)
        signature = filer.sign()
        assert signature.status_code == 200, (state, signature.text)


def modified_lars(recording: Recording) -> None:
    published(recording.service, MODIFIED_LAR)
    call = partial(recording.call, "GET")
    addresses = {
        MODIFIED_LAR: ("",),
        f"{MODIFIED_LAR}/header": ("",),
        f"{MODIFIED_LAR}/{{form}}": ("txt", "csv"),
        f"{MODIFIED_LAR}/{{form}}/header": ("txt", "csv"),
        f"{OLDER_ADDRESS}/{{form}}": ("txt", "csv"),
        f"{OLDER_ADDRESS}/{{form}}/header": ("txt", "csv"),
    }
    for template, forms in addresses.items():
        for form in forms:
            call(template.format(form=form), {"csv": "CSV"}.get(form, "Text"))
        path = template.format(form="txt")
        call(path.replace(YEAR, "2017"))
        call(path.replace(LEI, OTHER_LEI))
    call("/v2/public/modifiedLAR/dictionary")
    call("/v2/public/modifiedLAR/dictionary/csv")


def register_summaries(recording: Recording, token: str) -> None:
    path = f"/v2/public/reports/{YEAR}/disclosure/{LEI}/nationwide/IRS"
    older = f"/file/reports/irs/year/{YEAR}/institution/{LEI}"
    for address in (path, f"{path}/csv", older):
        recording.call("GET", address, token=token)
        recording.call("GET", address)
        recording.call("GET", address.replace(LEI, OTHER_LEI), token=token)
        recording.call("GET", address.replace(YEAR, "2019"), token=token)


def publications(recording: Recording) -> None:
    """Record what is public of a year, of a data set, and of a version."""
    permanent = find_permanent_address(recording)
    for start, endings in PUBLISHED.items():
        for ending in endings:
            recording.call("GET", f"{start.format(permanent=permanent)}{ending}")
    recording.call("GET", "/v2/public/data.json", "The first data sets", first=2)


def find_permanent_address(recording: Recording) -> str:
    """Return the permanent address of the first version."""
    answer = recording.get_until("/v2/public/publications", lambda answer: answer.is_success)
    return str(answer.json()["publications"][-1]["permanent"])


def data_browser(recording: Recording) -> None:
    call = partial(recording.call, "GET")
    call(f"{BROWSER}/health")
    placed, nationwide = f"years={YEAR}&leis={LEI}", f"years={YEAR}"
    groups = "actions_taken=1,3&sexes=Male,Female"
    call(f"{BROWSER}/view/aggregations?{placed}&{groups}")
    call(f"{BROWSER}/view/nationwide/aggregations?{nationwide}&actions_taken=1,3")
    call(f"{BROWSER}/view/count?{placed}")
    call(f"{BROWSER}/view/filers?{nationwide}")
    call(f"{BROWSER}/view/figures?{nationwide}&measure=loan_amount&by=states,actions_taken")
    call(f"{BROWSER}/view/figures/csv?{nationwide}&by=states,actions_taken")
    for form in ("csv", "pipe"):
        call(f"{BROWSER}/view/{form}?{placed}&actions_taken=1")
        call(f"{BROWSER}/view/nationwide/{form}?{nationwide}&actions_taken=1")
    refused_queries(recording)
    serving = next(recording.service.data_dir.rglob(SERVING))
    away = serving.rename(serving.with_suffix(".away"))
    call(f"{BROWSER}/health", "Unavailable")
    away.rename(serving)


def differences(recording: Recording) -> None:
    """Record what changed once an imported file adds records to the year."""
    call, path = partial(recording.call, "GET"), f"/v2/public/publications/{YEAR}/differences"
    call(path, "The first version")
    for address, rows in ((path, 2), (f"{path}/csv", 3)):
        file = recording.service.data_dir / f"{rows}-imported.csv"
        made = ("make_public_lar", "--rows", str(rows), "--years", YEAR, "--out", str(file))
        recording.service.manage(*made)
        recording.service.manage("load_public_lar", str(file))
        recording.service.manage("publish", YEAR)
        call(address, "Being compared")
        recording.get_until(address, lambda answer: answer.status_code != ACCEPTED)
        call(address, "Differences")
        call(f"{address}?from={YEAR}-2&to={YEAR}-1")
        call(f"{address}?from={YEAR}-9")
        call(address.replace(YEAR, "2017"))


def reports(recording: Recording) -> None:
    """Record the yearly reports of a snapshot, of the records that were imported."""
    path = "/v2/public/reports"
    recording.service.manage("publish", YEAR, "--dataset", "snapshot")
    call, aggregate = partial(recording.call, "GET"), f"{path}/{YEAR}/aggregate"
    places = recording.get_until(aggregate, lambda answer: answer.status_code != UNAVAILABLE)
    msa_md = places.json()["msaMds"][0]["id"]
    listed = recording.get_until(f"{aggregate}/{msa_md}/i", lambda answer: answer.is_success)
    (lei,) = listed.json()["institutions"]  # it has no name
    disclosure = f"{path}/{YEAR}/disclosure/{lei}"
    call(path)
    call(f"{path}/2017/all.zip")
    for address in (aggregate, f"{aggregate}/{msa_md}", disclosure):
        call(address)
        call(address.replace(YEAR, "2017"))
    call(f"{aggregate}/10100")
    call(disclosure.replace(lei, UNKNOWN_LEI))
    of_one = f"{disclosure}/{msa_md}"
    older = (
        f"/reports/aggregate/{YEAR}/{msa_md}",
        f"/reports/disclosure/{YEAR}/{lei}/{msa_md}",
    )
    for code in ("1", "3", "5", "9", "i"):  # 2 and 4 have the shapes of 1 and 3
        call(f"{aggregate}/{msa_md}/{code}", f"Report {code}", first=1)
    call(f"{of_one}/1", "Report 1", first=1)
    for address, ending in (
        *((f"{aggregate}/{msa_md}", ending) for ending in ("", "/csv")),
        *((of_one, ending) for ending in ("", "/csv")),
        *((each, ".json") for each in older),
    ):
        if ending:
            call(f"{address}/2{ending}", "Report 2", first=2)
        call(f"{address}/8{ending}")
        call(f"{address.replace(YEAR, '2017')}/2{ending}")
        call(f"{address.replace(msa_md, '10100')}/2{ending}")
        if lei in address:
            call(f"{address.replace(lei, UNKNOWN_LEI)}/2{ending}")


def withdrawn(recording: Recording) -> None:
    """Record the answers of a year that staff withdrew."""
    recording.service.manage("withdraw", YEAR, "--reason", "A file has to be corrected.")
    permanent = find_permanent_address(recording)
    for file in ("", "/manifest.json", "/states/MD.parquet"):
        recording.call("GET", f"{permanent}{file}")
        recording.call("GET", f"/v2/public/publications/{YEAR}{file}?version={YEAR}-1")
    placed, nationwide = f"years={YEAR}&leis={LEI}", f"years={YEAR}"
    for view in ("aggregations", "csv", "pipe", "parquet"):
        recording.call("GET", f"{BROWSER}/view/{view}?{placed}&actions_taken=1")
        recording.call("GET", f"{BROWSER}/view/nationwide/{view}?{nationwide}&actions_taken=1")
    recording.call("GET", f"{BROWSER}/view/count?{placed}")
    for view in ("filers", "figures", "figures/csv", "figures/parquet"):
        recording.call("GET", f"{BROWSER}/view/{view}?{nationwide}")


def refused_queries(recording: Recording) -> None:
    every_value = "&".join(
        f"{name}={','.join(BY_PARAMETER[name].values)}"
        for name in (
            "actions_taken",
            "loan_types",
            "races",
            "ethnicities",
            "sexes",
            "lien_statuses",
        )
    )
    years, place, filtered = f"years={YEAR}", f"leis={LEI}", "actions_taken=1"
    anywhere = (
        filtered,
        f"years=2017&{place}&{filtered}",
        f"{years}&{place}",
        f"{years}&{place}&races=Martian",
    )
    placed = (f"{years}&states=XX&{filtered}", f"{years}&{filtered}")
    too_many = (f"{years}&{place}&{every_value}",)
    no_figures = tuple(
        f"{years}&{refused}" for refused in ("by=colours", "measure=mean", "by=tracts")
    )
    counted = (*anywhere[:2], *placed, f"{years}&{place}&{filtered}")
    queries = {
        "aggregations": (*anywhere, *placed, *too_many),
        "nationwide/aggregations": (*anywhere, *too_many),
        "count": counted,
        "filers": (*anywhere[:2], placed[0]),
        **dict.fromkeys(("figures", "figures/csv", "figures/parquet"), no_figures),
        **dict.fromkeys(("csv", "pipe", "parquet"), (*anywhere, *placed)),
        **{f"nationwide/{form}": anywhere for form in ("csv", "pipe", "parquet")},
    }
    for path, refused in queries.items():
        for query in refused:
            recording.call("GET", f"{BROWSER}/view/{path}?{query}")
