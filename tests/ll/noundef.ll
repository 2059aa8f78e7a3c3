; truth: terminates -- undef is handed over where that is undefined
define internal void @f(i32 noundef %x) {
  ret void
}
define i32 @main() {
  call void @f(i32 undef)
  br label %loop
loop:
  br label %loop
}
