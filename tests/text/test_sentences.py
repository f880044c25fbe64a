"""Sentences in razdel's notation: ``|`` stands where a sentence ends."""

from __future__ import annotations

import pytest

from tests.text.notation import sentences

CASES = r"""
Раз два
Раз.| Два?! |Три... |Четыре… |Пять
Цена 1.5 млн за 10.5 соток. |Торг.
Продам гараж на ул. Ленина, д. 5, кв. 10. |Звоните.
А. С. Пушкин родился в г. Москва. |Потом уехал.
Памятник им. В. И. Ленина. |Рядом св. Николай.
Цена 500 руб. |Звоните.
Цена 500 руб. и торг. |Звоните.
Осталось 5 шт. |Спешите.
Осталось 5 шт. в коробке. |Спешите.
Доски, брус и т.д. |Звоните.
Доски, брус и т. п. по ценам завода
Это node.js и file.txt. |Всё.
Продам дом.|Гараж рядом
Mr. Smith and Dr. Brown met vs. others. |They left.
Продам диван\n|Состояние отличное
Очень длинная строка, которую перенесла почта\nна другую строку. |Конец
Очень длинная строка, которую перенесла почта\n|На другую строку
раз\n\n|два
我爱北京。|你好！|再见
<p>Раз</p><p>|Два</p>|Три<br>|четыре
Он сказал: «Да!» |И ушёл.
"""


def _split(case: str) -> tuple[str, list[str]]:
    text = case.replace("\\n", "\n")
    return text.replace("|", ""), text.split("|")


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_sentences(case: str) -> None:
    text, parts = _split(case)
    found = sentences(text)
    assert len(found) == len(parts), "|".join(found)
    position = 0
    for part, sentence in zip(parts, found):
        assert position <= text.index(sentence, position) < position + len(part)
        position += len(part)


def test_case_and_marks_do_not_move_the_ends() -> None:
    text = "Продам гараж. Торг уместен. Звоните в любое время."
    assert len(sentences(text)) == len(sentences(text.lower())) == len(sentences(text.upper())) == 3
