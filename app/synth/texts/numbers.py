"""Numbers that identify: records, visits, people, devices; phones, addresses in networks, accounts and sums."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.scenes.words import latin
from deidra.app.synth.texts.draw import Draw, Name
from deidra.app.synth.texts.names import Maker

_MAILS = ("example.org", "example.com", "mail.example.net", "example.net", "post.example.org", "web.example.com")
_EXTENSIONS = (" x~##", " ext. ~###", " ext ~##", "x~###", " Ext. ~##")
_MONEY = ("$", "$", "USD ", "£", "€", "EUR ")


def _phone(draw: Draw) -> str:
    text = draw.digits(draw.one(draw.locale.phone))
    if draw.locale.name == "en_US" and draw.chance(0.12):
        text += draw.digits(draw.one(_EXTENSIONS))
    return text


def _pager(draw: Draw) -> str:
    return draw.digits(draw.one(("~####", "~###", "~##-####", "~##-~##-####", "#~###")))


def _ssn(draw: Draw) -> str:
    area = draw.rng.choice((draw.rng.randint(1, 665), draw.rng.randint(667, 899)))
    group, serial = draw.rng.randint(1, 99), draw.rng.randint(1, 9999)
    mark = draw.one(("-", "-", "-", "-", " ", ""))
    return f"{area:03d}{mark}{group:02d}{mark}{serial:04d}"


def ascii_word(text: str) -> str:
    """``text`` in the letters of user names and hosts."""
    return "".join(letter for letter in latin(text).lower() if letter.isalnum()) or "user"


def _local(draw: Draw, name: Name) -> str:
    given, family = ascii_word(name.given), ascii_word(name.family)
    forms = (f"{given}.{family}", f"{given[0]}{family}", f"{family}{draw.rng.randint(1, 99)}", f"{given}_{family}")
    return draw.one((*forms, f"{family}.{given}", f"{given}{draw.rng.randint(1950, 2005)}"))


def _email(draw: Draw, name: Name, hosts: tuple[str, ...] = _MAILS) -> str:
    return f"{_local(draw, name)}@{draw.one(hosts)}"


def _hospital_mail(draw: Draw) -> str:
    host = ascii_word(draw.one(draw.pool.values["hospital_stems"]))
    return _email(draw, draw.name(), (f"{host}.example.org", f"{host}-health.example.com", f"{host}.example.edu"))


def _url(draw: Draw) -> str:
    host = ascii_word(draw.one(draw.pool.values["hospital_stems" if draw.chance(0.5) else "employer_stems"]))
    base = draw.one(("https://", "http://", "www.", "https://www.")) + f"{host}.{draw.one(('org', 'com', 'net', 'de'))}"
    turn = draw.rng.random()
    if turn < 0.4:
        return base
    page = draw.one(draw.pool.values["webs"])
    return f"{base}/{page}" if turn < 0.6 else f"{base}/{page}/{_local(draw, draw.patient)}"


def _ip(draw: Draw) -> str:
    first = draw.one((10, 192, 172, draw.rng.randint(11, 223)))
    rest = [{192: 168, 172: 16}.get(first, draw.rng.randrange(256)), draw.rng.randrange(256), draw.rng.randint(1, 254)]
    return ".".join(str(number) for number in (first, *rest))


def _mac(draw: Draw) -> str:
    return draw.one((":", "-")).join(f"{draw.rng.randrange(256):02X}" for _ in range(6))


def _uid(draw: Draw) -> str:
    root = draw.one(
        ("1.2.840.113619.2", "1.3.12.2.1107.5.2", "1.2.276.0.7230010.3", "1.2.392.200036.9116", "2.16.840.1")
    )
    if draw.chance(0.15):
        return f"2.25.{draw.rng.getrandbits(124)}"
    return root + "".join(
        f".{draw.rng.randint(1, 10 ** draw.rng.randint(1, 9))}" for _ in range(draw.rng.randint(3, 6))
    )


def _card(draw: Draw) -> str:
    body = [
        int(d)
        for d in draw.digits(draw.one(("4##############", "5~#############", "6011###########", "37############")))
    ]
    doubled = [d if place % 2 else d * 2 - 9 * (d > 4) for place, d in enumerate(reversed(body))]
    number = "".join(map(str, [*body, -sum(doubled) % 10]))
    if draw.chance(0.15):
        return draw.one(("XXXX-XXXX-XXXX-", "**** **** **** ", "xxxxxxxxxxxx")) + number[-4:]
    mark = draw.one((" ", " ", "-", ""))
    cuts = (0, 4, 10, 15) if len(number) == 15 else (0, 4, 8, 12, 16)
    return mark.join(number[a:b] for a, b in pairwise(cuts) if number[a:b])


def _money(draw: Draw) -> str:
    whole = draw.rng.randint(4, 10 ** draw.rng.randint(2, 6))
    text = f"{whole:,}" + (f".{draw.rng.randrange(100):02d}" if draw.chance(0.75) else "")
    return draw.one(_MONEY) + text if draw.chance(0.9) else f"{text} {draw.one(('USD', 'EUR', 'GBP'))}"


def _iban(draw: Draw) -> str:
    body = draw.digits(
        draw.one(
            (
                "DE##################",
                "FR############~######@####",
                "GB##@@@@##############",
                "ES######################",
                "NL##@@@@##########",
                "CH###################",
            )
        )
    )
    return body if draw.chance(0.4) else " ".join(body[n : n + 4] for n in range(0, len(body), 4))


def _expiry(draw: Draw) -> str:
    month, year = draw.rng.randint(1, 12), draw.rng.randint(24, 36)
    return draw.one((f"{month:02d}/{year}", f"{month:02d}/20{year}", f"{month:02d}-{year}"))


def _vin(draw: Draw) -> str:
    return "".join(draw.one("ABCDEFGHJKLMNPRSTUVWXYZ0123456789") for _ in range(17))


def _of(kind: EntityType, write: Callable[[Draw], str]) -> Maker:
    return lambda draw: [Phi(write(draw), kind)]


def _form(kind: EntityType, forms: str) -> Maker:
    return lambda draw: [Phi(draw.value(forms), kind)]


def _pattern(kind: EntityType, *patterns: str) -> Maker:
    return lambda draw: [Phi(draw.digits(draw.one(patterns)), kind)]


_OTHER, _PRIVATE, _FINANCE = EntityType.ID_OTHER, EntityType.OTHERPHI, EntityType.FINANCE

SLOTS: dict[str, Maker] = {
    "mrn": _form(EntityType.ID_MRN, "mrn_forms"),
    "mrnd": _pattern(EntityType.ID_MRN, "~#####", "~######", "~#######", "00~#####", "~##-##-##"),
    "mrnp": _pattern(
        EntityType.ID_MRN, "MRN~######", "MRN-~#####", "MRN_~######", "PAT~#####", "PID~######", "PT~#####"
    ),
    "acc": _form(_OTHER, "accession_forms"),
    "accd": _pattern(_OTHER, "~######", "~#######", "~#########", "~##-~####"),
    "accp": _pattern(_OTHER, "ACC~######", "ACC-~######", "ACC_~#####", "ACCN~#####", "RAD~#####", "A~#######"),
    "oid": _form(_OTHER, "other_id_forms"),
    "nat": _form(_OTHER, "national_ids"),
    "nhs": _pattern(_OTHER, "4## ### ####", "6##-###-####", "4#########"),
    "passport": _form(_OTHER, "passports"),
    "licence": _pattern(
        _OTHER, "@~#######", "@###-####-####", "~########", "@@@@@#######@@#@@", "DL~######", "@~###-#####-#####"
    ),
    "npi": _pattern(_OTHER, "1#########"),
    "dea": _pattern(_OTHER, "A@#######", "B@#######", "M@#######"),
    "sid": _pattern(_OTHER, "~###", "~##", "~####", "S~###", "E~####", "ST~####"),
    "uid": _of(_OTHER, _uid),
    "unit": _pattern(
        _OTHER, "MRC~####", "CTAWP~####", "AWP~####", "HOST-~#####", "CT~#OC0", "MR~####", "WS-~##@@", "RAD~##@"
    ),
    "ssn": _of(EntityType.ID_SSN, _ssn),
    "ssn4": _pattern(EntityType.ID_SSN, "####", "####", "xxx-xx-####", "***-**-####"),
    "hphone": _of(EntityType.PHONE_HOME, _phone),
    "phone": _of(EntityType.PHONE_OTHER, _phone),
    "pager": _of(EntityType.PHONE_OTHER, _pager),
    "ext": _pattern(EntityType.PHONE_OTHER, "~###", "~####", "~##"),
    "ptmail": _of(EntityType.EMAIL, lambda d: _email(d, d.patient)),
    "mail": _of(EntityType.EMAIL, lambda d: _email(d, d.name())),
    "hmail": _of(EntityType.EMAIL, _hospital_mail),
    "url": _of(_PRIVATE, _url),
    "ip": _of(_PRIVATE, _ip),
    "mac": _of(_PRIVATE, _mac),
    "serial": _form(_PRIVATE, "serials"),
    "vin": _of(_PRIVATE, _vin),
    "plate": _form(_PRIVATE, "plates"),
    "user": _of(_PRIVATE, lambda d: _local(d, d.patient)),
    "card": _of(_FINANCE, _card),
    "cvv": _pattern(_FINANCE, "###", "###", "####"),
    "expiry": _of(_FINANCE, _expiry),
    "iban": _of(_FINANCE, _iban),
    "acct": _pattern(
        _FINANCE, "~########", "~#########", "00~#######", "****####", "~###-~#####-~", "~###########", "xxxxxx####"
    ),
    "routing": _pattern(_FINANCE, "0########", "1########", "2########", "~#-~#-~#"),
    "money": _of(_FINANCE, _money),
}
