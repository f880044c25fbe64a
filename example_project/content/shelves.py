"""The categories of the board: slug, name and, below each, what stands on it."""

SHELVES: list[tuple[str, str, list[tuple[str, str]]]] = [
    (
        "building",
        "Стройка",
        [
            ("build-materials", "Стройматериалы"),
            ("tools", "Инструменты"),
            ("repair", "Мастера и ремонт"),
            ("haul", "Перевозки"),
        ],
    ),
    (
        "home",
        "Дом и сад",
        [
            ("furniture", "Мебель"),
            ("appliances", "Бытовая техника"),
            ("garden", "Сад и огород"),
        ],
    ),
    (
        "transport",
        "Транспорт",
        [
            ("cars", "Автомобили"),
            ("parts", "Запчасти и шины"),
            ("bikes", "Велосипеды и мото"),
        ],
    ),
    (
        "realty",
        "Недвижимость",
        [
            ("flats-rent", "Квартиры: аренда"),
            ("flats-sale", "Квартиры: продажа"),
            ("land", "Дома, участки, гаражи"),
        ],
    ),
    (
        "work",
        "Работа и учёба",
        [
            ("vacancies", "Вакансии"),
            ("resumes", "Резюме"),
            ("tutors", "Репетиторы"),
        ],
    ),
    (
        "electronics",
        "Электроника",
        [
            ("phones", "Телефоны"),
            ("computers", "Компьютеры"),
            ("photo", "Фото и видео"),
        ],
    ),
    (
        "personal",
        "Личное",
        [
            ("kids", "Детям"),
            ("clothes", "Одежда"),
            ("pets", "Животные"),
            ("hobby", "Хобби и книги"),
            ("beauty", "Красота и здоровье"),
        ],
    ),
]
