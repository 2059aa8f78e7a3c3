; truth: neither -- some value, the same for both uses
define i32 @main() {
  %f = freeze i32 poison
  %c = icmp eq i32 %f, 1
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
