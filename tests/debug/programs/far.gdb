set width 0
set print address off
tbreak main
continue
info threads
break add
continue
info threads
backtrace
print sum
next
next
next
print sum
thread apply 1.1 -q print sum
monitor nothing
set var sum = 100
continue
finish
delete
watch sum
continue
delete
continue
continue
