; truth: neither -- the address leaves its object step by step
@a = global [4 x i8] zeroinitializer
define i32 @main() {
entry:
  br label %walk
walk:
  %p = phi ptr [ @a, %entry ], [ %q, %walk ]
  %i = phi i32 [ 0, %entry ], [ %j, %walk ]
  %q = getelementptr inbounds i8, ptr %p, i64 1
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 10
  br i1 %more, label %walk, label %after
after:
  %c = icmp eq ptr %q, null
  br i1 %c, label %end, label %loop
loop:
  br label %loop
end:
  ret i32 0
}
