"""The made-up institutions hold together."""

from filing.demo import panel
from filing.people import institutions


def test_demo_institutions_have_leis_whose_check_digits_are_right():
    for institution in panel.make_institutions():
        lei = institutions.check_lei(institution["lei"])
        assert int("".join(str(int(letter, 36)) for letter in lei)) % 97 == 1


def test_demo_institutions_would_pass_the_panel_import():
    known = panel.make_institutions()
    assert len({institution["lei"] for institution in known}) == 3
    assert [institution["quarterly_filer"] for institution in known] == [True, False, False]
    for institution in known:
        assert institutions.check_tax_id(institution["tax_id"])
        domains = institutions.check_domains(",".join(institution["email_domains"]))
        assert all(domain.endswith(".example") for domain in domains)
