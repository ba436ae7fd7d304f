package lab

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine describes where results were made: name, system, cores, processor.
func Machine() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	s := fmt.Sprintf("%s %s/%s, %d cores", host, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	text, _ := os.ReadFile("/proc/cpuinfo") // elsewhere there is none
	for line := range strings.Lines(string(text)) {
		if key, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return s + ", " + strings.TrimSpace(model)
		}
	}
	return s
}
