; truth: refused -- the byte at the address is the highest one
target datalayout = "E-m:e-i64:64-n32:64"
target triple = "powerpc64-unknown-linux-gnu"
@g = global i32 1
define i32 @main() {
  %v = load i8, ptr @g
  %c = icmp eq i8 %v, 1
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
