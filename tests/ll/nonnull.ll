; truth: terminates -- null is handed over where that is undefined
define internal void @f(ptr noundef nonnull %x) {
  ret void
}
define i32 @main() {
  call void @f(ptr null)
  br label %loop
loop:
  br label %loop
}
