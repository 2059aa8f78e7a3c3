; truth: neither -- a byte may be anywhere, so that the address may have the alignment that the load asks for
@a = global [5 x i8] zeroinitializer, align 1
define i32 @main() {
  %p = getelementptr i8, ptr @a, i64 1
  %v = load i32, ptr %p, align 4
  br label %loop
loop:
  br label %loop
}
