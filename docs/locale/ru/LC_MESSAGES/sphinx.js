// Words of the search. Sphinx takes this file in place of its own, which does not count results in Russian.
Documentation.addTranslations({
  locale: "ru",
  messages: {
    "Hide Search Matches": "Снять выделение",
    "Preparing search...": "Подготовка…",
    "Search Results": "Результаты поиска",
    "Search finished, found one page matching the search query.": [
      "Найдена ${resultCount} страница.",
      "Найдено ${resultCount} страницы.",
      "Найдено ${resultCount} страниц.",
    ],
    "Searching": "Идёт поиск",
    "Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories.":
      "Ничего не найдено. Проверьте, нет ли опечаток.",
  },
  plural_expr:
    "n % 10 === 1 && n % 100 !== 11 ? 0 : n % 10 >= 2 && n % 10 <= 4 && (n % 100 < 12 || n % 100 > 14) ? 1 : 2",
});
