"""Short and colloquial ways to write common words, and the few synonyms that adverts use for one another.

One line a group, lemmas or forms; words of one group at one place of two texts are one word.
"""

from __future__ import annotations

from .tokenize import Token

_GROUPS = """
продать продавать продаваться продажа
купить покупать приобрести приобретать
сдать сдавать сдаваться
снять снимать
машина авто автомобиль тачка
квартира кв квартирка
комната комн
большой крупный
маленький небольшой малый
телефон тел мобильник мобильный
состояние сост
улица ул
район р-н
метро м
этаж эт
цена стоимость
новый новенький нов
тысяча тыс тыща
человек чел
доставка доставить
спасибо спс пасиб
пожалуйста плиз пжл пжлст пож
сейчас щас ща щаз теперь
что чо че шо
ничего ничо ниче
вообще ваще вобще вопще
говорить грить грю
собственно собсно собстно собсна
естественно ессно естессно
потому птму потмушто
нормальный норм нормас
хотя хоть
можно возможно
apartment apt flat
bedroom bdrm bed
bathroom bath
condition cond
please pls plz
because cuz coz
photo pic picture
buy purchase
sell selling
large big
"""

_GROUP_OF = {
    word: number for number, line in enumerate(_GROUPS.strip().splitlines()) for word in line.split()
}


def synonymous(a: Token, b: Token) -> bool:
    """Whether two words are ways to write one."""
    group = _group(a)
    return group is not None and group == _group(b)


def _group(token: Token) -> int | None:
    return _GROUP_OF.get(token.surface, _GROUP_OF.get(token.key))
