; truth: neither -- the value is poison, and a branch on it is undefined
define i32 @main() {
  %p = alloca i8
  store i8 5, ptr %p
  %v = load i8, ptr %p, !range !0
  %c = icmp eq i8 %v, 5
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
!0 = !{i8 0, i8 2}
