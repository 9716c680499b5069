set width 0
set print address off
tbreak main
continue
next
next
next
break add
continue
info threads
backtrace
up
info locals
print sums
down
finish
step
continue
next
next
next
step
step
thread apply all -q backtrace
thread apply 1 -q frame apply all -q -s print rounds
thread apply 1 -q set var $pc = 0
set var $a0 = 1
print add(&sums, 1)
delete
watch sums.all
continue
print sums
delete
rwatch sums.calls
continue
delete
awatch sums.all
continue
continue
backtrace
delete
set var stop = 1
tbreak 54
continue
print (int)last
info threads
next
set var sums.all = 8
continue
