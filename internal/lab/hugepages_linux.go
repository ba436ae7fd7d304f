package lab

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"syscall"
)

const (
	madvHugepage = 14 // pages that are touched from now on
	madvCollapse = 25 // those that have been (Linux 6.1)
)

// HugePages asks the system to back the heap with huge pages, as far as that has
// grown since the last time. A simulation of a thousand nodes reads all over its
// memory, and on a virtual machine most of what such a read waits for is where
// the page lies. Where the system has none to give, nothing changes.
func HugePages() {
	const (
		page  = 2 << 20
		arena = 32 // bits: the runtime keeps its heap side by side
	)
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	heap := reflect.ValueOf(new([64]byte)).Pointer() >> arena
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		var may string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &may); n < 3 || from>>arena != heap || may != "rw-p" {
			continue
		}
		from, to = (from+page-1)&^(page-1), to&^(page-1)
		if from < to {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, madvHugepage)
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, madvCollapse)
		}
	}
}

// PrepareMemory lets the system have so much memory at hand: a virtual machine may get
// what is touched for the first time from its host, piece by piece, and stands still
// meanwhile. And it asks for huge pages where the heap will grow to, before it does:
// to make them of what is there already stops everybody.
func PrepareMemory(size int) {
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return // there is less: the nodes will show it
	}
	_ = syscall.Madvise(b, madvHugepage)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	_ = syscall.Munmap(b)
	_ = syscall.Madvise(make([]byte, size), madvHugepage) // of the heap, not touched
	runtime.GC()                                          // what is allocated next lies there
}
