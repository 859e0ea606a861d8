//! Reads a length of time as people write it: `80ms`, `1.5s`, `2m`. Knows no clock.

use std::time::Duration;

/// Digits before and after the point that are read; more is a slip, not a time.
const MAX_DIGITS: usize = 18;

/// A decimal number and one unit of `ns, us, ms, s, m, h`. `None` for everything else, and for what is finer than 1 ns.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at_checked(split)?;
    let unit_ns: u128 = match unit {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || part.is_empty() || whole.len() > MAX_DIGITS || part.len() > MAX_DIGITS || part.contains('.')
    {
        return None;
    }
    let scale = 10u128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let part_ns = part.parse::<u128>().ok()?.checked_mul(unit_ns)?;
    if part_ns % scale != 0 {
        return None;
    }
    let all_ns = whole.parse::<u128>().ok()?.checked_mul(unit_ns)?.checked_add(part_ns / scale)?;
    u64::try_from(all_ns).ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, ns) in [
            ("80ms", 80_000_000),
            ("0s", 0),
            ("1.5s", 1_500_000_000),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("3us", 3_000),
            ("7ns", 7),
            ("0.000000001s", 1),
        ] {
            assert_eq!(parse(text), Some(Duration::from_nanos(ns)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_not_guessed() {
        for text in
            ["", "80", "ms", ".5s", "1.s", "1.2.3s", "-1s", "1 s", "1d", "1S", "0.5ns", "1e3s", "999999999999999999h"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"9".repeat(1 << 20)), None);
    }
}
