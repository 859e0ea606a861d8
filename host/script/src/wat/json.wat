  ;; ---- Finding one's way in JSON. Every load is preceded by a check, so that text that is no JSON traps. ----

  (func $peek (param $p i32) (param $end i32) (result i32)
    (if (i32.ge_u (local.get $p) (local.get $end)) (then unreachable))
    (i32.load8_u (local.get $p)))

  ;; Past white space.
  (func $space (param $p i32) (param $end i32) (result i32)
    (loop $next
      (if (i32.lt_u (local.get $p) (local.get $end)) (then
        (if (i32.le_u (i32.load8_u (local.get $p)) (i32.const 32)) (then
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br $next))))))
    (local.get $p))

  ;; The first quote or backslash from $p on, or $end. Eight bytes at a time: (x - 1) & ~x has its high bit set in a byte
  ;; that is zero, the lowest such bit is exact, and the bytes sought are made zero first.
  (func $run (param $p i32) (param $end i32) (result i32)
    (local $quote i64) (local $slash i64)
    (loop $next
      (if (i32.lt_u (i32.add (local.get $p) (i32.const 7)) (local.get $end)) (then
        (local.set $quote (i64.xor (i64.load align=1 (local.get $p)) (i64.const 0x2222222222222222)))
        (local.set $slash (i64.xor (i64.load align=1 (local.get $p)) (i64.const 0x5c5c5c5c5c5c5c5c)))
        (local.set $quote (i64.and (i64.const 0x8080808080808080) (i64.or
          (i64.and
            (i64.sub (local.get $quote) (i64.const 0x0101010101010101))
            (i64.xor (local.get $quote) (i64.const -1)))
          (i64.and
            (i64.sub (local.get $slash) (i64.const 0x0101010101010101))
            (i64.xor (local.get $slash) (i64.const -1))))))
        (if (i64.eqz (local.get $quote)) (then
          (local.set $p (i32.add (local.get $p) (i32.const 8)))
          (br $next)))
        (return (i32.add (local.get $p) (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $quote)) (i64.const 3))))))))
    (loop $next
      (if (i32.lt_u (local.get $p) (local.get $end)) (then
        (if (i32.and
              (i32.ne (i32.load8_u (local.get $p)) (i32.const 34))
              (i32.ne (i32.load8_u (local.get $p)) (i32.const 92)))
          (then
            (local.set $p (i32.add (local.get $p) (i32.const 1)))
            (br $next))))))
    (local.get $p))

  ;; Past the string whose opening quote is at $p.
  (func $string (param $p i32) (param $end i32) (result i32)
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (loop $next
      (local.set $p (call $run (local.get $p) (local.get $end)))
      ;; What a backslash escapes is stepped over, even a quote.
      (if (i32.eq (call $peek (local.get $p) (local.get $end)) (i32.const 92)) (then
        (local.set $p (i32.add (local.get $p) (i32.const 2)))
        (br $next))))
    (i32.add (local.get $p) (i32.const 1)))

  ;; Past the value at $p. A loop with a depth, never a recursion. `{` is 123 and `[` is 91: they differ in bit 5 alone,
  ;; like `}` (125) and `]` (93).
  (func $skip (param $p i32) (param $end i32) (result i32)
    (local $c i32) (local $depth i32) (local $start i32)
    (local.set $start (local.get $p))
    (local.set $c (call $peek (local.get $p) (local.get $end)))
    (if (i32.eq (local.get $c) (i32.const 34)) (then
      (return (call $string (local.get $p) (local.get $end)))))
    (if (i32.eq (i32.or (local.get $c) (i32.const 32)) (i32.const 123)) (then
      (loop $next
        (local.set $c (call $peek (local.get $p) (local.get $end)))
        (if (i32.eq (local.get $c) (i32.const 34))
          (then (local.set $p (call $string (local.get $p) (local.get $end))))
          (else
            (local.set $c (i32.or (local.get $c) (i32.const 32)))
            (local.set $depth (i32.sub
              (i32.add (local.get $depth) (i32.eq (local.get $c) (i32.const 123)))
              (i32.eq (local.get $c) (i32.const 125))))
            (local.set $p (i32.add (local.get $p) (i32.const 1)))))
        (br_if $next (local.get $depth)))
      (return (local.get $p))))
    ;; A number, true, false or null: up to what may follow a value.
    (loop $next
      (if (i32.lt_u (local.get $p) (local.get $end)) (then
        (local.set $c (i32.load8_u (local.get $p)))
        (if (i32.and
              (i32.gt_u (local.get $c) (i32.const 32))
              (i32.and
                (i32.ne (local.get $c) (i32.const 44))
                (i32.ne (i32.or (local.get $c) (i32.const 32)) (i32.const 125))))
          (then
            (local.set $p (i32.add (local.get $p) (i32.const 1)))
            (br $next))))))
    (if (i32.eq (local.get $p) (local.get $start)) (then unreachable))
    (local.get $p))

  ;; From a key's end to its value.
  (func $colon (param $p i32) (param $end i32) (result i32)
    (local.set $p (call $space (local.get $p) (local.get $end)))
    (if (i32.ne (call $peek (local.get $p) (local.get $end)) (i32.const 58)) (then unreachable))
    (call $space (i32.add (local.get $p) (i32.const 1)) (local.get $end)))

  ;; Into a list or map: its first item or key, 0 if it is empty.
  (func $enter (param $p i32) (param $end i32) (result i32)
    (local.set $p (call $space (i32.add (local.get $p) (i32.const 1)) (local.get $end)))
    (if (i32.eq (i32.or (call $peek (local.get $p) (local.get $end)) (i32.const 32)) (i32.const 125))
      (then (return (i32.const 0))))
    (local.get $p))

  ;; From the item at $p to the next item or key, 0 after the last.
  (func $next (param $p i32) (param $end i32) (result i32)
    (call $after (call $skip (local.get $p) (local.get $end)) (local.get $end)))

  ;; From the end of an item to the next item or key, 0 after the last.
  (func $after (param $p i32) (param $end i32) (result i32)
    (local $c i32)
    (local.set $p (call $space (local.get $p) (local.get $end)))
    (local.set $c (call $peek (local.get $p) (local.get $end)))
    (if (i32.eq (local.get $c) (i32.const 44)) (then
      (return (call $space (i32.add (local.get $p) (i32.const 1)) (local.get $end)))))
    (if (i32.ne (i32.or (local.get $c) (i32.const 32)) (i32.const 125)) (then unreachable))
    (i32.const 0))

  ;; Whether two texts have the same bytes.
  (func $same (param $a i32) (param $a_len i32) (param $b i32) (param $b_len i32) (result i32)
    (if (i32.ne (local.get $a_len) (local.get $b_len)) (then (return (i32.const 0))))
    (loop $next
      (if (i32.ge_u (local.get $a_len) (i32.const 8)) (then
        (if (i64.ne (i64.load align=1 (local.get $a)) (i64.load align=1 (local.get $b))) (then (return (i32.const 0))))
        (local.set $a (i32.add (local.get $a) (i32.const 8)))
        (local.set $b (i32.add (local.get $b) (i32.const 8)))
        (local.set $a_len (i32.sub (local.get $a_len) (i32.const 8)))
        (br $next))))
    (loop $next
      (if (local.get $a_len) (then
        (if (i32.ne (i32.load8_u (local.get $a)) (i32.load8_u (local.get $b))) (then (return (i32.const 0))))
        (local.set $a (i32.add (local.get $a) (i32.const 1)))
        (local.set $b (i32.add (local.get $b) (i32.const 1)))
        (local.set $a_len (i32.sub (local.get $a_len) (i32.const 1)))
        (br $next))))
    (i32.const 1))

  ;; Whether the JSON string from $p to $q means the plain text $key.
  (func $means (param $p i32) (param $q i32) (param $key i32) (param $len i32) (result i32)
    (local $at i32) (local $last i32)
    (local.set $at (i32.add (local.get $p) (i32.const 1)))
    (local.set $last (i32.sub (local.get $q) (i32.const 1)))
    (if (i32.eq (call $run (local.get $at) (local.get $last)) (local.get $last)) (then
      (return (call $same
        (local.get $at) (i32.sub (local.get $last) (local.get $at)) (local.get $key) (local.get $len)))))
    ;; Escapes: its meaning is written above `top` for the comparison and forgotten again.
    (local.set $at (global.get $top))
    (call $decode (local.get $p) (local.get $q))
    (local.set $p (call $same
      (local.get $at) (i32.sub (global.get $top) (local.get $at)) (local.get $key) (local.get $len)))
    (global.set $top (local.get $at))
    (local.get $p))

  ;; The value of $key in what is at $p, with `end` set; 0 if that is no map or has no such key. Of equal keys the last
  ;; counts, as it does for the host.
  (func $member (param $p i32) (param $end i32) (param $key i32) (param $len i32) (result i32)
    (local $q i32) (local $hit i32) (local $found i32)
    (if (i32.ne (call $peek (local.get $p) (local.get $end)) (i32.const 123)) (then (return (i32.const 0))))
    (local.set $p (call $enter (local.get $p) (local.get $end)))
    (loop $next
      (if (local.get $p) (then
        (if (i32.ne (call $peek (local.get $p) (local.get $end)) (i32.const 34)) (then unreachable))
        (local.set $q (call $string (local.get $p) (local.get $end)))
        (local.set $hit (call $means (local.get $p) (local.get $q) (local.get $key) (local.get $len)))
        (local.set $p (call $colon (local.get $q) (local.get $end)))
        (local.set $q (call $skip (local.get $p) (local.get $end)))
        (if (local.get $hit) (then
          (local.set $found (local.get $p))
          (global.set $end (local.get $q))))
        (local.set $p (call $after (local.get $q) (local.get $end)))
        (br $next))))
    (local.get $found))

  ;; Item $n of the list at $p, from the end if $n is negative; 0 if that is no list or too short.
  (func $item_at (param $p i32) (param $end i32) (param $n i32) (result i32)
    (local $at i32)
    (if (i32.ne (call $peek (local.get $p) (local.get $end)) (i32.const 91)) (then (return (i32.const 0))))
    (local.set $p (call $enter (local.get $p) (local.get $end)))
    (if (i32.lt_s (local.get $n) (i32.const 0)) (then
      (local.set $at (local.get $p))
      (loop $count
        (if (local.get $at) (then
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (local.set $at (call $next (local.get $at) (local.get $end)))
          (br $count))))
      (if (i32.lt_s (local.get $n) (i32.const 0)) (then (return (i32.const 0))))))
    (loop $next
      (if (i32.and (i32.ne (local.get $p) (i32.const 0)) (i32.ne (local.get $n) (i32.const 0))) (then
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (local.set $p (call $next (local.get $p) (local.get $end)))
        (br $next))))
    (local.get $p))

  ;; Follows a path from a slot; 0 if it leads nowhere, else the address, with `end` set. A path is: length and text for
  ;; messages, then steps (1, length, key | 2, index), then 0.
  (func $resolve (export "resolve") (param $slot i32) (param $path i32) (result i32)
    (local $p i32) (local $end i32) (local $n i32) (local $kind i32)
    (local.set $p (i32.load offset=4 (local.get $slot)))
    (local.set $end (i32.add (local.get $p) (i32.load offset=8 (local.get $slot))))
    (local.set $path (i32.add (i32.add (local.get $path) (i32.const 4)) (i32.load align=1 (local.get $path))))
    (loop $next
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (local.set $kind (i32.load8_u (local.get $path)))
      (if (local.get $kind) (then
        (local.set $n (i32.load offset=1 align=1 (local.get $path)))
        (local.set $path (i32.add (local.get $path) (i32.const 5)))
        (if (i32.eq (local.get $kind) (i32.const 1))
          (then
            (local.set $p (call $member (local.get $p) (local.get $end) (local.get $path) (local.get $n)))
            (local.set $path (i32.add (local.get $path) (local.get $n))))
          (else
            (local.set $p (call $item_at (local.get $p) (local.get $end) (local.get $n)))
            (if (local.get $p) (then
              (global.set $end (call $skip (local.get $p) (local.get $end)))))))
        ;; The next hop, and the caller, look no further than this value.
        (local.set $end (global.get $end))
        (br $next))))
    (global.set $end (local.get $end))
    (local.get $p))
