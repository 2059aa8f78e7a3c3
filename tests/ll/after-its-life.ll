; truth: terminates -- the object is not there any more
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define i32 @main() {
  %p = alloca i32
  call void @llvm.lifetime.start.p0(ptr %p)
  store i32 7, ptr %p
  call void @llvm.lifetime.end.p0(ptr %p)
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 7
  br i1 %c, label %loop, label %end
loop:
  br label %loop
end:
  ret i32 0
}
