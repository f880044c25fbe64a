"""Packages whose models stand beside each other on one site: `settings.PACKAGES` names those installed."""
