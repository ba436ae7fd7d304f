package lab

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"time"
)

// MachineCPU returns the CPU time that all programs of this machine have used
// since it was started, where the operating system says so (Linux).
func MachineCPU() (used time.Duration, ok bool) {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) < 9 || fields[0] != "cpu" {
		return 0, false
	}
	// user nice system idle iowait irq softirq steal, in 1/100 s; guests are in user.
	for i, text := range fields[1:9] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, false
		}
		if i != 3 && i != 4 {
			used += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return used, true
}
