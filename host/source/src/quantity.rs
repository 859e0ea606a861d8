//! Durations and sizes as people write them. Exact: whole nanoseconds and whole bytes, or nothing.

use std::time::Duration;

/// Reads `80ms`, `10s`, `1.5s`, `5m`, `1h`, `250us`, `10ns`. A unit must be there; a fraction must come to whole
/// nanoseconds. `None` for anything else, and for what does not fit 64 bits of nanoseconds.
#[must_use]
pub fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let nanos = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" | "min" => 60 * 1_000_000_000,
        "h" => 3_600 * 1_000_000_000,
        _ => return None,
    };
    whole(number, nanos).map(Duration::from_nanos)
}

/// Reads `64MiB`, `256 KiB`, `1GB`, `1.5MiB`, `4096` and `4096B` in bytes. `None` for anything else, for fractions of a
/// byte, and for what does not fit 64 bits.
#[must_use]
pub fn size(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let bytes = match unit {
        "" | "B" => 1,
        "KB" | "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    };
    whole(number, bytes)
}

/// Digits with at most one point, then a unit, blanks between them allowed.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    Some((number, unit.trim_start_matches(' ')))
}

/// `number` × `unit` in integers.
fn whole(number: &str, unit: u64) -> Option<u64> {
    let (integer, fraction) = number.split_once('.').unwrap_or((number, "0"));
    // `u64` reads a sign too, and an empty side is a typing error rather than a zero.
    if [integer, fraction].iter().any(|side| side.is_empty() || !side.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let parts = if fraction.is_empty() { 0 } else { fraction.parse::<u128>().ok()?.checked_mul(u128::from(unit))? };
    if parts.checked_rem(scale)? != 0 {
        return None;
    }
    let whole = integer.parse::<u64>().ok().map(u128::from)?.checked_mul(u128::from(unit))?;
    u64::try_from(whole.checked_add(parts.checked_div(scale)?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_exact_to_the_nanosecond() {
        for (text, nanos) in [
            ("80ms", Some(80_000_000)),
            ("10s", Some(10_000_000_000)),
            ("5m", Some(300_000_000_000)),
            ("1h", Some(3_600_000_000_000)),
            ("250us", Some(250_000)),
            ("10ns", Some(10)),
            ("1.5s", Some(1_500_000_000)),
            ("0.1s", Some(100_000_000)),
            ("1.000000001s", Some(1_000_000_001)),
            ("1 s", Some(1_000_000_000)),
            ("0s", Some(0)),
            ("0.5ns", None),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("+1s", None),
            ("1e3s", None),
            ("1.s", None),
            (".5s", None),
            ("1.2.3s", None),
            ("1S", None),
            ("10 parsecs", None),
            ("99999999999999999999h", None),
            ("18446744073709551615h", None),
            ("", None),
        ] {
            assert_eq!(duration(text).map(|d| d.as_nanos()), nanos.map(u128::from as fn(u64) -> u128), "{text}");
        }
    }

    #[test]
    fn a_size_is_exact_to_the_byte() {
        for (text, bytes) in [
            ("64MiB", Some(64 << 20)),
            ("256 KiB", Some(256 << 10)),
            ("1GB", Some(1_000_000_000)),
            ("1.5KiB", Some(1536)),
            ("4096", Some(4096)),
            ("4096B", Some(4096)),
            ("0", Some(0)),
            ("1.5", None),
            ("64 mib", None),
            ("-1", None),
            ("lots", None),
            ("99999999TiB", None),
            ("18446744073709551616", None),
        ] {
            assert_eq!(size(text), bytes, "{text}");
        }
    }

    #[test]
    fn a_long_fraction_is_refused_without_overflow() {
        assert_eq!(duration(&format!("1.{}s", "3".repeat(1000))), None);
        assert_eq!(duration(&format!("1.5{}s", "0".repeat(1000))), Some(Duration::from_millis(1500)));
    }
}
