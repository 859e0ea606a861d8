//! Decimals by writing both out in full: slow and plain.

use std::cmp::Ordering;

/// Compares two JSON numbers whose exponents are small.
pub fn order(a: &str, b: &str) -> Ordering {
    let (a, b) = (spread(a), spread(b));
    match (a.0, b.0) {
        (false, false) => a.1.cmp(&b.1),
        (true, true) => b.1.cmp(&a.1),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// Whether it is below zero, and 200 digits before and 200 after the point.
fn spread(number: &str) -> (bool, String) {
    let (minus, number) = number.strip_prefix('-').map_or((false, number), |number| (true, number));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let point = i32::try_from(whole.len()).expect("short") + exponent;
    let digits = format!("{whole}{fraction}");
    let mut spread = vec![b'0'; 400];
    for (at, digit) in digits.bytes().enumerate() {
        let place = 200 - point + i32::try_from(at).expect("short");
        if digit != b'0' {
            spread[usize::try_from(place).expect("it fits")] = digit;
        }
    }
    let text = String::from_utf8(spread).expect("digits");
    let is_zero = text.bytes().all(|digit| digit == b'0');
    (minus && !is_zero, text)
}
