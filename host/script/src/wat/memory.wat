;; The memory of a script and the allocator the host writes answers through. Knows nothing of JSON or of the script.
;;
;; Memory is a heap that only grows upward; `top` is its first free byte. The other module moves `top` back where it knows
;; that what lies above is no longer needed. The host's numbers for the first page count and `top` replace the ones here.
(module
  (memory $memory (export "memory") 1)
  (global $top (export "top") (mut i32) (i32.const 0))

  ;; Makes every byte below $end usable, or traps: an agent out of memory cannot go on.
  (func $reserve (export "reserve") (param $end i32)
    (local $pages i32)
    (local.set $pages (i32.sub
      (i32.add (i32.shr_u (local.get $end) (i32.const 16)) (i32.const 1))
      (memory.size)))
    (if (i32.gt_s (local.get $pages) (i32.const 0)) (then
      (if (i32.eq (memory.grow (local.get $pages)) (i32.const -1)) (then unreachable)))))

  ;; The canonical ABI's allocator.
  (func (export "cabi_realloc") (param $old i32) (param $old_len i32) (param $align i32) (param $len i32) (result i32)
    (local $new i32) (local $end i32)
    (local.set $new (i32.and
      (i32.add (global.get $top) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (local.set $end (i32.add (local.get $new) (local.get $len)))
    ;; Both the rounding up and the length may run over the end of 32 bits.
    (if (i32.or (i32.lt_u (local.get $new) (global.get $top)) (i32.lt_u (local.get $end) (local.get $new)))
      (then unreachable))
    (call $reserve (local.get $end))
    (global.set $top (local.get $end))
    (if (local.get $old) (then
      (memory.copy (local.get $new) (local.get $old)
        (select (local.get $old_len) (local.get $len) (i32.lt_u (local.get $old_len) (local.get $len))))))
    (local.get $new)))
