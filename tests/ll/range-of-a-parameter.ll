; truth: neither -- the argument becomes poison
define internal i32 @f(i32 range(i32 0, 2) %x) {
  %c = icmp eq i32 %x, 5
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
define i32 @main() {
  %r = call i32 @f(i32 5)
  ret i32 %r
}
