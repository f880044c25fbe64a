"""The people of the board and the forum, all invented."""

from __future__ import annotations

from content.shapes import Person

_LINES = """
marina_k|Марина Котова|Екатеринбург
oleg_s|Олег Сажин|Пермь
svetlana_m|Светлана Мухина|Екатеринбург
galina_t|Галина Теплова|Берёзовский
nikolay_p|Николай Пестов|Каменск-Уральский
guest_dima|Дмитрий Гостев|Екатеринбург
irina_v|Ирина Валеева|Тюмень
andrey_b|Андрей Бобылев|Екатеринбург
pavel_r|Павел Рогожин|Екатеринбург
lena_zh|Елена Жданова|Пермь
timur_a|Тимур Ахметов|Екатеринбург
viktor_e|Виктор Ежов|Нижний Тагил
roman_k|Роман Касьянов|Екатеринбург
sergey_d|Сергей Дудин|Сысерть
kostya_dev|Константин Девятов|Екатеринбург
anna_f|Анна Фомина|Екатеринбург
hr_ural|Ольга Кадрова|Екатеринбург
zavod_zhbi|Завод ЖБИ «Исеть»|Екатеринбург
svai_perm|Камские сваи|Пермь
vint_svai|Винтовой фундамент|Пермь
realtor_nina|Нина Квартальная|Екатеринбург
realtor_egor|Егор Метров|Пермь
avto_stas|Станислав Моторин|Екатеринбург
avto_lyuda|Людмила Рулева|Тюмень
tutor_vera|Вера Задачина|Екатеринбург
tutor_ilya|Илья Корнев|Пермь
james_w|James Whitlock|Екатеринбург
emily_r|Emily Rourke|Екатеринбург
marco_b|Marco Bellini|Пермь
language_house|Language House|Екатеринбург
ded_makar|Макар Степанович|Полевской
lis_alisa|Алиса Лисицына|Екатеринбург
grom_74|Геннадий Громов|Челябинск
promo_okna|Окна Промо|Екатеринбург
demo|Дарья Демидова|Екатеринбург
""".strip().split("\n")


def people() -> list[Person]:
    """Everybody, each with a telephone number out of a range that is not in use."""
    found = []
    for number, line in enumerate(_LINES):
        username, name, city = line.split("|")
        found.append(Person(username, name, city, f"+7 900 000-{10 + number}-{(number * 37 + 17) % 90 + 10}"))
    return found
