"""Calendar days from milliseconds, for the exports.

>>> date_text(1_700_000_000_000)
'2023-11-14'
"""

from __future__ import annotations

DAY_MS = 86_400_000


def date_text(at_ms: int) -> str:
    """Return the day (UTC) of a time in milliseconds, as YYYY-MM-DD."""
    days, _within = divmod(at_ms, DAY_MS)
    # Counted from 1 March of year 0, so that a leap day is the last of its year.
    era, day_of_era = divmod(days + 719_468, 146_097)
    years = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * years + years // 4 - years // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    year = 400 * era + years + (month >= 10)
    return f"{year:04d}-{month + 3 if month < 10 else month - 9:02d}-{day:02d}"
