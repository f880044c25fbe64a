"""A graph in memory: what the stored one must be like."""

from collections import defaultdict


class MemoryGraph:
    """Relations are ``{(a, b): score}`` and sets of ``(a, b)``, ``a < b``; static order is that of the numbers."""

    def __init__(self, duplicates=(), variants=(), different=(), same=(), hidden=()):
        self.scores = dict(duplicates)
        self.relations = {"variants": set(variants), "different": set(different), "same": set(same)}
        self.hidden = set(hidden)
        self.nodes = set()
        self.leaders = {}

    def prefetch(self, nodes):
        pass

    def sort_key(self, node):
        return (node in self.hidden, node)

    def can_lead(self, node):
        return node in self.nodes and node not in self.hidden

    def duplicates(self, node):
        near = {}
        for (a, b), score in self.scores.items():
            if node in (a, b) and {a, b} <= self.nodes:
                near[b if node == a else a] = score
        return near

    def _others(self, kind, node):
        return {
            b if node == a else a for a, b in self.relations[kind] if node in (a, b) and {a, b} <= self.nodes
        }

    def variants(self, node):
        return self._others("variants", node)

    def confirmed_different(self, node):
        return self._others("different", node)

    def confirmed_same(self, node):
        return self._others("same", node)

    def current_leader(self, node):
        return self.leaders.get(node, node if self.can_lead(node) else None)

    def clusters(self):
        found = defaultdict(set)
        for node in self.nodes:
            if self.current_leader(node) is not None:
                found[self.current_leader(node)].add(node)
        return dict(found)
