# `just` lists the recipes. Each is one command that could be typed as well.

set positional-arguments

demo_plan := "fixtures/fork-two-modules/plan.yaml"

[private]
default:
    @just --list

# Run a plan: just run fixtures/fork-two-modules/plan.yaml --json
run *args:
    cargo run --locked --quiet --bin sandfork -- run "$@"

# Check a plan, script or component without running it
check-file *args:
    cargo run --locked --quiet --bin sandfork -- check "$@"

# Format check and lints
check:
    cargo fmt --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# All tests
test *args:
    cargo test --workspace --locked "$@"

# Serial against parallel rounds of a plan
bench plan=demo_plan rounds="5":
    cargo run --locked --release --quiet --bin sandfork -- bench "{{ plan }}" --rounds "{{ rounds }}"

# The demo, then its bench
demo:
    cargo run --locked --release --quiet --bin sandfork -- run {{ demo_plan }}
    cargo run --locked --release --quiet --bin sandfork -- bench {{ demo_plan }} --rounds 5

# Write the machine-readable evidence: raw timings, trace and report of the demo
evidence:
    mkdir -p evidence
    cargo run --locked --release --quiet --bin sandfork -- run {{ demo_plan }} --json --virtual-time --events evidence/fork-two-modules-trace.jsonl > evidence/fork-two-modules-report.json
    cargo run --locked --release --quiet --bin sandfork -- bench {{ demo_plan }} --rounds 5 --json > evidence/fork-two-modules-bench.json

# Known advisories of the dependencies; needs the network
audit:
    cargo deny --locked check advisories

# Acceptance items that no test or document names
coverage:
    .ci/coverage

# Everything a change must pass
ci:
    .ci/run
