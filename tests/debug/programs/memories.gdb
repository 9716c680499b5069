set width 0
set print address off
tbreak here
continue
up
print own
thread 2
print own
set var own = 30
thread 1
print own
set var limit = 5
print limit
set var go = 1
thread 2
print own
watch own
continue
delete
continue
