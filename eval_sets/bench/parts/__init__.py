"""The parts of the benchmark: each takes a plan and an empty folder, and gives its findings."""
