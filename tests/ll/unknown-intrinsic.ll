; truth: neither -- it may write what it can reach
@a = global i32 1
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, i32, <2 x i1>)
define i32 @main() {
  %q = insertelement <2 x ptr> poison, ptr @a, i32 0
  %r = insertelement <2 x ptr> %q, ptr @a, i32 1
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> zeroinitializer, <2 x ptr> %r, i32 4, <2 x i1> <i1 true, i1 true>)
  br label %loop
loop:
  %v = load i32, ptr @a
  %c = icmp eq i32 %v, 1
  br i1 %c, label %loop, label %end
end:
  ret i32 0
}
