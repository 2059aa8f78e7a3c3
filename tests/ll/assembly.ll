; truth: refused -- the assembly gives an object a second name
module asm ".globl b"
module asm ".set b, a"
@a = global i32 0
@b = external global i32
define i32 @main() {
  store i32 1, ptr @b
  %v = load i32, ptr @a
  %c = icmp eq i32 %v, 1
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
