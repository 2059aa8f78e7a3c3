; truth: neither -- whichever it chooses, it is poison
define i32 @main() {
  %s = select i1 poison, i32 1, i32 1
  %c = icmp eq i32 %s, 1
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
