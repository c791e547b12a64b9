"""Words in the names of columns that say what they are about, and in cells that say nothing is known."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What names or reaches one person, whatever stands beside it.
REACHES = _words("""
    address email mail phone telephone tel mobile fax street passport iban ssn nino bsn mrn nhs ip
    url username login surname firstname lastname fullname forename lat latitude lon lng longitude
    gps uuid guid
""")

#: Which of these numbers a register gives to one person only.
REGISTERED = _words("ssn nino bsn mrn nhs passport")

#: Whose name or number it is.
PEOPLE = _words("""
    account card case client customer driver employee first family full given household insurance
    last license licence maiden member middle national nick participant patient person personal
    policy respondent social staff student subject sur tax user
""")

#: What happened to one person; numbers of it lead to a person, but do not tell people apart.
EVENTS = _words("admission encounter episode event record row stay transaction trip visit")

FREE_TEXT = _words("comment comments note notes remark remarks text")

NUMBERS = _words("id ids identifier key nr no num number")

#: What must not be learnt about a person.
SENSITIVE = _words("""
    disease diagnosis diagnoses illness condition symptom icd treatment therapy drug medication hiv
    disability salary income wage wages pay earnings debt loan credit wealth religion faith
    orientation political party union crime offence offense conviction abuse pregnancy cause
""")

#: What a neighbour, a colleague or a register may know.
QUASI = _words("""
    age sex gender zip zipcode postcode postal plz birth birthday birthdate dob yob born education
    edu degree school marital maritalstatus married civil race ethnicity ethnic country nation
    nationality native citizenship citizen language city town municipality county state region
    district province place residence occupation job profession industry workclass employer
    employment children siblings height weight
""")

#: Codes whose beginnings mean larger places.
CODES = _words("zip zipcode postcode postal plz")

#: A word of this many letters is also met at the start of another: `diagnosis` in `diagnosis2`.
LONG = 5

#: Texts that often stand for "nothing is known".
NOTHING = _words("? ?? - -- . na n/a n.a. #n/a nan null nil none missing unknown unspecified <na>")
