"""Where keys live and candidates come from."""
