"""What differs between two texts, what each difference means, and how sure the verdict is."""
