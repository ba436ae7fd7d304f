//go:build !linux

package lab

// hugePages is for Linux.
func hugePages() {}

// readyMemory is for Linux.
func readyMemory(int) {}
