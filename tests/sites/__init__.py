"""Models of other people's packages: each package has a module here, run by `make test-sites`."""
