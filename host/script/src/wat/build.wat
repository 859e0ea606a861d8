  ;; ---- Building text at `top`. What is built stays there until a step moves `top` back. ----

  (func $room (param $len i32)
    (local $end i32)
    (local.set $end (i32.add (global.get $top) (local.get $len)))
    (if (i32.lt_u (local.get $end) (global.get $top)) (then unreachable))
    (call $reserve (local.get $end)))

  (func $byte (param $c i32)
    (if (i32.ge_u (i32.shr_u (global.get $top) (i32.const 16)) (memory.size)) (then (call $room (i32.const 1))))
    (i32.store8 (global.get $top) (local.get $c))
    (global.set $top (i32.add (global.get $top) (i32.const 1))))

  (func $text (export "text") (param $p i32) (param $len i32)
    ;; Should the sum run over the end of 32 bits, the copy itself traps.
    (if (i32.ge_u (i32.shr_u (i32.add (global.get $top) (local.get $len)) (i32.const 16)) (memory.size))
      (then (call $room (local.get $len))))
    (memory.copy (global.get $top) (local.get $p) (local.get $len))
    (global.set $top (i32.add (global.get $top) (local.get $len))))

  (func $between (param $p i32) (param $end i32)
    (call $text (local.get $p) (i32.sub (local.get $end) (local.get $p))))

  (func $number (param $n i32)
    (if (i32.ge_u (local.get $n) (i32.const 10)) (then
      (call $number (i32.div_u (local.get $n) (i32.const 10)))))
    (call $byte (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10)))))

  (func $hex (param $n i32)
    (call $byte (i32.add (local.get $n) (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $n) (i32.const 10))))))

  ;; Plain text as the inside of a JSON string.
  (func $encode (param $p i32) (param $end i32)
    (local $run i32) (local $c i32)
    (local.set $run (local.get $p))
    (loop $next
      (if (i32.lt_u (local.get $p) (local.get $end)) (then
        (local.set $c (i32.load8_u (local.get $p)))
        (if (i32.or (i32.lt_u (local.get $c) (i32.const 32))
              (i32.or (i32.eq (local.get $c) (i32.const 34)) (i32.eq (local.get $c) (i32.const 92))))
          (then
            (call $between (local.get $run) (local.get $p))
            (local.set $run (i32.add (local.get $p) (i32.const 1)))
            (if (i32.lt_u (local.get $c) (i32.const 32))
              (then
                (call $text @"\\u00")
                (call $hex (i32.shr_u (local.get $c) (i32.const 4)))
                (call $hex (i32.and (local.get $c) (i32.const 15))))
              (else
                (call $byte (i32.const 92))
                (call $byte (local.get $c))))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $next))))
    (call $between (local.get $run) (local.get $end)))

  ;; Four hexadecimal digits.
  (func $unit (param $p i32) (param $end i32) (result i32)
    (local $n i32) (local $c i32) (local $left i32)
    (local.set $left (i32.const 4))
    (loop $next
      (local.set $c (call $peek (local.get $p) (local.get $end)))
      (local.set $n (i32.or
        (i32.shl (local.get $n) (i32.const 4))
        (i32.and (i32.const 15) (select
          (local.get $c) (i32.add (local.get $c) (i32.const 9)) (i32.le_u (local.get $c) (i32.const 57))))))
      (local.set $p (i32.add (local.get $p) (i32.const 1)))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (local.get $n))

  (func $utf8 (param $n i32)
    (if (i32.lt_u (local.get $n) (i32.const 0x80)) (then
      (call $byte (local.get $n))
      (return)))
    (if (i32.lt_u (local.get $n) (i32.const 0x800))
      (then (call $byte (i32.or (i32.const 0xc0) (i32.shr_u (local.get $n) (i32.const 6)))))
      (else
        (if (i32.lt_u (local.get $n) (i32.const 0x10000))
          (then (call $byte (i32.or (i32.const 0xe0) (i32.shr_u (local.get $n) (i32.const 12)))))
          (else
            (call $byte (i32.or (i32.const 0xf0) (i32.shr_u (local.get $n) (i32.const 18))))
            (call $byte (i32.or (i32.const 0x80)
              (i32.and (i32.const 0x3f) (i32.shr_u (local.get $n) (i32.const 12)))))))
        (call $byte (i32.or (i32.const 0x80)
          (i32.and (i32.const 0x3f) (i32.shr_u (local.get $n) (i32.const 6)))))))
    (call $byte (i32.or (i32.const 0x80) (i32.and (i32.const 0x3f) (local.get $n)))))

  ;; What the JSON string from $p to $q means, as plain text. Half a surrogate pair becomes U+FFFD.
  (func $decode (param $p i32) (param $q i32)
    (local $c i32) (local $low i32) (local $run i32)
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (local.set $q (i32.sub (local.get $q) (i32.const 1)))
    (loop $next
      (local.set $run (call $run (local.get $p) (local.get $q)))
      (call $between (local.get $p) (local.get $run))
      (if (i32.lt_u (local.get $run) (local.get $q)) (then
        (local.set $c (call $peek (i32.add (local.get $run) (i32.const 1)) (local.get $q)))
        (local.set $p (i32.add (local.get $run) (i32.const 2)))
        (if (i32.ne (local.get $c) (i32.const 117)) (then
          ;; b f n r t stand for 8 12 10 13 9, anything else for itself.
          (if (i32.eq (local.get $c) (i32.const 98)) (then (local.set $c (i32.const 8))))
          (if (i32.eq (local.get $c) (i32.const 102)) (then (local.set $c (i32.const 12))))
          (if (i32.eq (local.get $c) (i32.const 110)) (then (local.set $c (i32.const 10))))
          (if (i32.eq (local.get $c) (i32.const 114)) (then (local.set $c (i32.const 13))))
          (if (i32.eq (local.get $c) (i32.const 116)) (then (local.set $c (i32.const 9))))
          (call $byte (local.get $c))
          (br $next)))
        (local.set $c (call $unit (local.get $p) (local.get $q)))
        (local.set $p (i32.add (local.get $p) (i32.const 4)))
        (if (i32.eq (i32.and (local.get $c) (i32.const 0xf800)) (i32.const 0xd800)) (then
          (local.set $low (i32.const 0))
          ;; A high half looks for its low half: six bytes more, `\u` first.
          (if (i32.and
                (i32.lt_u (local.get $c) (i32.const 0xdc00))
                (i32.le_u (i32.add (local.get $p) (i32.const 6)) (local.get $q)))
            (then
              (if (i32.eq (i32.load16_u align=1 (local.get $p)) (i32.const 0x755c)) (then
                (local.set $low (call $unit (i32.add (local.get $p) (i32.const 2)) (local.get $q)))))))
          (if (i32.eq (i32.and (local.get $low) (i32.const 0xfc00)) (i32.const 0xdc00))
            (then
              (local.set $p (i32.add (local.get $p) (i32.const 6)))
              (local.set $c (i32.add (i32.const 0x10000) (i32.or
                (i32.shl (i32.and (local.get $c) (i32.const 0x3ff)) (i32.const 10))
                (i32.and (local.get $low) (i32.const 0x3ff))))))
            (else (local.set $c (i32.const 0xfffd))))))
        (call $utf8 (local.get $c))
        (br $next)))))

  ;; JSON without the white space between its tokens; $quoted: as the inside of a JSON string.
  (func $compact (param $p i32) (param $end i32) (param $quoted i32)
    (local $c i32) (local $inside i32) (local $escaped i32)
    (loop $next
      (if (i32.lt_u (local.get $p) (local.get $end)) (then
        (local.set $c (i32.load8_u (local.get $p)))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br_if $next (i32.and (i32.eqz (local.get $inside)) (i32.le_u (local.get $c) (i32.const 32))))
        (if (i32.and (local.get $quoted)
              (i32.or (i32.eq (local.get $c) (i32.const 34)) (i32.eq (local.get $c) (i32.const 92))))
          (then (call $byte (i32.const 92))))
        (call $byte (local.get $c))
        (if (local.get $escaped)
          (then (local.set $escaped (i32.const 0)))
          (else
            (if (i32.eq (local.get $c) (i32.const 34)) (then (local.set $inside (i32.eqz (local.get $inside)))))
            (local.set $escaped (i32.eq (local.get $c) (i32.const 92)))))
        (br $next)))))

  ;; ---- References in what is built ----

  ;; Ends the run: what the path names is not there, or is not what $expected says.
  (func $wrong (param $path i32) (param $expected i32) (param $len i32)
    (local $p i32)
    (if (global.get $failed) (then (return)))
    (global.set $failed (i32.const 1))
    (i32.store8 (i32.const @RESULT) (i32.const 1))
    (if (local.get $len)
      (then (call $pair (i32.const @RESULT_CODE) @"reference_type"))
      (else (call $pair (i32.const @RESULT_CODE) @"reference_absent")))
    (local.set $p (global.get $top))
    (call $text @"reference ")
    (call $path (local.get $path))
    (if (local.get $len)
      (then
        (call $text @" is not ")
        (call $text (local.get $expected) (local.get $len)))
      (else (call $text @" is absent")))
    (call $pair (i32.const @RESULT_MESSAGE) (local.get $p) (i32.sub (global.get $top) (local.get $p)))
    (local.set $p (global.get $top))
    (call $text @"{\"path\":\"")
    (call $encode
      (i32.add (local.get $path) (i32.const 4))
      (i32.add (i32.add (local.get $path) (i32.const 4)) (i32.load align=1 (local.get $path))))
    (if (local.get $len) (then
      (call $text @"\",\"expected\":\"")
      (call $text (local.get $expected) (local.get $len))))
    (call $text @"\"}")
    (call $pair (i32.const @RESULT_DETAILS) (local.get $p) (i32.sub (global.get $top) (local.get $p))))

  (func $path (param $path i32)
    (call $text (i32.add (local.get $path) (i32.const 4)) (i32.load align=1 (local.get $path))))

  (func $pair (param $at i32) (param $p i32) (param $len i32)
    (i32.store (local.get $at) (local.get $p))
    (i32.store offset=4 (local.get $at) (local.get $len)))

  ;; The address of what a reference names, with `end` set. An absent one ends the run at its next step; until then it
  ;; reads as `null`.
  (func $look (export "look") (param $slot i32) (param $path i32) (result i32)
    (local $p i32)
    (local.set $p (call $resolve (local.get $slot) (local.get $path)))
    (if (i32.eqz (local.get $p)) (then
      (call $wrong (local.get $path) (i32.const 0) (i32.const 0))
      (local.set $p (call $start @"null"))))
    (local.get $p))

  ;; A constant as a text: its address, with `end` set.
  (func $start (param $p i32) (param $len i32) (result i32)
    (global.set $end (i32.add (local.get $p) (local.get $len)))
    (local.get $p))

  ;; Alone in a value: as it is.
  (func (export "put") (param $slot i32) (param $path i32)
    (call $between (call $look (local.get $slot) (local.get $path)) (global.get $end)))

  ;; Inside plain text: strings as what they mean, everything else as compact JSON.
  (func (export "put_plain") (param $slot i32) (param $path i32)
    (local $p i32)
    (local.set $p (call $look (local.get $slot) (local.get $path)))
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 34))
      (then (call $decode (local.get $p) (global.get $end)))
      (else (call $compact (local.get $p) (global.get $end) (i32.const 0)))))

  ;; Inside a JSON string: the inside of a string is right as it stands, everything else is escaped.
  (func (export "put_quoted") (param $slot i32) (param $path i32)
    (local $p i32)
    (local.set $p (call $look (local.get $slot) (local.get $path)))
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 34))
      (then (call $between (i32.add (local.get $p) (i32.const 1)) (i32.sub (global.get $end) (i32.const 1))))
      (else (call $compact (local.get $p) (global.get $end) (i32.const 1)))))
