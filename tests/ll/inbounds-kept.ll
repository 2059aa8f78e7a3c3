; truth: diverges -- just past the end is in bounds
@a = global [4 x i8] zeroinitializer
define i32 @main() {
  %p = getelementptr inbounds i8, ptr @a, i64 4
  %c = icmp eq ptr %p, @a
  br i1 %c, label %end, label %loop
loop:
  br label %loop
end:
  ret i32 0
}
