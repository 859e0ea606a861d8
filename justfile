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

# What the host costs against bare wasmtime, as one table; or some groups of it: just bench forks calls
bench *groups:
    cargo bench --locked --quiet -p sandfork --bench speed -- "$@"

# The founding demo: its five lines, then five rounds of serial against parallel
demo:
    cargo run --locked --release --quiet --example founding -- demo

# The founding documents' machine-readable evidence, the control group without guards included
evidence:
    cargo run --locked --release --quiet --example founding -- evidence target/evidence

# Known advisories of the dependencies; needs the network
audit:
    cargo deny --locked check advisories

# Acceptance items that no test or document names
coverage:
    .ci/coverage

# Everything a change must pass
ci:
    .ci/run

# Fuzz the script compiler and the loader for a minute each; needs a nightly toolchain and cargo-fuzz
fuzz seconds="60":
    cargo run --locked --quiet --manifest-path fuzz/Cargo.toml --example seeds
    cargo +nightly fuzz run --fuzz-dir fuzz script fuzz/corpus/script fuzz/seeds/script -- -max_total_time={{ seconds }} -max_len=4096 -timeout=10
    cargo +nightly fuzz run --fuzz-dir fuzz --features load --sanitizer none load fuzz/corpus/load fuzz/seeds/load -- -max_total_time={{ seconds }} -max_len=16384 -timeout=10

# Take each guard out, one at a time, and show that its test then fails: just guards, or just guards sandbox memory
guards *words:
    .ci/guards "$@"

# Try N mutated and generated guests from SEED: just prove 1000000 7
prove n="100000" seed="7":
    cargo run --locked --release -p sandfork-sandbox --example prove -- {{ n }} {{ seed }}
