//go:build !linux

package lab

// hugePages is for Linux.
func hugePages() {}
