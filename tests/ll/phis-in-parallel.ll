; truth: diverges -- two numbers change places in each round, and the loop is left where they are the same: with 1 and 2 that is never

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @swap(i32 %a, i32 %b) {
entry:
  br label %round

round:
  %x = phi i32 [ %a, %entry ], [ %y, %round ]
  %y = phi i32 [ %b, %entry ], [ %x, %round ]
  %equal = icmp eq i32 %x, %y
  %go = xor i1 %equal, true
  br i1 %go, label %round, label %done

done:
  ret i32 %x
}
