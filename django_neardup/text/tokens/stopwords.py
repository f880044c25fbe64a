"""Short word lists. Words that negate a statement (не, нет, без, not, without) are never stop words."""

from __future__ import annotations

from ..word_lists import word_set

NEGATIONS = word_set(
    """
    не нет без ни никогда нельзя никак ані немає ніколи
    not no never without cannot nor none neither
    """
)

# Lemmas, including the praise that is common in adverts.
_RUSSIAN_STOP_WORDS = """
а бы быть в ваш во весь все вы где да для до его ее если есть еще же за и из или их к как когда ко который ли мой мы
на над наш но о об он она они оно от по под при про с свой со так также там твой теперь то только тот тут ты у уже что
это этот я
очень весьма можно пожалуйста сейчас хороший отличный прекрасный замечательный великолепный идеальный
"""
_UKRAINIAN_STOP_WORDS = """
або ви від він вона вони воно з за зі й його їх її коли ми ній та теж ти це цей цього що щоб як який якщо є
"""
_ENGLISH_STOP_WORDS = """
a about also am an and any approx are as at be been but by can could did do does for from had has have he her here
his i if in is it its just maybe my of on or our please quite really she so some than that the their them then there
these they this those to too very was we were will with would you your good great nice excellent
"""

STOP_WORDS = word_set(_RUSSIAN_STOP_WORDS + _UKRAINIAN_STOP_WORDS + _ENGLISH_STOP_WORDS) - NEGATIONS
