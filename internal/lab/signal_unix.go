//go:build unix

package lab

import (
	"os"
	"syscall"
)

func StopProcess(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func ContProcess(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
