"""Parses, formats and checks amounts, which are whole numbers of kobo."""

from __future__ import annotations

import re

from .errors import ArgumentError

AMOUNT_MAX = 2**53 - 1

_naira_form = re.compile(r"₦?([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.([0-9]{1,2}))?")


def naira(text: str) -> int:
    """``naira("1,500.00")`` returns 150000 kobo. It takes text, because 0.29 * 100 is 28.999999999999996."""
    match = _naira_form.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is not None:
        kobo = int(match[1].replace(",", "") + (match[2] or "").ljust(2, "0"))
        if 0 < kobo <= AMOUNT_MAX:
            return kobo
    raise ArgumentError(f'{text!r} is no amount in naira. Write it as "1500.00" or "1,500.00".')


def format_naira(kobo: int) -> str:
    """``format_naira(150000)`` returns ``₦1,500.00``."""
    whole, part = divmod(abs(kobo), 100)
    return f"{'-' if kobo < 0 else ''}₦{whole:,}.{part:02d}"


def check_amount(amount: object) -> None:
    """Raises before the request is sent: the service accepts only whole numbers of the minor unit."""
    if type(amount) is int and 1 <= amount <= AMOUNT_MAX:
        return
    raise ArgumentError(
        f"amount is a whole number of the minor unit, such as kobo, from 1 to {AMOUNT_MAX}, not {amount!r}. "
        'NGN 1,500.00 is 150000: naira("1500.00").'
    )
