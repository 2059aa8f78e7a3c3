; truth: terminates -- the result breaks a promise that is undefined to break
define internal noundef range(i32 0, 2) i32 @f() {
  ret i32 5
}
define i32 @main() {
  %r = call i32 @f()
  br label %loop
loop:
  br label %loop
}
