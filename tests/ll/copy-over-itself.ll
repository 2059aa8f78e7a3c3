; truth: terminates -- the ranges of a copy overlap
@a = global [16 x i8] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @main() {
  %p = getelementptr i8, ptr @a, i64 4
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @a, i64 8, i1 false)
  br label %loop
loop:
  br label %loop
}
