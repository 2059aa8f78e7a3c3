; truth: neither -- any value
@g = global i32 undef
define i32 @main() {
  %v = load i32, ptr @g
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
