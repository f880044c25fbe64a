"""Where the benchmarks' sites hold what is planted in them."""

from __future__ import annotations

import pytest

from benchmarks.planted import Layout, is_template, planted_pairs


class TestLayout:
    @pytest.mark.parametrize("size", [100, 1000, 7777])
    def test_planted_posts_stand_where_it_says(self, size: int) -> None:
        layout = Layout(size, 5)
        # thousands of texts take seconds: of these the places alone
        texts = list(layout.texts()) if size <= 1000 else []
        assert len(set(layout.places)) == 10 and max(layout.places) < size
        for (one, two), pair in zip(layout.planted, planted_pairs(5)):
            assert not texts or (texts[one], texts[two]) == pair

    def test_templates_are_among_them(self) -> None:
        texts = list(Layout(1000, 5).texts())
        templates = [text for number, text in enumerate(texts) if is_template(number)]
        assert len(texts) == 1000 and len(templates) > 3
        assert len({text[:40] for text in templates}) == 1
        assert len(set(templates)) == len(templates)
