; truth: terminates -- what is loaded breaks a promise that is undefined to break
define i32 @main() {
  %p = alloca i8
  store i8 5, ptr %p
  %v = load i8, ptr %p, !range !0, !noundef !1
  br label %loop
loop:
  br label %loop
}
!0 = !{i8 0, i8 2}
!1 = !{}
