"""The example in a real browser: needs Chromium and its driver."""
