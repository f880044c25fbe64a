"""Tokens: the rules that cut a folded text into words, numbers, prices, dates, codes and contacts."""
