; truth: neither -- a bundle promises more than the address has; that is undefined, and not followed
@a = internal global [64 x i8] zeroinitializer, align 16
declare void @llvm.assume(i1)
define i32 @main() {
  %p = getelementptr inbounds i8, ptr @a, i64 1
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16) ]
  br label %loop
loop:
  br label %loop
}
