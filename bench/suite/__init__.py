"""The benchmark suite: seeded instances, peers, and the judge between them. `bench/run` is the command."""
