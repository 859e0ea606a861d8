  ;; ---- Comparing ----

  ;; Nested deeper than the host itself reads JSON: a trap instead of a deep stack.
  (func $deeper (param $depth i32) (result i32)
    (if (i32.ge_u (local.get $depth) (i32.const 128)) (then unreachable))
    (i32.add (local.get $depth) (i32.const 1)))

  ;; Whether two values are equal: numbers as decimals, strings by meaning, lists in order, maps whatever their order.
  (func $equal (export "equal")
    (param $a i32) (param $a_end i32) (param $b i32) (param $b_end i32) (param $depth i32) (result i32)
    (local $x i32) (local $y i32)
    ;; A run that cannot go on has built texts that are no JSON; nobody will use this answer.
    (if (global.get $failed) (then (return (i32.const 0))))
    (local.set $x (call $peek (local.get $a) (local.get $a_end)))
    (local.set $y (call $peek (local.get $b) (local.get $b_end)))
    (if (i32.and (call $numeric (local.get $x)) (call $numeric (local.get $y))) (then
      (return (i32.eqz (call $order (local.get $a) (local.get $a_end) (local.get $b) (local.get $b_end))))))
    (if (i32.ne (local.get $x) (local.get $y)) (then (return (i32.const 0))))
    (if (i32.eq (local.get $x) (i32.const 34)) (then
      (return (call $same_meaning (local.get $a) (local.get $a_end) (local.get $b) (local.get $b_end)))))
    (if (i32.eq (local.get $x) (i32.const 91)) (then
      (return (call $same_items
        (local.get $a) (local.get $a_end) (local.get $b) (local.get $b_end) (call $deeper (local.get $depth))))))
    (if (i32.eq (local.get $x) (i32.const 123)) (then
      (if (i32.eqz (call $has_members (local.get $a) (local.get $a_end) (local.get $b) (local.get $b_end)
            (call $deeper (local.get $depth))))
        (then (return (i32.const 0))))
      ;; Depth 0 asks for the keys alone: the values have just been compared.
      (return (call $has_members
        (local.get $b) (local.get $b_end) (local.get $a) (local.get $a_end) (i32.const 0)))))
    ;; true, false or null: the first letter says which.
    (i32.const 1))

  (func $numeric (param $c i32) (result i32)
    (i32.or
      (i32.eq (local.get $c) (i32.const 45))
      (i32.lt_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 10))))

  ;; Whether two JSON strings mean the same text.
  (func $same_meaning (param $a i32) (param $a_end i32) (param $b i32) (param $b_end i32) (result i32)
    (local $start i32) (local $is i32)
    (if (call $same
          (local.get $a) (i32.sub (local.get $a_end) (local.get $a))
          (local.get $b) (i32.sub (local.get $b_end) (local.get $b)))
      (then (return (i32.const 1))))
    (local.set $start (global.get $top))
    (call $decode (local.get $b) (local.get $b_end))
    (local.set $is (call $means (local.get $a) (local.get $a_end)
      (local.get $start) (i32.sub (global.get $top) (local.get $start))))
    (global.set $top (local.get $start))
    (local.get $is))

  (func $same_items (param $a i32) (param $a_end i32) (param $b i32) (param $b_end i32) (param $depth i32) (result i32)
    (local.set $a (call $enter (local.get $a) (local.get $a_end)))
    (local.set $b (call $enter (local.get $b) (local.get $b_end)))
    (loop $next
      (if (i32.and (i32.ne (local.get $a) (i32.const 0)) (i32.ne (local.get $b) (i32.const 0))) (then
        (if (i32.eqz (call $equal
              (local.get $a) (call $skip (local.get $a) (local.get $a_end))
              (local.get $b) (call $skip (local.get $b) (local.get $b_end))
              (local.get $depth)))
          (then (return (i32.const 0))))
        (local.set $a (call $next (local.get $a) (local.get $a_end)))
        (local.set $b (call $next (local.get $b) (local.get $b_end)))
        (br $next))))
    ;; Equal if both ended together.
    (i32.eq (local.get $a) (local.get $b)))

  ;; Whether every key of map a is in map b, with an equal value unless $depth is 0.
  (func $has_members (param $a i32) (param $a_end i32) (param $b i32) (param $b_end i32) (param $depth i32) (result i32)
    (local $p i32) (local $q i32) (local $key i32) (local $x i32) (local $y i32)
    (local.set $key (global.get $top))
    (local.set $p (call $enter (local.get $a) (local.get $a_end)))
    (loop $next
      (if (local.get $p) (then
        (local.set $q (call $string (local.get $p) (local.get $a_end)))
        (call $decode (local.get $p) (local.get $q))
        (local.set $y (call $member (local.get $b) (local.get $b_end)
          (local.get $key) (i32.sub (global.get $top) (local.get $key))))
        ;; Of equal keys the last counts, so the value is looked up instead of being taken from here.
        (if (local.get $depth) (then
          (local.set $x (call $member (local.get $a) (local.get $a_end)
            (local.get $key) (i32.sub (global.get $top) (local.get $key))))))
        (global.set $top (local.get $key))
        (if (i32.eqz (local.get $y)) (then (return (i32.const 0))))
        (if (local.get $depth) (then
          (if (i32.eqz (call $equal
                (local.get $x) (call $skip (local.get $x) (local.get $a_end))
                (local.get $y) (call $skip (local.get $y) (local.get $b_end))
                (local.get $depth)))
            (then (return (i32.const 0))))))
        (local.set $p (call $next (call $colon (local.get $q) (local.get $a_end)) (local.get $a_end)))
        (br $next))))
    (i32.const 1))

  ;; Whether a has b: a text its part, a list its item, a map its key.
  (func (export "contains") (param $a i32) (param $a_end i32) (param $b i32) (param $b_end i32) (result i32)
    (local $c i32) (local $start i32) (local $len i32) (local $has i32)
    (if (global.get $failed) (then (return (i32.const 0))))
    (local.set $c (call $peek (local.get $a) (local.get $a_end)))
    (if (i32.eq (local.get $c) (i32.const 91)) (then
      (local.set $a (call $enter (local.get $a) (local.get $a_end)))
      (loop $next
        (if (local.get $a) (then
          (if (call $equal
                (local.get $a) (call $skip (local.get $a) (local.get $a_end))
                (local.get $b) (local.get $b_end) (i32.const 0))
            (then (return (i32.const 1))))
          (local.set $a (call $next (local.get $a) (local.get $a_end)))
          (br $next))))
      (return (i32.const 0))))
    ;; A part or a key is text; numbers, true, false and null have no parts.
    (if (i32.ne (call $peek (local.get $b) (local.get $b_end)) (i32.const 34)) (then (return (i32.const 0))))
    (local.set $start (global.get $top))
    (call $decode (local.get $b) (local.get $b_end))
    (local.set $len (i32.sub (global.get $top) (local.get $start)))
    (if (i32.eq (local.get $c) (i32.const 123)) (then
      (local.set $has (i32.ne (i32.const 0)
        (call $member (local.get $a) (local.get $a_end) (local.get $start) (local.get $len))))))
    (if (i32.eq (local.get $c) (i32.const 34)) (then
      (local.set $b (global.get $top))
      (call $decode (local.get $a) (local.get $a_end))
      (loop $next
        (if (i32.le_u (i32.add (local.get $b) (local.get $len)) (global.get $top)) (then
          (local.set $has (call $same (local.get $b) (local.get $len) (local.get $start) (local.get $len)))
          (local.set $b (i32.add (local.get $b) (i32.const 1)))
          (br_if $next (i32.eqz (local.get $has))))))))
    (global.set $top (local.get $start))
    (local.get $has))

  ;; ---- Numbers as decimals: sign × 0.DIGITS × 10^exponent, the digits staying where they are ----

  ;; Reads a number into a record: sign at 0, next digit at 4, end of digits at 8, exponent (64 bits) at 16.
  (func $decimal (param $p i32) (param $end i32) (param $at i32)
    (local $c i32) (local $point i32) (local $first i32) (local $exponent i64) (local $e i64) (local $minus i32)
    (i32.store (local.get $at) (i32.const 1))
    (if (i32.eq (call $peek (local.get $p) (local.get $end)) (i32.const 45)) (then
      (i32.store (local.get $at) (i32.const -1))
      (local.set $p (i32.add (local.get $p) (i32.const 1)))))
    (block $mantissa
      (loop $next
        (br_if $mantissa (i32.ge_u (local.get $p) (local.get $end)))
        (local.set $c (i32.load8_u (local.get $p)))
        (br_if $mantissa (i32.eq (i32.or (local.get $c) (i32.const 32)) (i32.const 101)))
        (if (i32.eq (local.get $c) (i32.const 46))
          (then (local.set $point (i32.const 1)))
          (else
            (if (i32.and (i32.eqz (local.get $first)) (i32.eq (local.get $c) (i32.const 48)))
              (then
                (if (local.get $point) (then
                  (local.set $exponent (i64.sub (local.get $exponent) (i64.const 1))))))
              (else
                (if (i32.eqz (local.get $first)) (then (local.set $first (local.get $p))))
                (if (i32.eqz (local.get $point)) (then
                  (local.set $exponent (i64.add (local.get $exponent) (i64.const 1)))))))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $next)))
    (i32.store offset=4 (local.get $at) (local.get $first))
    (i32.store offset=8 (local.get $at) (local.get $p))
    (if (i32.eqz (local.get $first)) (then (i32.store (local.get $at) (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (loop $next
      (if (i32.lt_u (local.get $p) (local.get $end)) (then
        (local.set $c (i32.load8_u (local.get $p)))
        (if (i32.eq (local.get $c) (i32.const 45)) (then (local.set $minus (i32.const 1))))
        ;; Beyond 10^17 all exponents are one: far past any digit a text could hold.
        (if (i32.and
              (i32.ge_u (local.get $c) (i32.const 48))
              (i64.lt_u (local.get $e) (i64.const 100000000000000000)))
          (then
            (local.set $e (i64.add
              (i64.mul (local.get $e) (i64.const 10))
              (i64.extend_i32_u (i32.sub (local.get $c) (i32.const 48)))))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $next))))
    (i64.store offset=16 (local.get $at) (i64.add
      (local.get $exponent)
      (select (i64.sub (i64.const 0) (local.get $e)) (local.get $e) (local.get $minus)))))

  ;; The next digit of a record, the point left out, zeros after the last.
  (func $digit (param $at i32) (result i32)
    (local $p i32) (local $c i32)
    (loop $next
      (local.set $p (i32.load offset=4 (local.get $at)))
      (if (i32.ge_u (local.get $p) (i32.load offset=8 (local.get $at))) (then (return (i32.const 48))))
      (i32.store offset=4 (local.get $at) (i32.add (local.get $p) (i32.const 1)))
      (local.set $c (i32.load8_u (local.get $p)))
      (br_if $next (i32.eq (local.get $c) (i32.const 46))))
    (local.get $c))

  ;; -1, 0 or 1 as number a is less than, equal to or greater than number b.
  (func $order (export "order") (param $a i32) (param $a_end i32) (param $b i32) (param $b_end i32) (result i32)
    (local $sign i32) (local $x i32) (local $y i32)
    (call $decimal (local.get $a) (local.get $a_end) (i32.const @LEFT))
    (call $decimal (local.get $b) (local.get $b_end) (i32.const @RIGHT))
    (local.set $sign (i32.load (i32.const @LEFT)))
    (local.set $y (i32.load (i32.const @RIGHT)))
    (if (i32.ne (local.get $sign) (local.get $y)) (then
      (return (select (i32.const -1) (i32.const 1) (i32.lt_s (local.get $sign) (local.get $y))))))
    (if (i32.eqz (local.get $sign)) (then (return (i32.const 0))))
    (if (i64.ne (i64.load offset=16 (i32.const @LEFT)) (i64.load offset=16 (i32.const @RIGHT))) (then
      (return (select (i32.sub (i32.const 0) (local.get $sign)) (local.get $sign)
        (i64.lt_s (i64.load offset=16 (i32.const @LEFT)) (i64.load offset=16 (i32.const @RIGHT)))))))
    (loop $next
      (if (i32.or
            (i32.lt_u (i32.load offset=4 (i32.const @LEFT)) (i32.load offset=8 (i32.const @LEFT)))
            (i32.lt_u (i32.load offset=4 (i32.const @RIGHT)) (i32.load offset=8 (i32.const @RIGHT))))
        (then
          (local.set $x (call $digit (i32.const @LEFT)))
          (local.set $y (call $digit (i32.const @RIGHT)))
          (br_if $next (i32.eq (local.get $x) (local.get $y)))
          (return (select (i32.sub (i32.const 0) (local.get $sign)) (local.get $sign)
            (i32.lt_u (local.get $x) (local.get $y)))))))
    (i32.const 0))
