"""Tokens: rules that split a folded text into words, numbers, prices, dates, codes and contacts."""
