; truth: diverges -- without inbounds an address may be any: the store is to the counter
define i32 @main() {
entry:
  %a = alloca [2 x i32]
  store i32 3, ptr %a
  br label %round
round:
  %n = load i32, ptr %a
  %more = icmp ne i32 %n, 0
  br i1 %more, label %body, label %done
body:
  %less = sub i32 %n, 1
  store i32 %less, ptr %a
  %next = getelementptr [2 x i32], ptr %a, i64 0, i64 1
  %back = getelementptr i32, ptr %next, i64 -1
  store i32 3, ptr %back
  br label %round
done:
  ret i32 0
}
