//go:build !linux

package lab

// HugePages is for Linux.
func HugePages() {}

// PrepareMemory is for Linux.
func PrepareMemory(int) {}
