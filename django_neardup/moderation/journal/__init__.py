"""The journal of merge records: how rows are stored, written, read and amended."""
